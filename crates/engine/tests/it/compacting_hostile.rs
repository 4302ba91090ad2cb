//! RUN-22: models that are asked for a summary and do something else.

use protocol::{BlockKind, ErrorClass, RunStatus};
use serde_json::json;

use crate::acting::{asks, finished_with};
use crate::compacting::{SUMMARY, TOO_MUCH};
use crate::fixture::Home;
use crate::scripted::{Call, block, failed};

/// What is no summary costs one call, and the session goes on as long as it can.
#[tokio::test]
async fn what_is_no_summary_is_left_out() {
    let replies: [fn(&Call); 5] = [
        |call| call.answer_for(" \n", 5),
        |call| call.answer_for(&"So much to say. ".repeat(100), 5),
        |call| {
            call.say(asks("x", "prints", &json!({"bytes": 3, "unit": "x"})));
            call.say(finished_with(5, 7));
        },
        |call| {
            call.say(block(0, BlockKind::Reasoning, "Hm, a summary?"));
            call.say(finished_with(5, 7));
        },
        |call| call.answer_for(&"endless ".repeat(100_000), 5),
    ];
    for reply in replies {
        let home = Home::new();
        let world = home.open();
        let session_id = world.full().await;
        let sent = world.say(session_id, "Two").await;
        let compaction = world.script.call().await;
        assert!(compaction.is_compaction());
        reply(&compaction);
        let call = world.script.call().await;
        assert_eq!(call.told().len(), 3, "told as it is");
        call.answer_for("2", 60);
        world.until_run(session_id, RunStatus::Completed).await;
        let snapshot = world.snapshot(session_id).await;
        assert!(snapshot.summaries.is_empty());
        assert!(snapshot.calls.is_empty(), "no call of it is looked at");
        assert_eq!(snapshot.messages.len(), 4);
        assert_eq!(world.run(sent.run_id()).await.usage.calls, 2);
        world.close().await;
    }
}

/// The record itself is too long: half of it, a quarter, and then a clear end.
#[tokio::test]
async fn a_record_that_does_not_fit_is_halved() {
    let home = Home::new();
    let world = home.open();
    world.script.set_window(0);
    let one = world.start(&"All about the tides. ".repeat(2_000)).await;
    world.script.call().await.answer_for("1", 10);
    world.until_run(one.session_id, RunStatus::Completed).await;
    let sent = world.say(one.session_id, "Two").await;
    let refuse = |call: &Call| call.say(failed(ErrorClass::ContextLength, "Too long."));
    refuse(&world.script.call().await);
    let mut lengths = Vec::new();
    for _ in 0..3 {
        let compaction = world.script.call().await;
        assert!(compaction.is_compaction());
        lengths.push(compaction.first().len());
        refuse(&compaction);
    }
    assert!(
        lengths[1] <= lengths[0] / 2 + 200 && lengths[2] <= lengths[1] / 2 + 200,
        "{lengths:?}"
    );
    world.until_run(one.session_id, RunStatus::Failed).await;
    let error = world.run(sent.run_id()).await.error.expect("why");
    assert!(error.message.contains("larger window"), "{error:?}");
    assert!(!world.script.has_call().await);
    world.close().await;
}

/// One message that is too long for its model: there is nothing to summarise.
#[tokio::test]
async fn with_nothing_older_it_fails_at_once_and_says_what_to_do() {
    let home = Home::new();
    let world = home.open();
    world.script.set_window(1_000);
    let one = world.start(&"All about the tides. ".repeat(2_000)).await;
    let call = world.script.call().await;
    assert!(!call.is_compaction());
    call.say(failed(ErrorClass::ContextLength, "Too long."));
    world.until_run(one.session_id, RunStatus::Failed).await;
    let error = world.run(one.run_id).await.error.expect("why");
    assert_eq!(error.class, ErrorClass::ContextLength);
    assert!(
        error.message.contains("go on in a new session"),
        "{error:?}"
    );
    assert!(!world.script.has_call().await);
    world.close().await;
}

/// RUN-8: overload and lost connections are waited for, as with every model call.
#[tokio::test]
async fn a_passing_error_is_tried_again() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.full().await;
    world.say(session_id, "Two").await;
    world
        .script
        .call()
        .await
        .say(failed(ErrorClass::Overloaded, "Busy."));
    world
        .until(session_id, |snapshot| {
            snapshot
                .session
                .run
                .as_ref()
                .is_some_and(|run| run.retry.is_some())
        })
        .await;
    world.clock.advance(60_000);
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    compaction.answer_for(SUMMARY, 50);
    let call = world.script.call().await;
    world.clock.advance(1);
    call.answer_for("2", TOO_MUCH);
    world.until_run(session_id, RunStatus::Completed).await;
    // It is too much again: what is summarised now goes on from the summary.
    world.clock.advance(1);
    world.say(session_id, "Three").await;
    let compaction = world.script.call().await;
    assert!(compaction.is_compaction());
    assert!(compaction.first().contains(SUMMARY));
    compaction.answer_for("It was one and two.", 50);
    let call = world.script.call().await;
    assert!(
        call.first()
            .ends_with("It was one and two.\n\n[End of the summary.]\n\nThree")
    );
    call.answer_for("3", 60);
    world.until_run(session_id, RunStatus::Completed).await;
    assert_eq!(world.snapshot(session_id).await.summaries.len(), 2);
    world.close().await;
}
