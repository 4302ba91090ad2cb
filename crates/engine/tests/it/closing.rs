//! Closing while things are going.

use std::collections::BTreeMap;
use std::path::Path;

use protocol::{Command, ErrorCode, RunReason, RunStatus};

use crate::fixture::{Home, soon};
use crate::follower::Follower;

fn bytes_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

// RUN-18
#[tokio::test]
async fn a_run_is_interrupted_by_a_close_and_goes_on_after_it() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    call.text("The tide tur");
    let mut follower = Follower::new(&world, started.session_id, 0);
    follower.until_text("The tide tur").await;
    world.close().await;
    call.dropped().await;
    let world = home.open();
    assert_eq!(world.recovered.interrupted, 0);
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Interrupted);
    assert_eq!(run.reason, Some(RunReason::AppClosed));
    assert_eq!(
        world.transcript(started.session_id).await,
        ["User Complete: Go", "Agent Partial: The tide tur"]
    );
    world.resume(started.run_id).await;
    let call = world.script.call().await;
    call.text("The tide turns.");
    call.finish();
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// RUN-18
#[tokio::test]
async fn nothing_is_written_after_the_close() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    call.text("Half");
    world.close().await;
    let before = bytes_of(home.path());
    call.text("More");
    call.finish();
    for command in [
        Command::StopRun {
            run_id: started.run_id,
        },
        Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: None,
        },
        Command::ListSessions {
            limit: None,
            after: None,
            archived: false,
        },
    ] {
        assert_eq!(world.refused(command).await.0, ErrorCode::Unavailable);
    }
    world.idle().await;
    assert_eq!(bytes_of(home.path()), before);
}

// RUN-18
#[tokio::test]
async fn closing_twice_or_at_once_succeeds() {
    let home = Home::new();
    let world = home.open();
    world.start("Go").await;
    let _call = world.script.call().await;
    let (one, two) = tokio::join!(soon(world.engine.close()), soon(world.engine.close()));
    assert_eq!((one, two), (Ok(()), Ok(())));
    world.close().await;
    assert_eq!(
        world.engine.watch_sessions().unwrap_err().code,
        ErrorCode::Unavailable
    );
    home.open().close().await;
}

// RUN-18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_races_with_a_close_is_refused_or_interrupted_in_time() {
    for round in 0..10 {
        let home = Home::new();
        let world = home.open();
        let starts: Vec<_> = (0..16)
            .map(|number| {
                let world = world.clone();
                tokio::spawn(async move {
                    for _ in 0..number {
                        tokio::task::yield_now().await;
                    }
                    world.try_start(None, "Go", None).await
                })
            })
            .collect();
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        world.close().await;
        let mut answered = Vec::new();
        for start in starts {
            match start.await.unwrap() {
                Ok(started) => answered.push(started),
                Err(error) => assert_eq!(error.code, ErrorCode::Unavailable),
            }
        }
        let world = home.open();
        assert_eq!(world.recovered.interrupted, 0, "none is left running");
        assert_eq!(world.sessions().await.len(), answered.len());
        for started in answered {
            let run = world.run(started.run_id).await;
            assert_eq!(run.status, RunStatus::Interrupted);
            assert_eq!(run.reason, Some(RunReason::AppClosed));
        }
        world.close().await;
    }
}

// STR-7
#[tokio::test]
async fn whoever_follows_hears_of_the_interruption_and_then_of_the_end() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let mut follower = Follower::new(&world, started.session_id, 0);
    let mut subscription = world.engine.subscribe(started.session_id, 0).unwrap();
    let mut watch = world.engine.watch_sessions().unwrap();
    soon(world.engine.halt()).await;
    follower.until_event("run_interrupted").await;
    world.close().await;
    call.dropped().await;
    let ended = async {
        loop {
            if let Err(error) = subscription.next().await {
                break error;
            }
        }
    };
    assert_eq!(soon(ended).await.code, ErrorCode::Unavailable);
    let ended = async {
        loop {
            if let Err(error) = watch.next().await {
                break error;
            }
        }
    };
    assert_eq!(soon(ended).await.code, ErrorCode::Unavailable);
}
