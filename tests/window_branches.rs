//! What was said stays reachable: written anew, answered again, or copied into a session of its own.

use anyhow::Result;
use testkit::Window;
use testkit::model_server::{Reply, Request};

use crate::scene::{REPLY, RUN, SENT, Scene};

const SWITCHER: &str = "[data-testid=branch-switcher]";

fn script(request: &Request) -> Reply {
    let (asked, number) = (request.last_user_text(), request.number);
    Reply::text(&format!("Answer {number} to {asked}"))
}

/// RUN-23: edit and resend makes a branch; the old one is one click away, also after a restart.
#[tokio::test]
async fn a_message_written_anew_keeps_the_old_branch() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("apples").await?;
    window.text_with(REPLY, "Answer 1 to apples").await?;
    window.gone(RUN).await?;
    point_at(&window, SENT).await?;
    window.click("message-edit").await?;
    window.rewrite("message-edit-text", "pears").await?;
    window.click("message-edit-send").await?;
    window.text_with(REPLY, "Answer 2 to pears").await?;
    window.gone(RUN).await?;
    window.text_with(SWITCHER, "2 of 2").await?;
    assert_eq!(window.count(SENT).await?, 1, "one branch at a time");
    let requests = scene.asked(2).await?;
    assert!(
        !requests[1].body.to_string().contains("apples"),
        "the model sees this branch alone"
    );

    window.click("branch-previous").await?;
    window.text_with(REPLY, "Answer 1 to apples").await?;
    window.text_with(SWITCHER, "1 of 2").await?;
    window.kill().await?;
    let window = scene.open().await?;
    window.click_css(".session-row__button").await?;
    window.text_with(REPLY, "Answer 1 to apples").await?;
    window.click("branch-next").await?;
    window.text_with(REPLY, "Answer 2 to pears").await?;
    assert_eq!(scene.model.count(), 2, "looking asks nobody");
    window.close().await
}

/// RUN-23: regenerate asks again and keeps both answers.
#[tokio::test]
async fn an_answer_made_again_keeps_the_first_one() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("apples").await?;
    window.text_with(REPLY, "Answer 1 to apples").await?;
    window.gone(RUN).await?;
    point_at(&window, REPLY).await?;
    window.click("message-regenerate").await?;
    window.text_with(REPLY, "Answer 2 to apples").await?;
    window.gone(RUN).await?;
    window.has(REPLY, 1).await?;
    window.click("branch-previous").await?;
    window.text_with(REPLY, "Answer 1 to apples").await?;
    window.click("branch-next").await?;
    window.text_with(REPLY, "Answer 2 to apples").await?;
    let requests = scene.asked(2).await?;
    assert_eq!(
        requests[0].messages(),
        requests[1].messages(),
        "the same question again"
    );
    window.close().await
}

/// RUN-23: a fork is a session of its own, with the history up to there and no further.
#[tokio::test]
async fn a_fork_has_the_history_and_goes_its_own_way() -> Result<()> {
    let scene = Scene::new(script)?;
    let window = scene.open().await?;
    window.send_message("apples").await?;
    window.has(REPLY, 1).await?;
    window.gone(RUN).await?;
    window.send_message("pears").await?;
    window.has(REPLY, 2).await?;
    window.gone(RUN).await?;
    let old = window.session_id().await?;
    point_at(&window, REPLY).await?;
    window
        .click_css(&format!("{REPLY} [data-testid=message-fork]"))
        .await?;
    window.has("[data-testid=session-row]", 2).await?;
    window.has(REPLY, 1).await?;
    let new = window.session_id().await?;
    assert_ne!(new, old);
    window.send_message("plums").await?;
    window.has(REPLY, 2).await?;
    let requests = scene.asked(3).await?;
    let said = requests[2].body.to_string();
    assert!(
        said.contains("Answer 1 to apples") && !said.contains("pears"),
        "{said}"
    );
    window
        .click_css(&format!("[data-session-id={old}] .session-row__button"))
        .await?;
    window.has(SENT, 2).await?;
    let texts = window.texts(SENT).await?;
    assert!(
        !texts.concat().contains("plums"),
        "the old one is as it was"
    );
    window.close().await
}

/// The tools of a message are there for whoever points at it.
async fn point_at(window: &Window, css: &str) -> Result<()> {
    window.click_css(css).await
}
