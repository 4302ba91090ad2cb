//! The first start asks who is to answer; whatever is chosen, it never asks again.

use anyhow::{Result, bail};
use protocol::{Command, Reply as Answer};
use testkit::model_server::Reply;
use testkit::{Headless, ModelServer, Window, WindowOptions};

use crate::provided::{KEY, Service, first_run, models, page};
use crate::scene::{REPLY, Scene};

const FIRST_RUN: &str = "[data-testid=first-run]";

/// One click, and the guide answers; it is not asked again.
#[tokio::test]
async fn the_guide_is_one_click_and_is_never_asked_for_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let options = first_run(folder.path());
    let window = Window::open(&options).await?;
    window.find("first-run").await?;
    // It can be put off, which chooses nothing.
    window.press("\u{e00c}").await?;
    window.find("empty-state").await?;
    window.close().await?;
    let window = Window::open(&options).await?;
    window.click("first-run-guide").await?;
    window.find("empty-state").await?;
    window.send_message("What can you do?").await?;
    window.find("guide-label").await?;
    window.close().await?;
    let window = Window::open(&options).await?;
    window.find("composer-input").await?;
    assert_eq!(window.count(FIRST_RUN).await?, 0);
    window.close().await
}

/// A key is recognised, confirmed, kept where the person says, and a model of it answers.
#[tokio::test]
async fn a_pasted_key_leads_to_an_answer() -> Result<()> {
    let service = Service::start(|_: &_| Reply::text("Here I am."))?;
    let folder = tempfile::tempdir()?;
    let window = Window::open(&first_run(folder.path())).await?;
    window.rewrite("first-run-key", "sk-ant-1234").await?;
    window
        .text_with("form [role=status]", "This looks like a key of Claude.")
        .await?;
    window.rewrite("first-run-key", KEY).await?;
    window
        .find_css("[data-testid=first-run-add]:disabled")
        .await?;
    window
        .click_css("[data-testid=first-run-service] option[value='Another service']")
        .await?;
    window
        .rewrite("first-run-address", &service.server.url())
        .await?;
    window.click("first-run-add").await?;
    window.click("key-store-file").await?;
    window.find("first-run-model").await?;
    assert!(!page(&window).await?.contains(KEY), "the page forgot it");
    window.click("first-run-use").await?;
    window.gone(FIRST_RUN).await?;
    window.send_message("Hello").await?;
    window.text_with(REPLY, "Here I am.").await?;
    window.close().await?;
    let window = Window::open(&first_run(folder.path())).await?;
    window.find("composer-input").await?;
    assert_eq!(window.count(FIRST_RUN).await?, 0);
    window.close().await
}

/// A server that is started while the page is open shows up by itself, and is used when picked.
#[tokio::test]
async fn a_server_on_this_computer_shows_up_and_is_never_picked_unasked() -> Result<()> {
    let server = ModelServer::start(|_: &_| Reply::text("From next door."))?;
    let url = server.url();
    let port = url.trim_end_matches("/v1").rsplit(':').next();
    let Some(port) = port.and_then(|port| port.parse::<u16>().ok()) else {
        bail!("no port in {url}")
    };
    let folder = tempfile::tempdir()?;
    watch_port(folder.path(), port)?;
    let window = Window::open(&first_run(folder.path())).await?;
    let row = format!("[data-testid=local-server][data-port='{port}']");
    window.find_css(&row).await?;
    assert_eq!(
        window
            .count(&format!("{row} [data-testid=local-pick]"))
            .await?,
        0
    );
    server.list_models(|_| models());
    window
        .click_css(&format!("{row} [data-testid=local-pick]"))
        .await?;
    window.find("first-run-model").await?;
    window.click("first-run-use").await?;
    window.gone(FIRST_RUN).await?;
    window.send_message("Hello").await?;
    window.text_with(REPLY, "From next door.").await?;
    window.close().await
}

fn watch_port(folder: &std::path::Path, port: u16) -> Result<()> {
    let mut app = Headless::start(folder, &[])?;
    let Answer::Settings(mut settings) = app.must(&Command::GetSettings {})? else {
        bail!("no settings")
    };
    settings.local_ports = vec![port];
    app.must(&Command::UpdateSettings { settings })?;
    app.close()?;
    Ok(())
}

/// Whoever names a model on the command line has chosen.
#[tokio::test]
async fn a_model_from_the_command_line_is_a_choice() -> Result<()> {
    let scene = Scene::new(|_: &_| Reply::text("Yes."))?;
    let window = Window::open(&WindowOptions {
        meets_first_run: true,
        ..scene.options()
    })
    .await?;
    window.find("empty-state").await?;
    assert_eq!(window.count(FIRST_RUN).await?, 0);
    window.close().await
}
