//! Who comes first, when it is close.

use std::sync::Arc;

use protocol::{Command, ErrorCode, Role, RunStatus};

use crate::fixture::{Home, kind};
use crate::follower::Follower;
use crate::scripted::Torrent;

// STP-4, RUN-7
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_that_races_with_the_end_gives_exactly_one_of_the_two() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let mut stopped = 0;
    for round in 0..200 {
        let started = world.send(session_id, "Go").await;
        let call = world.script.call().await;
        call.text("Some text");
        let stop = tokio::spawn({
            let world = world.clone();
            // Sooner or later by a little, so that both get their turns.
            async move {
                for _ in 0..round % 8 {
                    tokio::task::yield_now().await;
                }
                world.stop(started.run_id).await
            }
        });
        call.finish();
        let answer = stop.await.unwrap();
        world.idle().await;
        let run = world.run(started.run_id).await;
        assert_eq!(run.status, answer, "the answer says where it stands");
        match answer {
            RunStatus::Stopped => stopped += 1,
            RunStatus::Completed => {}
            other => panic!("{other:?}"),
        }
    }
    let events = world.events(session_id).await;
    let count = |wanted: &str| events.iter().filter(|e| kind(e) == wanted).count();
    assert_eq!(count("run_stopped"), stopped);
    assert_eq!(count("run_completed"), 200 - stopped);
    assert_eq!(count("step_interrupted"), stopped);
    assert_eq!(count("step_completed"), 200 - stopped);
    for (index, envelope) in events.iter().enumerate() {
        assert_eq!(envelope.seq, index as u64 + 1);
    }
    world.close().await;
}

// STP-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_outruns_a_model_that_never_pauses() {
    let home = Home::new();
    let world = home.open_model(Arc::new(Torrent));
    for _ in 0..3 {
        let started = world.start("Go").await;
        let mut follower = Follower::new(&world, started.session_id, 0);
        follower
            .until(|follower| {
                follower
                    .texts
                    .values()
                    .any(|text| text.len() > Torrent::FIRST_BYTES)
            })
            .await;
        assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
        follower.until_event("run_stopped").await;
        let message = follower.message();
        assert_eq!(message.role, Role::Agent);
        assert!(message.text().len() > Torrent::FIRST_BYTES);
    }
    world.idle().await;
    world.close().await;
}

// RUN-18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_close_outruns_models_that_never_pause() {
    let home = Home::new();
    let world = home.open_model(Arc::new(Torrent));
    for _ in 0..4 {
        let started = world.start("Go").await;
        let mut follower = Follower::new(&world, started.session_id, 0);
        follower.until(|follower| !follower.texts.is_empty()).await;
    }
    world.close().await;
    let world = home.open();
    assert_eq!(
        world.recovered.interrupted, 0,
        "all were interrupted in time"
    );
    world.close().await;
}

// RUN-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_resumes_at_once_one_wins_and_the_other_is_told() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let mut call = world.script.call().await;
    for _ in 0..20 {
        world.stop(started.run_id).await;
        call.dropped().await;
        let resume = || {
            let world = world.clone();
            let run_id = started.run_id;
            tokio::spawn(async move { world.execute(Command::ResumeRun { run_id }).await })
        };
        let (one, two) = (resume(), resume());
        let answers = [one.await.unwrap(), two.await.unwrap()];
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        for error in answers.into_iter().filter_map(Result::err) {
            assert_eq!(error.code, ErrorCode::NotActionable);
        }
        call = world.script.call().await;
        assert!(!world.script.has_call().await, "one call for one resume");
    }
    call.answer("Here.");
    world.idle().await;
    let kinds = world.kinds(started.session_id).await;
    let count = |wanted: &str| kinds.iter().filter(|kind| *kind == wanted).count();
    assert_eq!((count("run_resumed"), count("step_started")), (20, 21));
    world.close().await;
}

// STP-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_resume_and_cancel_at_once_leave_a_story_that_holds() {
    let home = Home::new();
    let world = home.open();
    for round in 0..30 {
        let started = world.start("Go").await;
        let run_id = started.run_id;
        let call = world.script.call().await;
        call.text("Some");
        let commands = [
            Command::StopRun { run_id },
            Command::ResumeRun { run_id },
            Command::StopRun { run_id },
            Command::CancelRun { run_id },
            Command::ResumeRun { run_id },
        ];
        let asked: Vec<_> = (0..commands.len())
            .map(|index| {
                let world = world.clone();
                let command = commands[(index + round) % commands.len()].clone();
                tokio::spawn(async move { world.execute(command).await })
            })
            .collect();
        for answer in asked {
            if let Err(error) = answer.await.unwrap() {
                assert_eq!(error.code, ErrorCode::NotActionable);
            }
        }
        // Whoever came last, cancel wins in the end: nothing leads out of it.
        assert_eq!(world.run(run_id).await.status, RunStatus::Cancelled);
        call.dropped().await;
        world.idle().await;
        let kinds = world.kinds(started.session_id).await;
        let ends = kinds.iter().filter(|kind| *kind == "run_cancelled").count();
        assert_eq!(ends, 1, "{kinds:?}");
        assert_eq!(kinds.last().unwrap(), "run_cancelled");
        assert_eq!(world.engine.held(), engine::Held::default());
        while world.script.has_call().await {
            world.script.call().await.dropped().await;
        }
    }
    world.close().await;
}
