//! Messages are sent, runs begin.

use std::sync::Arc;

use protocol::{Command, ErrorCode, RunId, RunStatus, SessionId};
use uuid::Uuid;

use crate::fixture::{Home, Started};
use crate::scripted::{Eager, Script};

// RUN-1
#[tokio::test]
async fn a_start_answers_while_the_model_works_and_the_run_is_read_by_its_id() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("When is high water?").await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Running);
    assert_eq!(run.session_id, started.session_id);
    assert_eq!(run.model, "script");
    assert_eq!((run.reason, run.error), (None, None));
    let call = world.script.call().await;
    assert_eq!(call.request.messages.len(), 1);
    assert_eq!(
        crate::scripted::said(&call.request.messages[0]),
        "When is high water?"
    );
    world.clock.advance(50);
    call.finish();
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(run.updated_at_ms, run.created_at_ms + 50);
    assert_eq!(run.steps_completed, 1);
    world.close().await;
}

// RUN-1
#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let home = Home::new();
    let world = home.open();
    let run_id = RunId::from_uuid(Uuid::from_u128(1));
    let session_id = SessionId::from_uuid(Uuid::from_u128(1));
    for command in [
        Command::GetRun { run_id },
        Command::StopRun { run_id },
        Command::ResumeRun { run_id },
        Command::CancelRun { run_id },
        Command::GetSession {
            session_id,
            limit: None,
        },
        Command::ListMessages {
            session_id,
            before: 1,
            limit: None,
        },
        Command::StartRun {
            session_id: Some(session_id),
            text: "Hello".to_owned(),
            request_key: None,
        },
    ] {
        assert_eq!(world.refused(command).await, (ErrorCode::NotFound, None));
    }
    assert!(world.sessions().await.is_empty());
    world.close().await;
}

// STO-2
#[tokio::test]
async fn a_start_that_cannot_be_written_leaves_nothing_behind() {
    let home = Home::new();
    let fine = home.open();
    let session_id = fine.create().await;
    let before = fine.snapshot(session_id).await;
    fine.close().await;
    // The session and the message are written before the run, whose model's name is too long.
    let world = home.open_model(Arc::new(Script::new(&"x".repeat(2 * 1024 * 1024))));
    for session in [None, Some(session_id)] {
        let error = world.try_start(session, "Hello", Some("key")).await;
        assert_eq!(error.unwrap_err().code, ErrorCode::TooLarge);
    }
    assert_eq!(world.snapshot(session_id).await, before);
    assert_eq!(world.sessions().await.len(), 1);
    assert_eq!(world.engine.held().calls, 0);
    world.close().await;
    // The same call works once the fault is gone.
    let world = home.open();
    world.try_start(None, "Hello", Some("key")).await.unwrap();
    assert_eq!(world.sessions().await.len(), 2);
    world.close().await;
}

// RUN-3, STO-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_request_key_is_one_run_in_parallel_later_and_after_a_restart() {
    let home = Home::new();
    let world = home.open();
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let world = world.clone();
            tokio::spawn(async move { world.try_start(None, "Hello", Some("key")).await.unwrap() })
        })
        .collect();
    let mut answers: Vec<Started> = Vec::new();
    for caller in callers {
        answers.push(caller.await.unwrap());
    }
    world.script.call().await.finish();
    world.idle().await;
    answers.push(world.try_start(None, "Hello", Some("key")).await.unwrap());
    let session_id = answers[0].session_id;
    answers.push(
        world
            .try_start(Some(session_id), "Hello", Some("key"))
            .await
            .unwrap(),
    );
    world.close().await;
    let world = home.open();
    answers.push(world.try_start(None, "Hello", Some("key")).await.unwrap());
    answers.sort_unstable();
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(world.sessions().await.len(), 1);
    assert_eq!(
        world.transcript(session_id).await,
        ["User Complete: Hello", "Agent Complete: "]
    );
    assert!(!world.script.has_call().await, "the model is asked once");
    world.close().await;
}

