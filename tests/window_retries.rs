//! A model that fails for a moment is tried again by itself; one that fails for good says so.

use anyhow::Result;
use serde_json::json;
use testkit::eventually;
use testkit::model_server::{Reply, in_order};

use crate::scene::{REPLY, RUN, SENT, Scene};

/// RUN-8: two failures, then an answer: the window says what it waits for, and nobody acts.
#[tokio::test]
async fn an_overloaded_model_is_tried_again_until_it_answers() -> Result<()> {
    let busy = Reply::error(503, &json!({"error": {"message": "Too many at once"}}));
    let scene = Scene::new(in_order([busy.clone(), busy, Reply::text("At last.")]))?;
    let window = scene.open().await?;
    window.send_message("Hello").await?;
    let status = window.text_with(RUN, "Overloaded, ").await?;
    assert!(status.contains("(2 of 5)"), "{status}");
    assert_eq!(window.count("[data-testid=attention-badge]").await?, 0);
    window.text_with(REPLY, "At last.").await?;
    window.gone(RUN).await?;
    window.has(REPLY, 1).await?;
    window.has(SENT, 1).await?;
    let requests = scene.asked(3).await?;
    let waited = requests[2].after - requests[0].after;
    assert!(
        waited.as_millis() >= 1_500,
        "it waited in between: {waited:?}"
    );
    assert!(
        requests.iter().all(|it| it.bytes == requests[0].bytes),
        "the same request each time"
    );
    window.close().await
}

/// RUN-9, ATT-1: what is no use to try again fails at once, is said, and Retry is a click.
#[tokio::test]
async fn a_failed_run_shows_its_error_and_can_be_retried() -> Result<()> {
    let refused = Reply::error(400, &json!({"error": {"message": "No such parameter"}}));
    let scene = Scene::new(in_order([refused, Reply::text("Now it works.")]))?;
    let window = scene.open().await?;
    window.send_message("Hello").await?;
    let failed = "[data-testid=run-status][data-status=failed]";
    let said = window.text_with(failed, "").await?;
    assert!(said.trim_end_matches("Retry").trim().len() > 10, "{said}");
    assert_eq!(scene.model.count(), 1, "no use to try again");
    window.find("attention-badge").await?;
    window.kill().await?;

    let window = scene.open().await?;
    window
        .find_css("[data-testid=resume-row][data-kind=failed]")
        .await?;
    window.click("resume-row-open").await?;
    window.find_css(failed).await?;
    window.click("run-retry").await?;
    window.text_with(REPLY, "Now it works.").await?;
    window.gone(RUN).await?;
    window.has(SENT, 1).await?;
    scene.asked(2).await?;
    window.gone("[data-testid=attention-badge]").await?;
    window.close().await
}

/// RUN-8: the next try is stored: a crash while it waits loses neither the wait nor the run.
#[tokio::test]
async fn a_crash_between_two_tries_goes_on_trying() -> Result<()> {
    let busy = Reply::error(503, &json!({"error": {"message": "Too many at once"}}))
        .header("retry-after", "3");
    let scene = Scene::new(in_order([busy, Reply::text("At last.")]))?;
    let window = scene.open().await?;
    window.send_message("Hello").await?;
    window.text_with(RUN, "Overloaded, next try in").await?;
    window.kill().await?;
    let window = scene.open().await?;
    // By itself, or by a click: what the app offers is what a person takes.
    eventually("the run to be taken up", || async {
        if window.count("[data-testid=resume-row-resume]").await.ok()? > 0 {
            window.click("resume-row-resume").await.ok()?;
        }
        (scene.model.count() == 2).then_some(())
    })
    .await?;
    window.close().await
}

/// RUN-8: the wait is counted down, and whoever does not want to wait need not.
#[tokio::test]
async fn a_person_who_does_not_want_to_wait_tries_now() -> Result<()> {
    let busy = Reply::error(503, &json!({"error": {"message": "Too many at once"}}))
        .header("retry-after", "90");
    let scene = Scene::new(in_order([busy, Reply::text("At last.")]))?;
    let window = scene.open().await?;
    window.send_message("Hello").await?;
    let first = window.text_with(RUN, "Overloaded, next try in").await?;
    let later = eventually("the countdown to go on", || async {
        let now = window.texts(RUN).await.ok()?.into_iter().next()?;
        (now != first).then_some(now)
    })
    .await?;
    assert!(later.contains("next try in 8"), "{later}");
    window.click("run-try-now").await?;
    window.text_with(REPLY, "At last.").await?;
    window.gone(RUN).await?;
    scene.asked(2).await?;
    window.close().await
}

/// A reply that reached its length limit says so, and the rest is a click away.
#[tokio::test]
async fn a_reply_that_reached_its_limit_can_be_continued() -> Result<()> {
    let half = Reply::text("The first half").finish("length");
    let scene = Scene::new(in_order([half, Reply::text("and the second.")]))?;
    let window = scene.open().await?;
    window.send_message("Tell me").await?;
    window
        .text_with(REPLY, "Reached its length limit here")
        .await?;
    window.click("message-continue").await?;
    window.has(REPLY, 2).await?;
    window.gone("[data-testid=message-continue]").await?;
    let requests = scene.asked(2).await?;
    assert_eq!(requests[1].last_user_text(), "Continue where you stopped.");
    window.close().await
}
