//! A question whose run is halted, or that is answered by a message instead, is closed.

use anyhow::Result;
use testkit::model_server::{Reply, Request};

use crate::scene::{CARD, NOT_RUN, REPLY, RUN, SENT, Scene, file, writes};

fn script(request: &Request) -> Reply {
    match (request.rounds(), request.last_user_text()) {
        (0, "Write the plan") => writes(&[("plan.txt", "Leave at dawn\n")]),
        (_, asked) => Reply::text(&format!("You said: {asked}")),
    }
}

/// APR-9, STP-4: Stop closes the card, also after a restart; nothing is written.
#[tokio::test]
async fn stop_closes_a_waiting_card() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    window.ready(CARD, "approval-allow").await?;
    let workspace = window.workspace().await?;
    window.click("run-stop").await?;
    window
        .find_css("[data-testid=run-status][data-status=stopped]")
        .await?;
    window.gone(CARD).await?;
    window
        .text_with(NOT_RUN, "The run was halted before it started.")
        .await?;
    assert_eq!(window.count("[data-testid=approval-allow]").await?, 0);
    window.close().await?;

    let window = scene.open().await?;
    window
        .find_css("[data-testid=resume-row][data-kind=stopped]")
        .await?;
    window.click("resume-row-open").await?;
    window.find_css(NOT_RUN).await?;
    assert_eq!(window.count(CARD).await?, 0);
    assert_eq!(file(&workspace, "plan.txt"), None);
    assert_eq!(scene.model.count(), 1);
    // STP-5: and it goes on from there, with the call told as not run.
    window.click("run-resume").await?;
    window.gone(RUN).await?;
    let requests = scene.asked(2).await?;
    assert_eq!(
        requests[1].results_since_user().len(),
        1,
        "the call has its result"
    );
    assert_eq!(file(&workspace, "plan.txt"), None);
    window.close().await
}

/// APR-10: a message while a card waits takes its place, and goes to the model after the result.
#[tokio::test]
async fn a_message_takes_the_place_of_an_open_question() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("Write the plan").await?;
    window.ready(CARD, "approval-allow").await?;
    let workspace = window.workspace().await?;
    window
        .find("composer-input")
        .await?
        .send_keys("Leave it, tell me a joke")
        .await?;
    window
        .text_with(".composer__notes", "closes the open questions")
        .await?;
    window.click("composer-send").await?;
    window.gone(CARD).await?;
    window
        .text_with("[data-testid=call-card]", "You wrote a message instead")
        .await?;
    window.gone(RUN).await?;
    window.has(SENT, 2).await?;
    let texts = window.texts(REPLY).await?;
    let last = texts.last().cloned().unwrap_or_default();
    assert!(
        last.contains("You said: Leave it, tell me a joke"),
        "{texts:?}"
    );
    assert_eq!(file(&workspace, "plan.txt"), None);
    let requests = scene.asked(2).await?;
    let roles: Vec<&str> = requests[1]
        .messages()
        .iter()
        .filter_map(|message| message["role"].as_str())
        .filter(|role| *role != "system")
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
    window.close().await
}
