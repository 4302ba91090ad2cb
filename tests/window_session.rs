//! A person opens the window, sends a message, sees the reply stream in, closes, opens, and sees
//! it again.

use anyhow::{Context, Result};
use testkit::{Window, WindowOptions, eventually};

const STREAMING: &str = "[data-testid=message][data-status=streaming]";
const REPLY: &str = "[data-testid=message][data-role=agent]";
const WHOLE_REPLY: &str = "[data-testid=message][data-role=agent][data-status=complete]";
/// What it says, without the tools that show up beneath the pointer.
const WHOLE_TEXT: &str =
    "[data-testid=message][data-role=agent][data-status=complete] .message__body";

/// STR-2, STO-3: send, stream, close, open, still there.
#[tokio::test]
async fn a_reply_streams_in_and_is_there_after_closing_and_opening() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let options = WindowOptions::new(folder.path(), 15);
    let window = Window::open(&options).await?;
    window.find("empty-state").await?;
    window.screenshot("empty").await?;
    window.send_message("What can you do?").await?;
    let early = window.text_of(STREAMING, 20).await?;
    window.screenshot("streaming").await?;
    let later = window
        .text_of(STREAMING, early.chars().count() + 60)
        .await?;
    assert!(later.len() > early.len(), "text grows on the screen");
    window.find("guide-label").await?;
    let whole = window.text_of(WHOLE_TEXT, 200).await?;
    window.gone(STREAMING).await?;
    window.screenshot("replied").await?;
    copy_reply(&window).await?;
    window.close().await?;

    let window = Window::open(&options).await?;
    open_first_session(&window).await?;
    let again = window.text_of(WHOLE_TEXT, 200).await?;
    assert_eq!(again, whole, "the same text as before closing");
    assert_eq!(window.count(REPLY).await?, 1, "nothing is there twice");
    assert_eq!(window.count("[data-testid=resume-row]").await?, 0);
    window.close().await
}

/// STP-1, STP-2: Stop keeps what had arrived, Resume goes on to the end.
#[tokio::test]
async fn stop_keeps_the_text_and_resume_finishes_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 12)).await?;
    window.send_message("Show me some formatting").await?;
    window.text_of(STREAMING, 40).await?;
    window.click("run-stop").await?;
    let kept = window
        .text_of(
            "[data-testid=message][data-role=agent][data-status=partial]",
            20,
        )
        .await?;
    window.screenshot("stopped").await?;
    assert!(kept.chars().count() >= 20);
    window.click("run-resume").await?;
    window.text_of(WHOLE_REPLY, 200).await?;
    window.gone("[data-testid=run-resume]").await?;
    window.screenshot("formatting").await?;
    window.close().await
}

/// RUN-3: a double click on Send has one effect.
#[tokio::test]
async fn a_double_click_sends_once() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 1)).await?;
    window
        .find("composer-input")
        .await?
        .send_keys("Hello")
        .await?;
    window
        .client()
        .execute(
            "const send = document.querySelector('[data-testid=composer-send]');
             send.click(); send.click();",
            vec![],
        )
        .await?;
    window.text_of(WHOLE_REPLY, 100).await?;
    assert_eq!(
        window
            .count("[data-testid=message][data-role=user]")
            .await?,
        1
    );
    assert_eq!(window.count("[data-testid=session-row]").await?, 1);
    window.close().await
}

/// A click on Copy puts the reply on the clipboard, and the button says so.
async fn copy_reply(window: &Window) -> Result<()> {
    let copy = window
        .find_css(&format!("{WHOLE_REPLY} .copy-button"))
        .await?;
    copy.click().await?;
    eventually("the button to say that it copied", || async {
        (copy.prop("textContent").await.ok()??.trim() == "Copied").then_some(())
    })
    .await
}

async fn open_first_session(window: &Window) -> Result<()> {
    eventually("the first session to open", || async {
        window.click("session-row").await.ok()?;
        (window.count(REPLY).await.ok()? > 0).then_some(())
    })
    .await
    .context("the session is in the list")
}
