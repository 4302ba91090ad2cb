//! A person sees text stream in, the app is killed, they open it again.

use anyhow::Result;
use testkit::{Window, WindowOptions};

const STREAMING: &str = "[data-testid=message][data-status=streaming]";
const PARTIAL: &str = "[data-testid=message][data-role=agent][data-status=partial]";
const WHOLE: &str = "[data-testid=message][data-role=agent][data-status=complete]";

/// RUN-4, RUN-13, STP-5, ATT-1: kill, open, the text is there, the panel offers it, Resume ends it.
#[tokio::test]
async fn a_killed_window_comes_back_with_its_text_and_resumes() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 20)).await?;
    window
        .send_message("Tell me a long story about the sea")
        .await?;
    let seen = window.text_of(STREAMING, 300).await?;
    window.kill().await?;

    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.find("resume-panel").await?;
    assert_eq!(window.count("[data-testid=resume-row]").await?, 1);
    window.screenshot("resume-panel").await?;
    window.click("resume-row-resume").await?;
    window.gone("[data-testid=resume-row]").await?;
    // Opened as a person would, if the panel did not do so.
    if window.count(PARTIAL).await? == 0 {
        window.click("session-row").await?;
    }
    let kept = window.text_of(PARTIAL, 100).await?;
    let (seen, kept) = (only_words(&seen), only_words(&kept));
    assert!(
        kept.contains(&seen),
        "what was on the screen is still there:\nseen {seen}\nkept {kept}"
    );
    let whole = window.text_of(WHOLE, 2_000).await?;
    assert!(whole.contains("Closed."), "the story has its end");
    assert_eq!(window.count("[data-testid=resume-row]").await?, 0);
    window.screenshot("resumed").await?;
    window.close().await
}

/// RUN-13: Discard gives the run up and keeps the text.
#[tokio::test]
async fn discarding_an_interrupted_run_keeps_its_text() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let window = Window::open(&WindowOptions::new(folder.path(), 20)).await?;
    window
        .send_message("Tell me a long story about the sea")
        .await?;
    window.text_of(STREAMING, 120).await?;
    window.kill().await?;

    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.find("resume-panel").await?;
    window.click("resume-row-discard").await?;
    // It asks once more, in place.
    window
        .find_css("[data-testid=resume-row-discard][data-confirm]")
        .await?
        .click()
        .await?;
    window.gone("[data-testid=resume-row]").await?;
    window.close().await?;
    let window = Window::open(&WindowOptions::new(folder.path(), 0)).await?;
    window.click("session-row").await?;
    window.text_of(PARTIAL, 100).await?;
    assert_eq!(window.count("[data-testid=resume-row]").await?, 0);
    window.close().await
}

/// What a person reads: marks that say "interrupted here" and spacing do not count.
fn only_words(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
