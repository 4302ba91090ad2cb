//! Model calls that fail: tried again by themselves, or not.

use protocol::{AttentionKind, Command, ErrorClass, ErrorCode, Event, RunError, RunStatus};
use serde_json::json;

use crate::acting::{failed, failed_for, open_at, started};
use crate::fixture::{Home, World, soon};
use crate::follower::Follower;

const NOW: u64 = 1_000_000;

/// When the next try of a run is made.
async fn next_try(world: &World, run_id: protocol::RunId) -> u64 {
    world.run(run_id).await.retry.unwrap().at_ms
}

// RUN-9
#[tokio::test]
async fn only_transient_errors_are_tried_again() {
    let transient = [
        ErrorClass::RateLimit,
        ErrorClass::Overloaded,
        ErrorClass::Network,
        ErrorClass::Timeout,
    ];
    let home = Home::new();
    let world = home.open();
    for class in ErrorClass::ALL {
        let one = world.start(class.as_str()).await;
        let call = world.script.call().await;
        call.text("Half");
        call.say(failed(class, "No."));
        world.idle().await;
        let run = world.run(one.run_id).await;
        // What is too long comes with what to do about it.
        let message = match class {
            ErrorClass::ContextLength => run.error.as_ref().unwrap().message.clone(),
            _ => "No.".to_owned(),
        };
        assert!(message.starts_with("No."));
        let error = RunError { class, message };
        if transient.contains(&class) {
            assert_eq!(run.status, RunStatus::Running, "{class:?}");
            let retry = run.retry.unwrap();
            assert_eq!((retry.error, retry.failed, retry.of), (error, 1, 5));
            assert_eq!(world.attention(one.session_id).await, None, "{class:?}");
        } else {
            assert_eq!(run.status, RunStatus::Failed, "{class:?}");
            assert_eq!(run.error, Some(error));
            assert_eq!(run.retry, None);
            let attention = world.attention(one.session_id).await.unwrap();
            assert_eq!(attention.kind, AttentionKind::Failed);
        }
        let kept = world.transcript(one.session_id).await;
        assert_eq!(kept[1], "Agent Partial: Half", "{class:?}");
    }
    assert_eq!(world.needing().await.len(), 15 - transient.len());
    world.close().await;
}

// RUN-8, RUN-15, RUN-20
#[tokio::test]
async fn tries_come_later_and_later_never_early_and_end() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let mut now = NOW;
    let mut requests = Vec::new();
    for failed_tries in 1..5_u32 {
        let call = world.script.call().await;
        requests.push(call.request.clone());
        call.say(failed(ErrorClass::Overloaded, "Busy."));
        world.idle().await;
        let run = world.run(one.run_id).await;
        let retry = run.retry.unwrap();
        assert_eq!(retry.failed, failed_tries);
        let base = 1_000 << (failed_tries - 1);
        let wait = retry.at_ms - now;
        assert!((base / 2..=base).contains(&wait), "{wait} of {base}");
        world.clock.advance(wait - 1);
        world.settle().await;
        assert!(!world.script.has_call().await, "a millisecond early");
        assert_eq!(world.needing().await, []);
        world.clock.advance(1);
        now += wait;
    }
    let call = world.script.call().await;
    requests.push(call.request.clone());
    call.say(failed(ErrorClass::Overloaded, "Busy."));
    world.until_run(one.session_id, RunStatus::Failed).await;
    assert!(requests.windows(2).all(|pair| pair[0] == pair[1]));
    let run = world.run(one.run_id).await;
    assert_eq!(run.error.unwrap().class, ErrorClass::Overloaded);
    assert_eq!(world.needing().await, [one.session_id]);
    world.clock.advance(3_600_000);
    world.settle().await;
    assert!(!world.script.has_call().await);
    let kinds = world.kinds(one.session_id).await;
    let count = |kind: &str| kinds.iter().filter(|k| *k == kind).count();
    assert_eq!((count("step_failed"), count("retry_scheduled")), (5, 4));
    assert_eq!(count("run_failed"), 1);
    let steps = "SELECT attempt, status, error_class FROM attempts ORDER BY attempt";
    world.close().await;
    let rows = testkit::raw::look(&home.path().join("holdfast.db"), steps).unwrap();
    let expected: Vec<Vec<String>> = (1..=5)
        .map(|n: u32| vec![n.to_string(), "failed".into(), "overloaded".into()])
        .collect();
    assert_eq!(rows, expected, "every attempt is a row of its own");
}

// RUN-8
#[tokio::test]
async fn a_provider_that_says_when_is_not_asked_earlier() {
    let home = Home::new();
    let world = home.open();
    for (asked, at_least, at_most) in [
        (30_000, 30_000, 30_000),
        (1, 500, 1_000),
        (u64::MAX, 3_600_000, 3_600_000),
    ] {
        let one = world.start("Go").await;
        let call = world.script.call().await;
        call.say(failed_for(ErrorClass::RateLimit, asked));
        world.idle().await;
        let wait = next_try(&world, one.run_id).await - NOW;
        assert!((at_least..=at_most).contains(&wait), "{asked}: {wait}");
        world.cancel(one.run_id).await;
    }
    world.close().await;
}

