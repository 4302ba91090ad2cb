//! How runs end, whatever the model does.

use protocol::{BlockKind, ErrorClass, RunStatus, Usage};

use crate::fixture::{Home, Started, World, kind};
use crate::follower::Follower;
use crate::scripted::{Call, block, failed, text};

const ENDS: [&str; 3] = ["run_completed", "run_failed", "run_cancelled"];

/// Runs one answer to its end.
async fn answered(world: &World, answer: impl FnOnce(Call)) -> Started {
    let started = world.start("Go").await;
    answer(world.script.call().await);
    world.idle().await;
    started
}

async fn ends(world: &World, started: Started) -> Vec<String> {
    let kinds = world.kinds(started.session_id).await;
    kinds
        .into_iter()
        .filter(|kind| ENDS.contains(&kind.as_str()))
        .collect()
}

// RUN-7, RUN-17, STR-7
#[tokio::test]
async fn whatever_the_model_does_the_run_ends_once_and_the_session_stays_usable() {
    type Answer = fn(Call);
    let cases: [(&str, Answer, ErrorClass, &str); 5] = [
        (
            "an error",
            |call| {
                call.text("Half");
                call.say(failed(ErrorClass::InvalidRequest, "Too long."));
            },
            ErrorClass::InvalidRequest,
            "Half",
        ),
        (
            "a whole reply without a word",
            |call| call.finish(),
            ErrorClass::Internal,
            "",
        ),
        (
            "a panic before anything",
            |call| call.panic(),
            ErrorClass::Internal,
            "",
        ),
        (
            "a block out of order",
            |call| {
                call.text("Half");
                call.say(block(2, BlockKind::Text, "late"));
            },
            ErrorClass::Internal,
            "Half",
        ),
        (
            "a block that changes its kind",
            |call| {
                call.text("Half");
                call.say(block(0, BlockKind::Reasoning, "hm"));
            },
            ErrorClass::Internal,
            "Half",
        ),
    ];
    let home = Home::new();
    let world = home.open();
    for (what, answer, class, kept) in cases {
        let started = answered(&world, answer).await;
        let run = world.run(started.run_id).await;
        assert_eq!(run.status, RunStatus::Failed, "{what}");
        assert_eq!(run.error.unwrap().class, class, "{what}");
        assert_eq!(ends(&world, started).await, ["run_failed"], "{what}");
        let mut expected = vec!["User Complete: Go".to_owned()];
        if !kept.is_empty() {
            expected.push(format!("Agent Partial: {kept}"));
        }
        assert_eq!(
            world.transcript(started.session_id).await,
            expected,
            "{what}"
        );
        let next = world.send(started.session_id, "Again").await;
        world.script.call().await.answer("Here.");
        world.idle().await;
        assert_eq!(world.run(next.run_id).await.status, RunStatus::Completed);
    }
    assert_eq!(world.engine.held(), engine::Held::default());
    world.close().await;
}

// RUN-8, RUN-7
#[tokio::test]
async fn what_is_transient_is_tried_again_and_given_up_once() {
    type Answer = fn(Call);
    let cases: [(&str, Answer, ErrorClass, &str); 3] = [
        (
            "an error",
            |call| {
                call.text("Half");
                call.say(failed(ErrorClass::Overloaded, "Too busy."));
            },
            ErrorClass::Overloaded,
            "Half",
        ),
        (
            "an end without a word of it",
            |call| call.text("Half"),
            ErrorClass::Network,
            "Half",
        ),
        ("nothing at all", |call| drop(call), ErrorClass::Network, ""),
    ];
    let home = Home::new();
    let world = home.open();
    for (what, answer, class, kept) in cases {
        let started = answered(&world, answer).await;
        for failed in 1..5 {
            let run = world.run(started.run_id).await;
            assert_eq!(run.status, RunStatus::Running, "{what}");
            let retry = run.retry.unwrap();
            assert_eq!((retry.failed, retry.of), (failed, 5), "{what}");
            assert_eq!(retry.error.class, class, "{what}");
            assert_eq!(
                world.engine.held(),
                engine::Held::default(),
                "it only waits"
            );
            assert!(!world.script.has_call().await);
            world.clock.advance(60_000);
            answer(world.script.call().await);
            world.idle().await;
        }
        let run = world.run(started.run_id).await;
        assert_eq!(run.status, RunStatus::Failed, "{what}");
        assert_eq!(run.error.unwrap().class, class, "{what}");
        assert_eq!(ends(&world, started).await, ["run_failed"], "{what}");
        let mut expected = vec!["User Complete: Go".to_owned()];
        if !kept.is_empty() {
            expected.extend(vec![format!("Agent Partial: {kept}"); 5]);
        }
        assert_eq!(
            world.transcript(started.session_id).await,
            expected,
            "{what}"
        );
    }
    world.close().await;
}

// RUN-17
#[tokio::test]
async fn a_panic_in_the_middle_keeps_what_was_committed() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    call.text("Half");
    let mut follower = Follower::new(&world, started.session_id, 0);
    follower.until_text("Half").await;
    call.panic();
    follower.until_event("run_failed").await;
    assert_eq!(follower.message().text(), "Half");
    world.close().await;
}

