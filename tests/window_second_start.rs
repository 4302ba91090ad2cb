//! A second start brings the first window to the front.

use anyhow::Result;
use testkit::{Process, Window, WindowOptions, command, eventually, holdfast};

/// STO-13: the second process hands over and ends well; the first one is told.
#[tokio::test]
async fn a_second_start_hands_over_to_the_first() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let options = WindowOptions {
        has_session_bus: true,
        ..WindowOptions::new(folder.path(), 0)
    };
    let window = Window::open(&options).await?;
    window.find("composer-input").await?;
    let owner = window.app_id()?;
    let mut second = Process::start(command(holdfast()).arg("--data").arg(folder.path()))?;
    assert!(
        tokio::task::spawn_blocking(move || second.wait()).await??,
        "it ends without an error"
    );
    let log = folder.path().join("logs").join("holdfast.log");
    eventually("the first window to be told", || async {
        let text = std::fs::read_to_string(&log).ok()?;
        text.contains("shell.start.repeated").then_some(())
    })
    .await?;
    let text = std::fs::read_to_string(&log)?;
    assert!(!text.contains("shell.window.not_focused"), "{text}");
    assert_eq!(
        window.app_id()?,
        owner,
        "the folder still belongs to the first"
    );
    window.send_message("Hello").await?;
    window
        .find_css("[data-testid=message][data-status=complete][data-role=agent]")
        .await?;
    window.close().await
}