// RUN-2
#[tokio::test]
async fn a_second_start_is_told_which_run_is_going() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("First").await;
    let before = world.events(started.session_id).await;
    let error = world
        .try_start(Some(started.session_id), "Second", None)
        .await;
    let error = error.unwrap_err();
    assert_eq!(error.code, ErrorCode::AlreadyRunning);
    assert_eq!(error.run_id, Some(started.run_id));
    assert_eq!(world.events(started.session_id).await, before);
    world.close().await;
}

// RUN-2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_starts_at_once_one_wins_and_the_others_are_told_so() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    for round in 1..=10_u64 {
        let callers: Vec<_> = (0..8)
            .map(|_| {
                let world = world.clone();
                tokio::spawn(async move { world.try_start(Some(session_id), "Go", None).await })
            })
            .collect();
        let (mut won, mut told) = (Vec::new(), Vec::new());
        for caller in callers {
            match caller.await.unwrap() {
                Ok(started) => won.push(started.run_id),
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::AlreadyRunning);
                    told.push(error.run_id.unwrap());
                }
            }
        }
        assert_eq!((won.len(), told.len()), (1, 7));
        assert!(told.iter().all(|run_id| *run_id == won[0]));
        world.script.call().await.finish();
        world.idle().await;
        assert_eq!(
            world.snapshot(session_id).await.messages.len() as u64,
            2 * round
        );
    }
    assert!(!world.script.has_call().await);
    world.close().await;
}

// RUN-24
#[tokio::test]
async fn a_message_to_a_stopped_run_gives_it_up_and_starts_a_new_one() {
    let home = Home::new();
    let world = home.open();
    let first = world.start("First").await;
    let call = world.script.call().await;
    call.text("Half");
    let mut follower = crate::follower::Follower::new(&world, first.session_id, 0);
    follower.until_text("Half").await;
    world.stop(first.run_id).await;
    let second = world.send(first.session_id, "Second").await;
    let run = world.run(first.run_id).await;
    assert_eq!(run.status, RunStatus::Cancelled);
    assert_eq!(run.reason, Some(protocol::RunReason::Superseded));
    let call = world.script.call().await;
    // What was cut off is for the person; the model starts from what is whole.
    let asked: Vec<&str> = call
        .request
        .messages
        .iter()
        .map(crate::scripted::said)
        .collect();
    assert_eq!(asked, ["First", "Second"]);
    call.text("Whole");
    call.finish();
    world.idle().await;
    assert_eq!(world.run(second.run_id).await.status, RunStatus::Completed);
    assert_eq!(
        world.transcript(first.session_id).await,
        [
            "User Complete: First",
            "Agent Partial: Half",
            "User Complete: Second",
            "Agent Complete: Whole",
        ]
    );
    let kinds = world.kinds(first.session_id).await;
    let last = [
        "step_cancelled",
        "run_cancelled",
        "message_added",
        "run_started",
    ];
    let at = kinds
        .iter()
        .position(|kind| kind == "step_cancelled")
        .unwrap();
    assert_eq!(kinds[at..at + 4], last);
    world.close().await;
}

/// Ends a future after it was polled so often, as a caller that goes away does.
async fn polled<T>(times: u32, future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut left = times;
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
        std::task::Poll::Pending => {
            left = left.saturating_sub(1);
            if left == 0 {
                return std::task::Poll::Ready(None);
            }
            std::task::Poll::Pending
        }
    })
    .await
}

// RUN-17
#[tokio::test]
async fn a_caller_that_goes_away_leaves_no_run_without_its_model_call() {
    let home = Home::new();
    let world = home.open_model(Eager::echo());
    for times in [1, 2, 2, 3, 3, 4] {
        let start = Command::StartRun {
            session_id: None,
            text: format!("Left after {times}"),
            request_key: None,
        };
        drop(polled(times, world.engine.execute(start)).await);
    }
    // A start that is waited for is committed after all those before it.
    world.start("The last one").await;
    world.idle().await;
    let sessions = world.sessions().await;
    assert!(sessions.len() > 1, "some of them were committed");
    for session in sessions {
        assert_eq!(session.run.unwrap().status, RunStatus::Completed);
    }
    world.close().await;
}
