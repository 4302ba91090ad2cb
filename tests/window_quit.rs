//! A person closes the app and finds it as they left it.

use anyhow::Result;
use testkit::{Window, WindowOptions};

/// RUN-18: quitting in the middle of a reply interrupts it; it is offered at the next start.
#[tokio::test]
async fn quitting_during_a_reply_leaves_it_resumable() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 20)).await?;
    window
        .send_message("Tell me a long story about the sea")
        .await?;
    window
        .text_of("[data-testid=message][data-status=streaming]", 80)
        .await?;
    window.quit().await?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    let row = window.find("resume-row").await?.prop("textContent").await?;
    assert!(
        row.as_deref().is_some_and(|text| text.contains("closed")),
        "it says why: {row:?}"
    );
    window.close().await
}

/// The window opens as large as it was, per data folder.
#[tokio::test]
async fn the_window_remembers_its_size() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let size = Some((910, 640));
    let options = WindowOptions {
        size,
        ..WindowOptions::new(folder.path(), 0)
    };
    let window = Window::open(&options).await?;
    window.find("composer-input").await?;
    window.quit().await?;
    let window = Window::open(&WindowOptions {
        size: None,
        ..options
    })
    .await?;
    window.find("composer-input").await?;
    let script = "return [window.innerWidth, window.innerHeight]";
    let found = window.client().execute(script, vec![]).await?;
    assert_eq!(found, serde_json::json!([910, 640]));
    window.close().await
}