// RUN-8, RUN-12
#[tokio::test]
async fn a_try_that_is_waited_for_survives_the_end_of_the_app() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let call = world.script.call().await;
    call.text("Half");
    call.say(failed_for(ErrorClass::RateLimit, 30_000));
    world.idle().await;
    let before = world.run(one.run_id).await;
    let (dead, late) = (home.copy(), home.copy());
    world.close().await;
    for home in [dead, home] {
        // Ten seconds later: the remaining time is waited for, no more and no less.
        let (world, clock) = open_at(&home, NOW + 10_000);
        assert_eq!(world.recovered.interrupted, 0);
        world.settle().await;
        assert_eq!(world.run(one.run_id).await, before);
        assert_eq!(world.needing().await, []);
        clock.set(NOW + 29_999);
        world.settle().await;
        assert!(!world.script.has_call().await);
        clock.set(NOW + 30_000);
        world.script.call().await.answer("Done.");
        world.idle().await;
        assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
        world.close().await;
    }
    // An hour later: it is made at once.
    let (world, _clock) = open_at(&late, NOW + 3_600_000);
    world.script.call().await.answer("Done.");
    world.idle().await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
    world.close().await;
}

// RUN-8
#[tokio::test]
async fn only_a_completed_step_makes_the_count_begin_anew() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    for failed_tries in 1..=2 {
        let call = world.script.call().await;
        call.text("Partial text does not count.");
        call.say(failed(ErrorClass::Network, "Lost."));
        world.idle().await;
        let run = world.run(one.run_id).await;
        assert_eq!(run.retry.unwrap().failed, failed_tries);
        world.clock.advance(60_000);
    }
    // Neither does a stop and a resume.
    let _call = world.script.call().await;
    world.stop(one.run_id).await;
    world.resume(one.run_id).await;
    let call = world.script.call().await;
    call.say(failed(ErrorClass::Network, "Lost."));
    world.idle().await;
    assert_eq!(world.run(one.run_id).await.retry.unwrap().failed, 3);
    world.clock.advance(60_000);
    world.script.call().await.ask_for("prints", &json!({}));
    let call = world.script.call().await;
    call.say(failed(ErrorClass::Network, "Lost."));
    world.idle().await;
    assert_eq!(world.run(one.run_id).await.retry.unwrap().failed, 1);
    world.close().await;
}

// RUN-8, STP-1
#[tokio::test]
async fn a_stop_ends_the_waiting_and_a_resume_tries_at_once() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let call = world.script.call().await;
    call.say(failed_for(ErrorClass::Overloaded, 60_000));
    world.idle().await;
    assert_eq!(world.stop(one.run_id).await, RunStatus::Stopped);
    world.clock.advance(120_000);
    world.settle().await;
    assert!(!world.script.has_call().await);
    assert_eq!(world.run(one.run_id).await.retry, None);
    world.resume(one.run_id).await;
    world.script.call().await.answer("Done.");
    world.idle().await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
    world.close().await;
}

// RUN-15, STR-10
#[tokio::test]
async fn a_retried_run_names_its_predecessor_and_goes_on_after_what_was_done() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let session_id = one.session_id;
    world
        .script
        .call()
        .await
        .ask_for("ledger_append", &json!({"class": "once"}));
    let call = world.script.call().await;
    call.say(failed(ErrorClass::Auth, "No key."));
    world.until_run(session_id, RunStatus::Failed).await;
    let again = |key: &str| Command::RetryRun {
        run_id: one.run_id,
        request_key: Some(key.to_owned()),
    };
    let (a, b) = tokio::join!(world.done(again("k")), world.done(again("k")));
    let two = started(a);
    assert_eq!(started(b), two);
    assert_eq!(two.message_id, one.message_id);
    let call = world.script.call().await;
    assert_eq!(call.told().len(), 3, "with the result, and no new message");
    call.answer("Done.");
    world.idle().await;
    assert_eq!(world.run(two.run_id).await.retry_of, Some(one.run_id));
    let ledger = testkit::Ledger::new(home.ledger());
    assert_eq!(ledger.entries().unwrap().len(), 1, "it was not done again");
    // It has moved on: the old one cannot be tried again.
    let before = world.events(session_id).await;
    let late = world.refusal(again("other")).await;
    assert_eq!(late.code, ErrorCode::NotActionable);
    let over = Command::RetryRun {
        run_id: two.run_id,
        request_key: None,
    };
    assert_eq!(world.code(over).await, ErrorCode::NotActionable);
    assert_eq!(world.events(session_id).await, before);
    let mut started = before.iter().filter_map(|envelope| match envelope.event {
        Event::RunStarted { retry_of, .. } => Some(retry_of),
        _ => None,
    });
    assert_eq!(started.next(), Some(None));
    assert_eq!(started.next(), Some(Some(one.run_id)));
    world.close().await;
}

// RUN-8: a clock that goes back makes nothing early, and nothing hangs for ever.
#[tokio::test]
async fn a_clock_that_goes_back_breaks_nothing() {
    let home = Home::new();
    let (world, clock) = open_at(&home, 50_000_000);
    let one = world.start("Go").await;
    let session_id = one.session_id;
    let mut follower = Follower::new(&world, session_id, 0);
    let call = world.script.call().await;
    call.text("Half");
    follower.until_text("Half").await;
    clock.set(1_000);
    call.say(failed(ErrorClass::Network, "Lost."));
    world.idle().await;
    let at_ms = next_try(&world, one.run_id).await;
    assert!((1_500..=2_000).contains(&at_ms), "{at_ms}");
    clock.set(at_ms);
    let call = world.script.call().await;
    call.ask_for("prints", &json!({}));
    let call = world.script.call().await;
    clock.set(1);
    call.answer("Done.");
    world.idle().await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
    follower.until_event("run_completed").await;
    let two = world.say(session_id, "More").await;
    let _call = world.script.call().await;
    let dead = home.copy();
    world.close().await;
    let (world, _clock) = open_at(&dead, 5);
    assert_eq!(world.recovered.interrupted, 1);
    assert_eq!(world.recovered.violations, 0);
    world.resume(two.run_id()).await;
    world.script.call().await.answer("More.");
    world.idle().await;
    assert_eq!(world.transcript(session_id).await.len(), 6);
    soon(world.engine.close()).await.unwrap();
}
