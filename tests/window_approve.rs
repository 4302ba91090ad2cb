//! Nothing is written before a person has seen what would be written and allowed it.

use std::fs;

use anyhow::Result;
use testkit::model_server::{Reply, by_rounds};

use crate::scene::{CARD, DONE, REPLY, RUN, Scene, file, writes};

const PLAN: &str = "Leave at dawn\nTake the north path\n";

/// APR-1, APR-6: the card shows the full path and the change; the click writes it, once.
#[tokio::test]
async fn a_file_is_written_after_allow_once_and_not_before() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("notes/plan.txt", PLAN)]),
        Reply::text("The plan is written."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    let card = window.find_css(CARD).await?.text().await?;
    let workspace = window.workspace().await?;
    let full_path = workspace.join("notes/plan.txt").display().to_string();
    assert!(card.contains(&full_path), "the full path: {card}");
    assert!(card.contains("+Leave at dawn") && card.contains("+Take the north path"));
    window
        .find_css("[data-testid=run-status][data-status=waiting]")
        .await?;
    window.ready(CARD, "approval-allow").await?;
    assert!(!workspace.join("notes").exists(), "nothing is written yet");
    assert_eq!(scene.model.count(), 1, "the model waits as well");

    window.answer(CARD, "approval-allow").await?;
    window.find_css(DONE).await?;
    assert_eq!(file(&workspace, "notes/plan.txt").as_deref(), Some(PLAN));
    window.gone(RUN).await?;
    let texts = window.texts(REPLY).await?;
    assert!(
        texts
            .iter()
            .any(|text| text.contains("The plan is written.")),
        "{texts:?}"
    );
    let requests = scene.asked(2).await?;
    let results = requests[1].results_since_user();
    assert_eq!(results.len(), 1, "one call, one result");
    assert!(results[0].text.contains("Created notes/plan.txt"));
    assert_eq!(window.count(CARD).await?, 0);
    window.close().await
}

/// APR-6: what is shown is what runs. A file that changed under the card is looked at again.
#[tokio::test]
async fn a_file_that_changes_under_the_card_is_asked_about_again() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("list.txt", "salt\nrope\n")]),
        Reply::text("Done."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write the list").await?;
    window.ready(CARD, "approval-allow").await?;
    let workspace = window.workspace().await?;
    fs::create_dir_all(&workspace)?;
    fs::write(workspace.join("list.txt"), "written by hand\n")?;

    // One click, and not again on what comes in its place.
    window.click("approval-allow").await?;
    let card = window.text_with(CARD, "-written by hand").await?;
    assert!(
        card.contains("+salt"),
        "the change as it would be now: {card}"
    );
    assert_eq!(
        file(&workspace, "list.txt").as_deref(),
        Some("written by hand\n"),
        "nobody has seen that this would be lost"
    );
    window.answer(CARD, "approval-allow").await?;
    window.find_css(DONE).await?;
    assert_eq!(
        file(&workspace, "list.txt").as_deref(),
        Some("salt\nrope\n")
    );
    scene.asked(2).await?;
    window.close().await
}
