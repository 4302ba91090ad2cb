//! The app dies while a question is open; the question is still there, and is answered once.

use anyhow::Result;
use testkit::model_server::{Reply, Request};

use crate::scene::{CARD, DONE, REPLY, RUN, STREAMING, Scene, file, writes};

/// What was asked says what the model does.
fn script(request: &Request) -> Reply {
    let asked = request.last_user_text();
    match request.rounds() {
        0 if asked.starts_with("Write") => writes(&[("plan.txt", "Leave at dawn\n")]),
        0 => Reply::text("Once upon a time there was a lighthouse that nobody had lit for years.")
            .hang_after(8),
        _ => Reply::text("It is written."),
    }
}

/// APR-1, APR-5, ATT-1: killed as soon as the card is seen, decided after the restart, written once.
#[tokio::test]
async fn a_card_waits_through_a_crash_and_is_decided_once() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    let call = window.find_css(CARD).await?.attr("data-call-id").await?;
    window.kill().await?;

    let window = scene.open().await?;
    window.find("resume-panel").await?;
    let row = window
        .find_css("[data-testid=resume-row][data-kind=waiting]")
        .await?;
    let said = row.text().await?;
    assert!(said.contains("plan.txt"), "what waits is named: {said}");
    window.click("resume-row-decide").await?;
    let again = window.find_css(CARD).await?.attr("data-call-id").await?;
    assert_eq!(again, call, "the same call");
    let workspace = window.workspace().await?;
    assert_eq!(file(&workspace, "plan.txt"), None);
    assert_eq!(scene.model.count(), 1, "opening asks nobody");
    window.answer(CARD, "approval-allow").await?;
    window.find_css(DONE).await?;
    window.gone(RUN).await?;
    assert_eq!(
        file(&workspace, "plan.txt").as_deref(),
        Some("Leave at dawn\n")
    );
    let requests = scene.asked(2).await?;
    let results = requests[1].results_since_user();
    assert_eq!(results.len(), 1);
    assert!(
        results[0].text.contains("Created plan.txt"),
        "by the one body"
    );
    window.gone("[data-testid=attention-badge]").await?;
    window.close().await
}

/// ATT-1, RUN-13: two replies cut off and one question open: each has its row and its own way on.
#[tokio::test]
async fn after_a_crash_every_session_is_taken_up_by_its_own_click() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    for message in ["Tell me one story", "Tell me another story"] {
        window.click("new-session").await?;
        window.find("empty-state").await?;
        window.send_message(message).await?;
        window.text_of(STREAMING, 20).await?;
    }
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message("Write the plan").await?;
    window.find_css(CARD).await?;
    window.kill().await?;

    scene.model.release();
    let window = scene.open().await?;
    window.find("resume-panel").await?;
    window
        .has("[data-testid=resume-row][data-kind=interrupted]", 2)
        .await?;
    window
        .has("[data-testid=resume-row][data-kind=waiting]", 1)
        .await?;
    let (one, other) = (
        row("Tell me one story", &window).await?,
        row("Tell me another story", &window).await?,
    );
    window
        .click_css(&format!("{one} [data-testid=resume-row-resume]"))
        .await?;
    window.gone(&one).await?;
    window
        .click_css(&format!("{other} [data-testid=resume-row-discard]"))
        .await?;
    window
        .click_css(&format!(
            "{other} [data-testid=resume-row-discard][data-confirm]"
        ))
        .await?;
    window.gone(&other).await?;
    window.has("[data-testid=resume-row]", 1).await?;
    window.click("resume-row-decide").await?;
    // It is opened at the card: seen, and with the focus.
    window.find_css(&format!("{CARD}:focus")).await?;
    window.ready(CARD, "approval-allow").await?;
    let workspace = window.workspace().await?;
    window.answer(CARD, "approval-allow").await?;
    window.find_css(DONE).await?;
    window.gone(RUN).await?;
    assert_eq!(
        file(&workspace, "plan.txt").as_deref(),
        Some("Leave at dawn\n")
    );

    open(&window, "Tell me one story").await?;
    window.text_with(REPLY, "nobody had lit for years").await?;
    open(&window, "Tell me another story").await?;
    window
        .find_css("[data-testid=message][data-role=agent][data-status=partial]")
        .await?;
    assert_eq!(
        window.count(REPLY).await?,
        0,
        "given up, and kept as it was"
    );
    // Three first requests, one resumed, one with the result.
    assert_eq!(scene.model.count(), 5);
    window.close().await
}

/// The row of the panel with this title.
async fn row(title: &str, window: &testkit::Window) -> Result<String> {
    let titles = window
        .texts("[data-testid=resume-row] .resume-row__title")
        .await?;
    let ids = window
        .attributes("[data-testid=resume-row]", "data-session-id")
        .await?;
    let found = titles.iter().zip(&ids).find(|(found, _)| *found == title);
    let (_, id) = found.ok_or_else(|| anyhow::anyhow!("no row {title:?} in {titles:?}"))?;
    Ok(format!("[data-testid=resume-row][data-session-id={id:?}]"))
}

/// Opens the session with this title from the list.
async fn open(window: &testkit::Window, title: &str) -> Result<()> {
    window
        .click_css(&format!("[data-testid=session-row] [title^={title:?}]"))
        .await
}
