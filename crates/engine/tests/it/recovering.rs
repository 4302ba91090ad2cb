//! Taking up what a dead process left.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engine::{Ids, RandomIds};
use protocol::{AttentionKind, ErrorClass, RunReason, RunStatus};
use uuid::Uuid;

use crate::fixture::Home;
use crate::follower::{Follower, streaming};
use crate::scripted::Eager;

// RUN-12, RUN-13, STO-3
#[tokio::test]
async fn a_run_of_a_dead_process_is_interrupted_with_what_was_committed() {
    let home = Home::new();
    let world = home.open();
    let (started, _call) = streaming(&world, "The tide tur").await;
    let dead = home.copy();
    let before = world.events(started.session_id).await;
    world.close().await;
    let world = dead.open();
    assert_eq!(world.recovered.interrupted, 1);
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Interrupted);
    assert_eq!(run.reason, Some(RunReason::AppEnded));
    assert_eq!(
        world.transcript(started.session_id).await,
        ["User Complete: Go", "Agent Partial: The tide tur"]
    );
    let after = world.events(started.session_id).await;
    assert_eq!(after[..before.len()], before);
    let kinds = world.kinds(started.session_id).await;
    assert_eq!(
        kinds[before.len()..],
        ["step_interrupted", "run_interrupted"]
    );
    assert!(!world.script.has_call().await, "nothing is resumed unasked");
    world.resume(started.run_id).await;
    let call = world.script.call().await;
    call.text("The tide turns.");
    call.finish();
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// RUN-12
#[tokio::test]
async fn recovering_twice_equals_recovering_once() {
    let home = Home::new();
    let world = home.open();
    let (started, _call) = streaming(&world, "Half").await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    assert_eq!(world.recovered.interrupted, 1);
    let once = world.events(started.session_id).await;
    // It dies again right after its recovery.
    let dead_again = dead.copy();
    world.close().await;
    for home in [dead_again, dead] {
        let world = home.open();
        assert_eq!(world.recovered.interrupted, 0);
        assert_eq!(world.events(started.session_id).await, once);
        world.close().await;
    }
}

// RUN-12
#[tokio::test]
async fn only_runs_that_were_going_are_taken_up() {
    let home = Home::new();
    let world = home.open();
    let mut going = Vec::new();
    for text in ["One", "Two", "Three"] {
        going.push(streaming(&world, text).await);
    }
    let (stopped, _stopped_call) = streaming(&world, "Half").await;
    world.stop(stopped.run_id).await;
    let (completed, call) = streaming(&world, "Whole").await;
    call.finish();
    let mut follower = Follower::new(&world, completed.session_id, 0);
    follower.until_event("run_completed").await;
    let silent = world.start("Go").await;
    let _silent_call = world.script.call().await;
    let quiet = world.create().await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    assert_eq!(world.recovered.interrupted, 4);
    for (started, _) in &going {
        let session = world.snapshot(started.session_id).await;
        assert_eq!(session.messages.len(), 2);
        let attention = session.session.attention.unwrap();
        assert_eq!(attention.kind, AttentionKind::Interrupted);
        assert_eq!(attention.run_id, started.run_id);
    }
    assert_eq!(world.run(stopped.run_id).await.status, RunStatus::Stopped);
    assert_eq!(
        world.run(completed.run_id).await.status,
        RunStatus::Completed
    );
    assert_eq!(
        world.transcript(silent.session_id).await,
        ["User Complete: Go"]
    );
    assert_eq!(world.kinds(quiet).await, ["session_created"]);
    world.close().await;
}

/// Gives out an id that is taken, twice, then good ones.
#[derive(Debug)]
struct TakenIds {
    taken: Uuid,
    calls: AtomicU32,
    good: RandomIds,
}

impl Ids for TakenIds {
    fn next(&self, now_ms: u64) -> Uuid {
        // The first sweep takes two ids, the second sweep two more: its first is taken again.
        match self.calls.fetch_add(1, Ordering::SeqCst) {
            0 | 2 => self.taken,
            _ => self.good.next(now_ms),
        }
    }
}

// RUN-12
#[tokio::test]
async fn a_session_that_cannot_be_taken_up_does_not_keep_the_others_from_it() {
    let home = Home::new();
    let world = home.open();
    let (first, _first_call) = streaming(&world, "One").await;
    let (second, _second_call) = streaming(&world, "Two").await;
    let dead = home.copy();
    world.close().await;
    let ids = Arc::new(TakenIds {
        taken: first.message_id.uuid(),
        calls: AtomicU32::new(0),
        good: RandomIds::default(),
    });
    let world = dead.open_ids(ids);
    assert_eq!(world.recovered.interrupted, 1);
    assert_eq!(world.run(first.run_id).await.status, RunStatus::Running);
    assert_eq!(
        world.run(second.run_id).await.status,
        RunStatus::Interrupted
    );
    // And the one that was left can still be stopped.
    assert_eq!(world.stop(first.run_id).await, RunStatus::Stopped);
    world.close().await;
}

// RUN-4
#[tokio::test]
async fn a_process_that_dies_at_any_moment_leaves_what_was_shown() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let mut follower = Follower::new(&world, started.session_id, 0);
    let mut said = String::new();
    for number in 0..12 {
        let piece = format!("word {number} ");
        call.text(&piece);
        said.push_str(&piece);
        follower.until_text(&said).await;
        let copy = home.copy();
        let dead = copy.open();
        assert_eq!(
            dead.transcript(started.session_id).await,
            [
                "User Complete: Go".to_owned(),
                format!("Agent Partial: {said}")
            ]
        );
        dead.close().await;
    }
    world.close().await;
}

// RUN-6
#[tokio::test]
async fn a_run_whose_model_is_gone_fails_when_it_is_resumed_and_says_why() {
    let home = Home::new();
    let world = home.open();
    let (started, _call) = streaming(&world, "Half").await;
    world.close().await;
    let other = Eager::echo();
    let world = home.open_model(other.clone());
    world.resume(started.run_id).await;
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Failed);
    let error = run.error.unwrap();
    assert_eq!(error.class, ErrorClass::InvalidRequest);
    assert!(error.message.contains("script"), "{}", error.message);
    assert!(
        other.asked.lock().unwrap().is_empty(),
        "no other model is asked instead"
    );
    let next = world.send(started.session_id, "Again").await;
    world.idle().await;
    assert_eq!(world.run(next.run_id).await.status, RunStatus::Completed);
    world.close().await;
}