// RUN-7
#[tokio::test]
async fn a_cancelled_run_ends_once_from_wherever_it_stood() {
    let home = Home::new();
    let world = home.open();
    for is_stopped_first in [false, true] {
        let started = world.start("Go").await;
        let call = world.script.call().await;
        if is_stopped_first {
            assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
        }
        assert_eq!(world.cancel(started.run_id).await, RunStatus::Cancelled);
        assert_eq!(world.cancel(started.run_id).await, RunStatus::Cancelled);
        call.dropped().await;
        world.idle().await;
        assert_eq!(ends(&world, started).await, ["run_cancelled"]);
    }
    world.close().await;
}

#[tokio::test]
async fn reasoning_and_text_are_kept_in_their_blocks() {
    let home = Home::new();
    let world = home.open();
    let started = answered(&world, |call| {
        call.say(block(0, BlockKind::Reasoning, "Let me "));
        call.say(block(0, BlockKind::Reasoning, "think."));
        call.say(Ok(engine::ModelEvent::BlockEnded));
        call.say(block(1, BlockKind::Text, "High water "));
        call.say(block(0, BlockKind::Reasoning, " More."));
        call.say(block(1, BlockKind::Text, "at noon."));
        call.say(block(1, BlockKind::Text, ""));
        call.finish();
    })
    .await;
    let snapshot = world.snapshot(started.session_id).await;
    let blocks = &snapshot.messages[1].blocks;
    assert_eq!(blocks.len(), 2);
    assert_eq!(blocks[0].kind, BlockKind::Reasoning);
    assert_eq!(blocks[0].text, "Let me think. More.");
    assert_eq!(blocks[1].text, "High water at noon.");
    assert!(snapshot.live.is_none());
    world.close().await;
}

// RUN-21
#[tokio::test]
async fn usage_is_kept_as_it_was_said_and_what_cannot_be_is_unknown() {
    let home = Home::new();
    let world = home.open();
    let usage = |input_tokens, output_tokens| Usage {
        input_tokens,
        output_tokens,
        ..Usage::default()
    };
    for (said, kept) in [
        (usage(Some(12), None), usage(Some(12), None)),
        (usage(Some(0), Some(u64::MAX)), usage(Some(0), None)),
    ] {
        let started = answered(&world, move |call| {
            call.text("Whole");
            call.say(Ok(engine::ModelEvent::finished(said)));
        })
        .await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        let events = world.events(started.session_id).await;
        let found = events
            .into_iter()
            .find_map(|envelope| match envelope.event {
                protocol::Event::StepCompleted { usage, .. } => Some(usage),
                _ => None,
            });
        assert_eq!(found, Some(kept));
    }
    world.close().await;
}

// STO-5
#[tokio::test]
async fn an_outcome_that_cannot_be_written_fails_the_step() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    call.text("Half");
    let mut follower = Follower::new(&world, started.session_id, 0);
    follower.until_text("Half").await;
    // The id of the message, then the time of its rows.
    world.clock.be_wrong(2);
    call.finish();
    follower.until_event("run_failed").await;
    assert_eq!(follower.message().text(), "Half");
    let run = world.run(started.run_id).await;
    assert_eq!(run.error.unwrap().class, ErrorClass::Internal);
    world.close().await;
}

// RUN-16
#[tokio::test(start_paused = true)]
async fn a_model_that_falls_silent_is_tried_again_after_a_while() {
    let home = Home::new();
    let world = home.open();
    let command = protocol::Command::StartRun {
        session_id: None,
        text: "Go".to_owned(),
        request_key: None,
    };
    // No deadlines of the test's own: time stands still until nobody has anything to do.
    let reply = world.engine.execute(command).await.unwrap();
    let protocol::Reply::RunStarted {
        session_id, run_id, ..
    } = reply
    else {
        panic!("{reply:?}");
    };
    let mut subscription = world.engine.subscribe(session_id, 0).unwrap();
    let mut kinds: Vec<String> = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "retry_scheduled") {
        for push in subscription.next().await.unwrap() {
            if let protocol::Push::Event(envelope) = push {
                kinds.push(kind(&envelope));
            }
        }
    }
    let run = world.run(run_id).await;
    assert_eq!(run.status, RunStatus::Running);
    assert_eq!(run.retry.unwrap().error.class, ErrorClass::Timeout);
    world.engine.close().await.unwrap();
}

// STR-10
#[tokio::test]
async fn fresh_and_resumed_runs_tell_the_same_story() {
    let home = Home::new();
    let world = home.open();
    let fresh = answered(&world, |call| {
        call.text("Whole");
        call.finish();
    })
    .await;
    let kinds = world.kinds(fresh.session_id).await;
    assert_eq!(
        kinds,
        [
            "session_created",
            "message_added",
            "run_started",
            "step_started",
            "step_completed",
            "run_completed",
        ]
    );
    let resumed = world.start("Go").await;
    let _first = world.script.call().await;
    world.stop(resumed.run_id).await;
    world.resume(resumed.run_id).await;
    let call = world.script.call().await;
    call.say(text("Whole"));
    call.finish();
    world.idle().await;
    let again = world.kinds(resumed.session_id).await;
    let at = again.iter().position(|kind| kind == "run_resumed").unwrap();
    assert_eq!(again[..4], kinds[..4]);
    assert_eq!(again[4..at], ["step_interrupted", "run_stopped"]);
    assert_eq!(again[at + 1..], kinds[3..]);
    world.close().await;
}
