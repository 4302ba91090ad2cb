//! A change to a file can be taken back, at once and after a restart.

use std::fs;

use anyhow::Result;
use testkit::Window;
use testkit::model_server::{Reply, Request};

use crate::scene::{CARD, DONE, REPLY, RUN, Scene, file, writes};

const MINE: &str = "what I wrote myself\n";

fn script(request: &Request) -> Reply {
    match (request.rounds(), request.last_user_text()) {
        (0, "Write it") => writes(&[("diary.txt", "what the agent wrote\n")]),
        _ => Reply::text("Good."),
    }
}

/// EFF-9: Undo puts the old bytes back, says so, and cannot be clicked twice.
#[tokio::test]
async fn undo_puts_the_file_back() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    let workspace = write_over_mine(&window).await?;
    window.click("call-undo").await?;
    window.text_with(DONE, "Undone").await?;
    assert_eq!(file(&workspace, "diary.txt").as_deref(), Some(MINE));
    window.gone("[data-testid=call-undo]").await?;
    window.close().await
}

/// EFF-9: the same after a crash and a restart, for a file that was new as well.
#[tokio::test]
async fn undo_works_after_a_restart() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    let workspace = write_over_mine(&window).await?;
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message("Write it").await?;
    window.answer(CARD, "approval-allow").await?;
    window.find_css(DONE).await?;
    window.gone(RUN).await?;
    let other = window.workspace().await?;
    assert!(file(&other, "diary.txt").is_some());
    window.kill().await?;

    let window = scene.open().await?;
    open(&window, &workspace).await?;
    window.click("call-undo").await?;
    window.text_with(DONE, "Undone").await?;
    assert_eq!(file(&workspace, "diary.txt").as_deref(), Some(MINE));
    open(&window, &other).await?;
    window.click("call-undo").await?;
    window.text_with(DONE, "Undone").await?;
    assert_eq!(file(&other, "diary.txt"), None, "it was new: it is gone");
    window.close().await
}

/// EFF-9: what the person changed since is theirs; Undo says so and leaves it.
#[tokio::test]
async fn undo_never_overwrites_what_the_person_changed_since() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    let workspace = write_over_mine(&window).await?;
    fs::write(workspace.join("diary.txt"), "and mended by hand\n")?;
    window.click("call-undo").await?;
    window
        .text_with(&format!("{DONE} > .call__problem"), "diary.txt")
        .await?;
    assert_eq!(
        file(&workspace, "diary.txt").as_deref(),
        Some("and mended by hand\n")
    );
    window.find("call-undo").await?;
    window.close().await
}

/// A session with a file of the person's, which the agent then replaces.
async fn write_over_mine(window: &Window) -> Result<std::path::PathBuf> {
    window.send_message("Hello").await?;
    window.find_css(REPLY).await?;
    window.gone(RUN).await?;
    let workspace = window.workspace().await?;
    fs::create_dir_all(&workspace)?;
    fs::write(workspace.join("diary.txt"), MINE)?;
    window.send_message("Write it").await?;
    window.text_with(CARD, "-what I wrote myself").await?;
    window.answer(CARD, "approval-allow").await?;
    window.text_with(DONE, "Changed").await?;
    window.gone(RUN).await?;
    assert_eq!(
        file(&workspace, "diary.txt").as_deref(),
        Some("what the agent wrote\n")
    );
    Ok(workspace)
}

/// Opens the session that this workspace belongs to.
async fn open(window: &Window, workspace: &std::path::Path) -> Result<()> {
    let name = workspace.file_name().unwrap_or_default().to_string_lossy();
    let row = format!("[data-session-id=ses_{name}] .session-row__button");
    window.click_css(&row).await
}
