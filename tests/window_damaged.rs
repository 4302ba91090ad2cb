//! A database that cannot be read is never taken for an empty one.

use std::fs;

use anyhow::Result;
use protocol::Command;
use testkit::{Headless, Window, WindowOptions};

/// STO-10: the window says what is wrong, touches nothing, and restores the backup on a click.
#[tokio::test]
async fn a_damaged_database_is_shown_and_restored_with_a_click() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path();
    let mut app = Headless::start(data, &[])?;
    app.must(&Command::CreateSession {
        session_id: None,
        title: Some("Before".to_owned()),
        agent_id: None,
    })?;
    app.close()?;
    // The second start makes the daily backup.
    let app = Headless::start(data, &[])?;
    testkit::eventually("a backup to be made", || async {
        let mut backups = fs::read_dir(data.join("backups")).ok()?.flatten();
        backups
            .any(|entry| entry.path().extension().is_some_and(|e| e == "db"))
            .then_some(())
    })
    .await?;
    app.close()?;
    let garbage = b"this is not a database".repeat(300);
    fs::write(data.join("holdfast.db"), &garbage)?;

    let window = Window::open(&WindowOptions::new(data, 0)).await?;
    window.find("start-failed").await?;
    window.screenshot("start-failed").await?;
    assert_eq!(
        fs::read(data.join("holdfast.db"))?,
        garbage,
        "nothing was overwritten"
    );
    window.click("restore-backup").await?;
    // It asks once more, in place.
    window
        .find_css("[data-testid=restore-backup][data-confirm]")
        .await?
        .click()
        .await?;
    let row = window
        .find("session-row")
        .await?
        .prop("textContent")
        .await?;
    assert!(
        row.as_deref().is_some_and(|row| row.contains("Before")),
        "{row:?}"
    );
    window.close().await
}
