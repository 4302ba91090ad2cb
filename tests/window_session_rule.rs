//! What was allowed for a session does not ask again, says why, and can be taken back.

use anyhow::Result;
use testkit::model_server::{Reply, Request};

use crate::scene::{CARD, DONE, RUN, Scene, file, writes};

/// APR-7, APR-12: allow in this session, no second question, the rule is named; revoked, it asks.
#[tokio::test]
async fn allowed_in_this_session_asks_no_more_until_it_is_revoked() -> Result<()> {
    let scene = Scene::new(|request: &Request| match request.rounds() {
        0 => writes(&[("log.txt", &format!("{}\n", request.last_user_text()))]),
        _ => Reply::text("Noted."),
    })?;
    let window = scene.open().await?;
    window.send_message("one").await?;
    let workspace = window.workspace().await?;
    window.answer(CARD, "approval-session").await?;
    window.has(DONE, 1).await?;
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "log.txt").as_deref(), Some("one\n"));

    window.send_message("two").await?;
    window.has(DONE, 2).await?;
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "log.txt").as_deref(), Some("two\n"));
    assert_eq!(scene.model.count(), 4, "nobody was asked in between");
    let second = window.attributes(DONE, "data-call-id").await?.remove(1);
    let second = crate::scene::card_of(&second);
    window
        .click_css(&format!("{second} [data-testid=call-toggle]"))
        .await?;
    let said = window.text_with(&second, "Allowed by the rule").await?;
    assert!(said.contains("write_file log.txt"), "by which: {said}");

    window.click("open-settings").await?;
    window
        .text_with("[data-testid=rule-row]", "log.txt")
        .await?;
    window.click("rule-revoke").await?;
    window.gone("[data-testid=rule-row]").await?;
    window.click("session-row").await?;
    window.send_message("three").await?;
    window.ready(CARD, "approval-allow").await?;
    assert_eq!(
        file(&workspace, "log.txt").as_deref(),
        Some("two\n"),
        "it asks again"
    );
    window.answer(CARD, "approval-allow").await?;
    window.has(DONE, 3).await?;
    assert_eq!(file(&workspace, "log.txt").as_deref(), Some("three\n"));
    window.close().await
}

/// APR-12: the rule is about this file in this session: another file and another session ask.
#[tokio::test]
async fn a_rule_of_a_session_holds_for_nothing_else() -> Result<()> {
    let scene = Scene::new(|request: &Request| match request.rounds() {
        0 => writes(&[(request.last_user_text(), "text\n")]),
        _ => Reply::text("Noted."),
    })?;
    let window = scene.open().await?;
    window.send_message("mine.txt").await?;
    window.answer(CARD, "approval-session").await?;
    window.has(DONE, 1).await?;
    window.gone(RUN).await?;
    window.send_message("other.txt").await?;
    window.answer(CARD, "approval-deny").await?;
    window.gone(RUN).await?;
    window.click("new-session").await?;
    window.find("empty-state").await?;
    window.send_message("mine.txt").await?;
    window.text_with(CARD, "mine.txt").await?;
    assert_eq!(file(&window.workspace().await?, "mine.txt"), None);
    window.close().await
}
