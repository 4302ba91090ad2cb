//! A model file in the window: named, served, used, and served no longer.

use std::fs;

use anyhow::Result;
use testkit::{FakeLlama, Window, WindowOptions, eventually, is_running};

use crate::provided::PROVIDER;
use crate::scene::REPLY;

const ENTRY: &str = "window_model_file::entry";
const PROBLEM: &str = "[data-testid=model-file-problem]";
const SERVED: &str = "[data-testid=served-model]";
const READY: &str = "[data-testid=served-model][data-state=ready]";
const FAILED: &str = "[data-testid=served-model][data-state=failed]";

/// The entry of the fake `llama-server`; not a test of anything by itself.
#[test]
fn entry() -> Result<()> {
    testkit::fake_llama::play()
}

/// From a path to an answer, and its server ends with the window.
#[tokio::test]
async fn a_model_file_is_served_answers_and_ends_with_the_app() -> Result<()> {
    let fake = FakeLlama::new(ENTRY)?;
    let folder = tempfile::tempdir()?;
    let options = WindowOptions {
        programs: Some(fake.path().to_owned()),
        ..WindowOptions::new(folder.path(), 0)
    };
    let window = Window::open(&options).await?;
    window.click("open-models").await?;
    window.click("model-file-serve").await?;
    window.text_with(PROBLEM, "Write where the file is").await?;
    let model = fake.model().display().to_string();
    window.rewrite("model-file", &format!("{model}x")).await?;
    window.click("model-file-serve").await?;
    window.text_with(PROBLEM, "no such file").await?;
    window.rewrite("model-file", &model).await?;
    window.click("model-file-serve").await?;
    window.text_with(READY, "small").await?;
    // Offered, not used: the person adds it like every other server.
    window.click("local-pick").await?;
    window.text_with(PROVIDER, "llama.cpp").await?;
    window.screenshot("model-file-served").await?;
    window.click("provider-models").await?;
    window.click("model-default").await?;
    window.click("new-session").await?;
    window.send_message("Hello").await?;
    window.text_with(REPLY, "From a file.").await?;
    let (server, _) = fake.starts().pop().unwrap_or_default();
    assert!(is_running(server));
    window.quit().await?;
    eventually("the server to end with the app", || async {
        (!is_running(server)).then_some(())
    })
    .await
}

/// A server that cannot serve it is given up, and says why; the person tries again or stops.
#[tokio::test]
async fn a_file_that_cannot_be_served_says_why() -> Result<()> {
    let fake = FakeLlama::new(ENTRY)?;
    fs::write(fake.model(), "GGUF, but broken")?;
    let folder = tempfile::tempdir()?;
    let options = WindowOptions {
        programs: Some(fake.path().to_owned()),
        ..WindowOptions::new(folder.path(), 0)
    };
    let window = Window::open(&options).await?;
    window.click("open-models").await?;
    let model = fake.model().display().to_string();
    window.rewrite("model-file", &model).await?;
    window.click("model-file-serve").await?;
    window.text_with(FAILED, "it is broken").await?;
    window.screenshot("model-file-failed").await?;
    fs::write(fake.model(), "GGUF and so on")?;
    window.click("served-again").await?;
    window.find_css(READY).await?;
    window.click("served-stop").await?;
    window.gone(SERVED).await?;
    window.find("model-file").await?;
    window.close().await
}
