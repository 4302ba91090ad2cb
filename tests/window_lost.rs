//! The window says when it cannot reach the engine, keeps what was typed, and goes on by itself.

use std::path::Path;

use anyhow::Result;
use testkit::{Window, WindowOptions};

/// STR-7, STO-13: a process that lost its place cannot write, the window says so, the draft stays;
/// once the place is its own again, the same window goes on.
#[tokio::test]
async fn a_lost_connection_is_said_and_mends_by_itself() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.find("composer-input").await?;
    move_epoch(folder.path(), 1)?;
    window.send_message("Are you there?").await?;
    window.find("connection-lost").await?;
    window.screenshot("connection-lost").await?;
    assert_eq!(
        window.count("[data-testid=message]").await?,
        0,
        "nothing is shown as sent"
    );
    let draft = window.find("composer-input").await?.prop("value").await?;
    assert_eq!(
        draft.as_deref(),
        Some("Are you there?"),
        "the draft is kept"
    );

    move_epoch(folder.path(), -1)?;
    window.gone("[data-testid=connection-lost]").await?;
    window.click("composer-send").await?;
    window
        .find_css("[data-testid=message][data-role=agent][data-status=complete]")
        .await?;
    assert_eq!(
        window
            .count("[data-testid=message][data-role=user]")
            .await?,
        1,
        "sent once"
    );
    window.close().await
}

/// What a newer process would do on taking the folder over.
#[expect(clippy::disallowed_methods, reason = "plays the other process")]
fn move_epoch(data: &Path, by: i64) -> Result<()> {
    let connection = rusqlite::Connection::open(data.join("holdfast.db"))?;
    connection.execute("UPDATE runtime SET epoch = epoch + ?1", [by])?;
    Ok(())
}
