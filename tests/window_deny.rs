//! A person says no, says why, and decides several calls in any order.

use anyhow::Result;
use testkit::model_server::{Reply, by_rounds};

use crate::scene::{CARD, DENIED, DONE, RUN, Scene, card_of, file, writes};

/// APR-5: what is denied is not done, and the model is told why.
#[tokio::test]
async fn a_denied_call_writes_nothing_and_its_reason_reaches_the_model() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("plan.txt", "Leave at dawn\n")]),
        Reply::text("Then I will not."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    let workspace = window.workspace().await?;
    window
        .find("approval-deny-reason")
        .await?
        .send_keys("Dawn is too early")
        .await?;
    window.answer(CARD, "approval-deny").await?;
    let said = window.text_with(DENIED, "You denied it").await?;
    assert!(said.contains("Dawn is too early"), "{said}");
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "plan.txt"), None);
    let requests = scene.asked(2).await?;
    let results = requests[1].results_since_user();
    assert_eq!(results.len(), 1);
    assert!(
        results[0].text.contains("Dawn is too early"),
        "{}",
        results[0].text
    );
    assert_eq!(window.count("[data-testid=call-undo]").await?, 0);
    window.close().await
}

/// APR-4: two cards, opposite decisions, the last one first.
#[tokio::test]
async fn two_cards_are_decided_in_reverse_with_opposite_answers() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("first.txt", "one\n"), ("second.txt", "two\n")]),
        Reply::text("As you wish."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write both").await?;
    window.has(CARD, 2).await?;
    let workspace = window.workspace().await?;
    let calls = window.attributes(CARD, "data-call-id").await?;
    let (first, second) = (card_of(&calls[0]), card_of(&calls[1]));
    window.text_with(&first, "first.txt").await?;
    window.text_with(&second, "second.txt").await?;

    window.answer(&second, "approval-allow").await?;
    window.has(CARD, 1).await?;
    assert_eq!(scene.model.count(), 1, "one answer is still missing");
    window.answer(&first, "approval-deny").await?;
    window
        .find_css(&format!("{first}[data-status=denied]"))
        .await?;
    window
        .find_css(&format!("{second}[data-status=completed]"))
        .await?;
    window.gone(RUN).await?;
    assert_eq!(file(&workspace, "first.txt"), None);
    assert_eq!(file(&workspace, "second.txt").as_deref(), Some("two\n"));
    let requests = scene.asked(2).await?;
    let results = requests[1].results_since_user();
    let ids: Vec<&str> = results.iter().map(|it| it.call_id.as_str()).collect();
    assert_eq!(
        ids,
        ["call_0", "call_1"],
        "results in the order of the calls"
    );
    assert!(results[1].text.contains("Created second.txt"));
    window.close().await
}

/// APR-4: all of them with one answer, after one more question.
#[tokio::test]
async fn allow_all_in_the_waiting_bar_runs_each_once() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]),
        Reply::text("All three."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write all").await?;
    window.has(CARD, 3).await?;
    let workspace = window.workspace().await?;
    window
        .text_with("[data-testid=waiting-bar]", "3 calls wait for you")
        .await?;
    window.click("waiting-allow-all").await?;
    assert_eq!(window.count(CARD).await?, 3, "it asks once more");
    window
        .click_css("[data-testid=waiting-allow-all][data-confirm]")
        .await?;
    window.has(DONE, 3).await?;
    window.gone(RUN).await?;
    window.gone("[data-testid=waiting-bar]").await?;
    for name in ["a", "b", "c"] {
        let held = file(&workspace, &format!("{name}.txt"));
        assert_eq!(held, Some(format!("{name}\n")));
    }
    let requests = scene.asked(2).await?;
    assert_eq!(requests[1].results_since_user().len(), 3);
    window.close().await
}

/// APR-4: and none of them.
#[tokio::test]
async fn deny_all_in_the_waiting_bar_runs_none() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("a.txt", "a\n"), ("b.txt", "b\n")]),
        Reply::text("None, then."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write both").await?;
    window.has(CARD, 2).await?;
    let workspace = window.workspace().await?;
    window.click_and_confirm("waiting-deny-all").await?;
    window.has(DENIED, 2).await?;
    window.gone(RUN).await?;
    assert!(!workspace.exists(), "nothing was written at all");
    scene.asked(2).await?;
    window.close().await
}
