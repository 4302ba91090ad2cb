//! What a person writes while the agent works is kept, in order, and theirs until it is sent.

use anyhow::Result;
use testkit::model_server::{Reply, Request};
use testkit::{Window, eventually};

use crate::scene::{REPLY, RUN, SENT, STREAMING, Scene};

const QUEUED: &str = "[data-testid=queued-message]";
const QUEUED_TEXT: &str = "[data-testid=queued-message] .queue__text";

/// The first answer is held back until it is released.
fn script(request: &Request) -> Reply {
    let reply = Reply::text(&format!("Answer to {} is here", request.last_user_text()));
    match request.number {
        1 => reply.hang_after(3),
        _ => reply,
    }
}

/// RUN-2: queued, edited, removed, shown after a crash, and sent in their order.
#[tokio::test]
async fn messages_queue_while_the_agent_works_and_are_sent_in_order() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("first").await?;
    window.text_of(STREAMING, 5).await?;
    for message in ["second", "thrid", "never"] {
        window.send_message(message).await?;
        window
            .text_with(&format!("{QUEUED}:last-child"), message)
            .await?;
    }
    assert_eq!(window.count(SENT).await?, 1, "only one is sent");
    click_in(&window, 3, "queued-remove").await?;
    window.has(QUEUED, 2).await?;
    click_in(&window, 2, "queued-edit").await?;
    window.rewrite("queued-edit-text", "third").await?;
    window.click("queued-edit-save").await?;
    window
        .text_with(&format!("{QUEUED}:last-child"), "third")
        .await?;
    assert_eq!(window.texts(QUEUED_TEXT).await?, ["second", "third"]);
    assert_eq!(scene.model.count(), 1);

    scene.model.release();
    window.has(REPLY, 3).await?;
    window.gone(RUN).await?;
    window.gone(QUEUED).await?;
    let requests = scene.asked(3).await?;
    let asked: Vec<&str> = requests.iter().map(Request::last_user_text).collect();
    assert_eq!(asked, ["first", "second", "third"]);
    window.has(SENT, 3).await?;
    window.close().await
}

/// RUN-2, STP-6: a stop holds what is queued until the person sends it; a crash loses none of it.
#[tokio::test]
async fn a_stop_holds_what_is_queued_and_a_crash_keeps_it() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("first").await?;
    window.text_of(STREAMING, 5).await?;
    window.send_message("second").await?;
    window.has(QUEUED, 1).await?;
    window.click("run-stop").await?;
    window
        .find_css("[data-testid=run-status][data-status=stopped]")
        .await?;
    window.text_with(".queue__words", "Held").await?;
    window.kill().await?;

    scene.model.release();
    let window = scene.open().await?;
    window.find("resume-panel").await?;
    window.click("resume-row-open").await?;
    assert_eq!(window.texts(QUEUED_TEXT).await?, ["second"]);
    assert_eq!(scene.model.count(), 1, "held until the person acts");
    window.click("queue-send-now").await?;
    window.gone(QUEUED).await?;
    window.has(REPLY, 1).await?;
    window.gone(RUN).await?;
    let requests = scene.asked(2).await?;
    assert_eq!(requests[1].last_user_text(), "second");
    window.close().await
}

/// Stop and send: the run is halted and the message goes at once.
#[tokio::test]
async fn stop_and_send_goes_at_once() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("first").await?;
    window.text_of(STREAMING, 5).await?;
    window
        .find("composer-input")
        .await?
        .send_keys("now")
        .await?;
    window.click("composer-stop-and-send").await?;
    window.text_with(REPLY, "Answer to now is here").await?;
    window.gone(RUN).await?;
    assert_eq!(window.count(QUEUED).await?, 0);
    let requests = scene.asked(2).await?;
    assert_eq!(requests[1].last_user_text(), "now");
    window.close().await
}

/// What is typed while a message is on its way stays: in a session that is only then created, and
/// in one that is there.
#[tokio::test]
async fn what_is_typed_while_sending_is_not_lost() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    for (message, sent) in [("first", 1), ("second", 1)] {
        window.rewrite("composer-input", message).await?;
        window
            .script(
                "const by = id => document.querySelector(`[data-testid=${id}]`);
                 by('composer-send').click();
                 const field = by('composer-input');
                 field.value += ', and this';
                 field.dispatchEvent(new InputEvent('input', {bubbles: true}));",
            )
            .await?;
        eventually("what is left to be what was typed since", || async {
            let field = window.find("composer-input").await.ok()?;
            (field.prop("value").await.ok()?? == ", and this").then_some(())
        })
        .await?;
        window.has(SENT, sent).await?;
    }
    window.has(QUEUED, 1).await?;
    assert_eq!(window.texts(QUEUED_TEXT).await?, ["second"]);
    let requests = scene.asked(1).await?;
    assert_eq!(requests[0].last_user_text(), "first");
    window.close().await
}

/// Clicks a button of the queued message at this place, from 1.
async fn click_in(window: &Window, place: usize, testid: &str) -> Result<()> {
    window
        .click_css(&format!(
            "{QUEUED}:nth-child({place}) [data-testid={testid}]"
        ))
        .await
}
