//! Events with tool calls, live and again.

use protocol::{Command, ErrorCode, RunLimits, RunStatus};
use serde_json::json;

use crate::acting::{asks, failed, finished, started, text};
use crate::fixture::{Home, World};
use crate::follower::Follower;

/// What happens to a run, without the beginning that a resume has no need of.
fn lifecycle(kinds: &[String]) -> Vec<&str> {
    let start = |kind: &&String| *kind == "step_started";
    let first = kinds.iter().position(|kind| start(&kind)).unwrap();
    kinds[first..].iter().map(String::as_str).collect()
}

async fn through(world: &World) {
    world.script.call().await.ask_for("prints", &json!({}));
    world.script.call().await.answer("Done.");
}

// STR-10
#[tokio::test]
async fn fresh_resumed_and_retried_runs_tell_the_same_story() {
    let home = Home::new();
    let world = home.open();
    let fresh = world.start("Go").await;
    through(&world).await;
    world
        .until_run(fresh.session_id, RunStatus::Completed)
        .await;
    let fresh = world.kinds(fresh.session_id).await;
    let resumed = world.start("Go").await;
    let _call = world.script.call().await;
    world.stop(resumed.run_id).await;
    let before = world.kinds(resumed.session_id).await.len();
    world.resume(resumed.run_id).await;
    through(&world).await;
    world
        .until_run(resumed.session_id, RunStatus::Completed)
        .await;
    let resumed = world.kinds(resumed.session_id).await;
    let retried = world.start("Go").await;
    let call = world.script.call().await;
    call.say(failed(protocol::ErrorClass::Auth, "No."));
    world.until_run(retried.session_id, RunStatus::Failed).await;
    let failed_at = world.kinds(retried.session_id).await.len();
    let command = Command::RetryRun {
        run_id: retried.run_id,
        request_key: None,
    };
    started(world.done(command).await);
    through(&world).await;
    world
        .until_run(retried.session_id, RunStatus::Completed)
        .await;
    let retried = world.kinds(retried.session_id).await;
    assert_eq!(lifecycle(&fresh), lifecycle(&resumed[before..]));
    assert_eq!(lifecycle(&fresh), lifecycle(&retried[failed_at..]));
    assert_eq!(resumed[before], "run_resumed");
    assert_eq!(retried[failed_at], "run_started");
    world.close().await;
}

// STR-1, STR-3, STR-6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_events_with_calls_replay_without_a_gap_under_a_writer() {
    let home = Home::new();
    let world = home.open();
    let limits = RunLimits {
        steps: Some(10_000),
        ..RunLimits::default()
    };
    let agent_id = world.agent("Tireless", limits).await;
    let one = world.start_with(agent_id, "Go").await;
    let session_id = one.session_id;
    let writer = tokio::spawn({
        let world = world.clone();
        async move {
            // Every message takes the place of as many questions as a reply can have.
            for round in 0..30 {
                let call = world.script.call().await;
                call.say(text("Again?"));
                for n in 0..64 {
                    let arguments = json!({"ask": true});
                    call.say(asks(&format!("{round}-{n}"), "prints", &arguments));
                }
                call.say(finished());
                while world.status(one.run_id()).await != RunStatus::Waiting {
                    tokio::task::yield_now().await;
                }
                world.say(session_id, "No, again.").await;
            }
            world.script.call().await.answer("Done.");
        }
    });
    let mut live = Follower::new(&world, session_id, 0);
    live.until_event("run_completed").await;
    writer.await.unwrap();
    assert!(live.events.len() >= 2_000, "{}", live.events.len());
    let mut again = Follower::new(&world, session_id, 0);
    again.until_event("run_completed").await;
    assert_eq!(live.events, again.events, "live and replayed are the same");
    let middle = live.events.len() as u64 / 2;
    let mut rest = Follower::new(&world, session_id, middle);
    rest.until_event("run_completed").await;
    assert_eq!(rest.events, live.events[usize::try_from(middle).unwrap()..]);
    world.close().await;
}

// STR-3
#[tokio::test]
async fn a_cursor_that_cannot_be_is_refused_and_the_stream_stays_usable() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let _call = world.script.call().await;
    let head = world.snapshot(one.session_id).await.seq;
    let subscribe = |cursor: &str| {
        let session_id = one.session_id;
        let said = format!(
            r#"{{"type": "subscribe", "session_id": "{session_id}", "after_seq": {cursor}}}"#
        );
        let command = Command::from_json(&said)?;
        let Command::Subscribe {
            session_id,
            after_seq,
        } = command
        else {
            panic!("{command:?}");
        };
        world.engine.subscribe(session_id, after_seq).map(drop)
    };
    for (cursor, code) in [
        ("-1", ErrorCode::InvalidCommand),
        ("1.5", ErrorCode::InvalidCommand),
        ("\"abc\"", ErrorCode::InvalidCommand),
        ("null", ErrorCode::InvalidCommand),
        ("9223372036854775807", ErrorCode::InvalidValue),
        ("9007199254740991", ErrorCode::InvalidCursor),
        (&(head + 1).to_string(), ErrorCode::InvalidCursor),
    ] {
        assert_eq!(subscribe(cursor).unwrap_err().code, code, "{cursor}");
    }
    assert!(subscribe("0").is_ok());
    assert!(subscribe(&head.to_string()).is_ok());
    assert_eq!(
        world.snapshot(one.session_id).await.seq,
        head,
        "nothing was started"
    );
    world.close().await;
}

// STR-4
#[tokio::test]
async fn a_cursor_below_what_is_kept_is_told_so_and_a_snapshot_goes_on() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    through(&world).await;
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.close().await;
    let database = home.path().join("holdfast.db");
    testkit::raw::break_rows(&database, "DELETE FROM events WHERE seq <= 3").unwrap();
    let world = home.open();
    for after_seq in [0, 1, 2] {
        let error = world
            .engine
            .subscribe(one.session_id, after_seq)
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::Truncated, "{after_seq}");
    }
    let seq = world.snapshot(one.session_id).await.seq;
    for after_seq in [3, seq] {
        let mut follower = world.engine.subscribe(one.session_id, after_seq).unwrap();
        let new = follower.take_new().await.unwrap();
        assert_eq!(new.len() as u64, seq - after_seq, "{after_seq}");
    }
    world.close().await;
}
