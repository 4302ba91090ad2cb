//! Stop, resume, cancel.

use protocol::{Command, ErrorCode, RunReason, RunStatus};

use crate::fixture::Home;
use crate::follower::streaming;

// STP-1
#[tokio::test]
async fn a_stop_belongs_to_its_run_and_never_stops_the_next() {
    let home = Home::new();
    let world = home.open();
    let first = world.start("First").await;
    world.script.call().await.answer("Here.");
    world.idle().await;
    let second = world.send(first.session_id, "Second").await;
    let call = world.script.call().await;
    let before = world.events(first.session_id).await;
    assert_eq!(world.stop(first.run_id).await, RunStatus::Completed);
    assert_eq!(world.events(first.session_id).await, before);
    assert_eq!(world.run(second.run_id).await.status, RunStatus::Running);
    call.answer("Here.");
    world.idle().await;
    assert_eq!(world.run(second.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// STP-1, STP-2
#[tokio::test]
async fn a_stop_keeps_the_partial_reply_and_is_there_after_a_restart() {
    let home = Home::new();
    let world = home.open();
    let (started, call) = streaming(&world, "The tide tur").await;
    assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
    call.dropped().await;
    call.text("ns.");
    world.idle().await;
    let expected = ["User Complete: Go", "Agent Partial: The tide tur"];
    assert_eq!(world.transcript(started.session_id).await, expected);
    let run = world.run(started.run_id).await;
    assert_eq!(run.reason, Some(RunReason::StoppedByUser));
    assert_eq!(run.error, None);
    assert!(world.snapshot(started.session_id).await.live.is_none());
    // Answered means on disk: what a kill at this instant would leave.
    let copy = home.copy();
    world.close().await;
    let world = copy.open();
    assert_eq!(world.recovered.interrupted, 0);
    assert_eq!(world.run(started.run_id).await, run);
    assert_eq!(world.transcript(started.session_id).await, expected);
    world.close().await;
}

// STP-4
#[tokio::test]
async fn a_second_stop_answers_the_same_and_writes_nothing() {
    let home = Home::new();
    let world = home.open();
    let (started, _call) = streaming(&world, "Half").await;
    assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
    let before = world.events(started.session_id).await;
    assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
    assert_eq!(world.events(started.session_id).await, before);
    world.close().await;
}

// STP-2, STP-5, RUN-15
#[tokio::test]
async fn a_resumed_run_makes_a_new_attempt_and_the_old_text_never_mixes_in() {
    let home = Home::new();
    let world = home.open();
    let (started, first) = streaming(&world, "Half").await;
    world.stop(started.run_id).await;
    assert_eq!(world.resume(started.run_id).await, RunStatus::Running);
    first.text("of the old answer");
    first.finish();
    let call = world.script.call().await;
    let asked: Vec<&str> = call
        .request
        .messages
        .iter()
        .map(crate::scripted::said)
        .collect();
    assert_eq!(asked, ["Go"], "what was cut off is not sent");
    call.text("Whole");
    call.finish();
    world.idle().await;
    assert_eq!(
        world.transcript(started.session_id).await,
        [
            "User Complete: Go",
            "Agent Partial: Half",
            "Agent Complete: Whole"
        ]
    );
    let run = world.run(started.run_id).await;
    assert_eq!((run.status, run.reason), (RunStatus::Completed, None));
    assert_eq!(run.steps_completed, 1);
    let attempts: Vec<_> = world.snapshot(started.session_id).await.messages;
    assert_eq!(attempts[1].attempt, Some(1));
    assert_eq!(attempts[2].attempt, Some(2));
    world.close().await;
}

// STP-1
#[tokio::test]
async fn a_resumed_run_can_be_stopped_again_and_again() {
    let home = Home::new();
    let world = home.open();
    let (started, mut call) = streaming(&world, "Half").await;
    for _ in 0..5 {
        world.stop(started.run_id).await;
        world.resume(started.run_id).await;
        call.dropped().await;
        call = world.script.call().await;
    }
    world.stop(started.run_id).await;
    call.dropped().await;
    world.idle().await;
    assert_eq!(world.engine.held(), engine::Held::default());
    world.close().await;
}

// STP-5
#[tokio::test]
async fn a_cancelled_run_is_final() {
    let home = Home::new();
    let world = home.open();
    let (started, call) = streaming(&world, "Half").await;
    world.stop(started.run_id).await;
    assert_eq!(world.cancel(started.run_id).await, RunStatus::Cancelled);
    let run_id = started.run_id;
    assert_eq!(
        world.refused(Command::ResumeRun { run_id }).await,
        (ErrorCode::NotActionable, Some(run_id))
    );
    assert_eq!(world.stop(run_id).await, RunStatus::Cancelled);
    assert_eq!(
        world.run(run_id).await.reason,
        Some(RunReason::Discarded),
        "the later reason is kept"
    );
    call.dropped().await;
    world.close().await;
}

// RUN-14
#[tokio::test]
async fn a_resume_is_refused_once_the_session_has_moved_on() {
    let home = Home::new();
    let world = home.open();
    let (started, _first) = streaming(&world, "Half").await;
    world.stop(started.run_id).await;
    world.send(started.session_id, "Something else").await;
    let call = world.script.call().await;
    let before = world.events(started.session_id).await;
    let run_id = started.run_id;
    for command in [Command::ResumeRun { run_id }, Command::CancelRun { run_id }] {
        assert_eq!(
            world.refused(command).await,
            (ErrorCode::NotActionable, Some(run_id))
        );
    }
    assert_eq!(world.events(started.session_id).await, before);
    drop(call);
    world.close().await;
}
