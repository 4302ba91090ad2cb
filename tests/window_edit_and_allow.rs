//! A person mends the arguments of a call and allows what they wrote instead.

use anyhow::Result;
use testkit::model_server::{Reply, by_rounds};

use crate::scene::{CARD, RUN, Scene, card_of, file, writes};

/// APR-7: what is written is what the person wrote, the card says so, and the model knows.
#[tokio::test]
async fn edited_arguments_are_what_runs() -> Result<()> {
    let scene = Scene::new(by_rounds([
        writes(&[("plan.txt", "Leave at dawn\n")]),
        Reply::text("Done."),
    ]))?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    let workspace = window.workspace().await?;
    let call = window.find_css(CARD).await?.attr("data-call-id").await?;
    let card = card_of(&call.unwrap_or_default());
    window.answer(&card, "approval-edit").await?;
    let begun = window
        .find("approval-edit-text")
        .await?
        .prop("value")
        .await?;
    assert!(
        begun
            .as_deref()
            .is_some_and(|text| text.contains("Leave at dawn")),
        "it begins with what was asked: {begun:?}"
    );
    window.rewrite("approval-edit-text", "{ \"path\": ").await?;
    window
        .find_css("[data-testid=approval-edit-allow][aria-disabled=true]")
        .await?;
    let edited = r#"{ "path": "plan.txt", "content": "Leave at noon\n" }"#;
    window.rewrite("approval-edit-text", edited).await?;
    window.answer(&card, "approval-edit-allow").await?;
    let done = format!("{card}[data-status=completed]");
    window.text_with(&done, "Edited by you").await?;
    assert_eq!(
        file(&workspace, "plan.txt").as_deref(),
        Some("Leave at noon\n")
    );
    window.gone(RUN).await?;
    let requests = scene.asked(2).await?;
    let asked = &requests[1].messages();
    assert!(
        asked
            .iter()
            .any(|message| message.to_string().contains("noon")),
        "the model knows what ran: {asked:?}"
    );
    window
        .click_css(&format!("{card} [data-testid=call-toggle]"))
        .await?;
    let shown = window
        .text_with(&done, "You edited the arguments and allowed it.")
        .await?;
    assert!(shown.contains("As the model proposed them") && shown.contains("dawn"));
    window.close().await
}
