//! Providers in the window: add one, give it its key, test it, see its models, mend it, delete it.

use std::fs;

use anyhow::Result;
use testkit::model_server::Reply;
use testkit::{Window, WindowOptions};

use crate::provided::{KEY, OTHER_KEY, PROVIDER, Service, add_default, page, write_provider};
use crate::scene::{REPLY, RUN};

const FAULT: &str = "[data-testid=provider-fault]";
const HELD: &str = "[data-testid=run-status][data-held=auth]";
const REFUSED: &str = "[data-testid=run-status][data-class=auth]";

/// SEC-1: from a preset to an answer; the key goes in and is nowhere afterwards.
#[tokio::test]
async fn a_provider_is_added_its_key_is_kept_and_its_model_answers() -> Result<()> {
    let service = Service::start(|_: &_| Reply::text("From the large one."))?;
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    write_provider(&window, &service.server.url(), KEY).await?;
    // There is no keychain here: nothing is kept anywhere else before the person says so.
    window.find("key-store-question").await?;
    assert!(!folder.path().join("keys.sealed").exists());
    window.click("key-store-file").await?;
    window
        .text_with(PROVIDER, "key kept in an encrypted file")
        .await?;
    assert!(!page(&window).await?.contains(KEY), "the page forgot it");
    window.click("provider-models").await?;
    window.has("[data-testid=model-row]", 2).await?;
    window
        .text_with(
            "[data-testid=model-row]",
            "Context 128k · abilities unknown · price unknown",
        )
        .await?;
    window.click("model-default").await?;
    window.has("[data-testid=model-default]", 1).await?;
    price_it(&window).await?;
    window.click("new-session").await?;
    window.send_message("Hello").await?;
    window.text_with(REPLY, "From the large one.").await?;
    assert_eq!(service.server.requests()[0].body["model"], "large");
    window.click("open-models").await?;
    window.click("provider-edit").await?;
    window.find("provider-key-kept").await?;
    assert!(!page(&window).await?.contains(KEY), "nor is it told again");
    window.close().await?;
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        if path.is_file() {
            let bytes = fs::read(&path)?;
            let is_there = bytes.windows(KEY.len()).any(|it| it == KEY.as_bytes());
            assert!(!is_there, "{}", path.display());
        }
    }
    Ok(())
}

async fn price_it(window: &Window) -> Result<()> {
    window.click("model-price").await?;
    window.rewrite("price-input", "2.5").await?;
    window.rewrite("price-output", "10").await?;
    window.click("price-save").await?;
    window
        .text_with(
            "[data-testid=model-row]",
            "$2.5 in, $10 out per million tokens",
        )
        .await?;
    Ok(())
}

/// What is wrong is said beside the field that caused it, and mended there.
#[tokio::test]
async fn a_test_says_what_is_wrong_beside_its_field() -> Result<()> {
    let service = Service::start(|_: &_| Reply::text("Yes."))?;
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    // A port where nobody is.
    let nobody = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    write_provider(&window, &format!("http://{nobody}/v1"), "wrong").await?;
    window.click("key-store-file").await?;
    window
        .text_with(&format!("{FAULT}[data-place=address]"), "Nobody answers")
        .await?;
    // Another host: the key was for the old one, and is asked for again.
    window
        .rewrite("provider-address", &service.server.url())
        .await?;
    window.rewrite("provider-key", "wrong").await?;
    window.click("provider-save").await?;
    window
        .text_with(&format!("{FAULT}[data-place=key]"), "refused the key")
        .await?;
    window.screenshot("provider-fault").await?;
    window.rewrite("provider-key", KEY).await?;
    window.click("provider-save").await?;
    window.has(PROVIDER, 1).await?;
    window.click("provider-test").await?;
    window
        .text_with(
            "[data-testid=provider-tested][data-result=works]",
            "2 models",
        )
        .await?;
    service.want(OTHER_KEY);
    window.click("provider-test").await?;
    window
        .find_css("[data-testid=provider-card][data-state=paused]")
        .await?;
    window
        .find_css("[data-testid=provider-tested][data-result=fault]")
        .await?;
    window.click("provider-switch").await?;
    window
        .find_css("[data-testid=provider-card][data-state=disabled]")
        .await?;
    window.close().await
}

/// RUN-10: one run says that the key was refused, the next one waits, and a new key lets it go on.
#[tokio::test]
async fn a_refused_key_is_said_once_and_a_new_one_lets_what_waits_go_on() -> Result<()> {
    let service = Service::start(|_: &_| Reply::text("Welcome back."))?;
    let folder = tempfile::tempdir()?;
    add_default(folder.path(), "Mine", &service)?;
    service.want(OTHER_KEY);
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.send_message("First").await?;
    window.text_with(REFUSED, "The key was refused.").await?;
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message("Second").await?;
    window
        .text_with(
            HELD,
            "Mine is paused: its key was refused. Enter another key.",
        )
        .await?;
    assert_eq!(service.server.count(), 1, "nothing more is sent");
    window.click("run-open-key").await?;
    window.find("provider-form").await?;
    assert_eq!(window.focused().await?, "provider-key");
    window.rewrite("provider-key", OTHER_KEY).await?;
    window.click("provider-save").await?;
    window.has(PROVIDER, 1).await?;
    window.press("\u{e00c}").await?;
    window.text_with(REPLY, "Welcome back.").await?;
    window.gone(RUN).await?;
    window.close().await
}

/// A provider that is used is not deleted by accident.
#[tokio::test]
async fn a_provider_that_is_used_is_deleted_only_when_that_is_meant() -> Result<()> {
    let service = Service::start(|_: &_| Reply::text("Yes."))?;
    let folder = tempfile::tempdir()?;
    add_default(folder.path(), "Mine", &service)?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.click("open-models").await?;
    window.click_and_confirm("provider-delete").await?;
    window
        .text_with(PROVIDER, "used by the setting for the default model")
        .await?;
    window.click("provider-delete-anyway").await?;
    window.gone(PROVIDER).await?;
    window.close().await
}
