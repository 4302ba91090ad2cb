//! Many events, slow readers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use protocol::RunStatus;

use crate::fixture::{Home, soon};
use crate::follower::Follower;

const EVENTS: u64 = 10_000;
/// Renames at once; they share their commits.
const WRITERS: u64 = 50;

// STR-3, STR-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_events_reach_everyone_without_gap_while_text_streams() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let session_id = started.session_id;
    let call = world.script.call().await;
    // One that never reads until all is over.
    let mut frozen = Follower::new(&world, session_id, 0);
    let written = Arc::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (world, written) = (world.clone(), Arc::clone(&written));
            tokio::spawn(async move {
                for number in 0..EVENTS / WRITERS {
                    world
                        .rename(session_id, &format!("{writer}.{number}"))
                        .await;
                    written.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let readers: Vec<_> = (0..6)
        .map(|number| {
            let (world, written) = (world.clone(), Arc::clone(&written));
            tokio::spawn(async move {
                // They join one after the other, in the midst of it.
                while written.load(Ordering::Relaxed) < number * 1_000 {
                    tokio::task::yield_now().await;
                }
                let mut follower = Follower::new(&world, session_id, 0);
                follower.until_event("run_completed").await;
                follower
            })
        })
        .collect();
    let mut said = String::new();
    while written.load(Ordering::Relaxed) < EVENTS {
        let piece = format!("{} ", said.len());
        call.text(&piece);
        said.push_str(&piece);
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    for writer in writers {
        soon(writer).await.unwrap();
    }
    call.finish();
    world.idle().await;
    let all = world.events(session_id).await;
    assert_eq!(all.len() as u64, EVENTS + 6);
    for reader in readers {
        let follower = soon(reader).await.unwrap();
        assert_eq!(follower.events, all);
        assert_eq!(follower.message().text(), said);
    }
    frozen.until_event("run_completed").await;
    assert_eq!(frozen.events, all);
    assert!(
        frozen.batches.iter().all(|pushes| *pushes <= 256),
        "in bounded batches"
    );
    world.close().await;
}

// STR-5
#[tokio::test]
async fn a_frozen_subscriber_blocks_no_run_and_catches_up() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let mut frozen = Follower::new(&world, session_id, 0);
    let mut watch = world.engine.watch_sessions().unwrap();
    for _ in 0..20 {
        let started = world.send(session_id, "Go").await;
        let call = world.script.call().await;
        for _ in 0..50 {
            call.text("words and words ");
        }
        call.finish();
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    }
    let held = world.engine.held();
    assert_eq!((held.followed_sessions, held.watches), (1, 1));
    frozen
        .until(|follower| follower.count("run_completed") == 20)
        .await;
    assert_eq!(frozen.events, world.events(session_id).await);
    // The list has one session to tell about, however often it changed.
    assert_eq!(soon(watch.next()).await.unwrap().len(), 1);
    world.close().await;
}

// STR-3
#[tokio::test]
async fn text_comes_after_all_the_events_that_led_to_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    for number in 0..300 {
        world.rename(session_id, &number.to_string()).await;
    }
    world.send(session_id, "Go").await;
    let call = world.script.call().await;
    call.text("Half");
    let mut early = Follower::new(&world, session_id, 300);
    early.until_text("Half").await;
    // More events than one batch holds lie before the text; the follower minds the order.
    let mut late = Follower::new(&world, session_id, 0);
    late.until_text("Half").await;
    assert_eq!(late.count("step_started"), 1);
    world.close().await;
}

// STR-3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_commit_falls_between_a_read_and_the_wait_after_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let mut follower = Follower::new(&world, session_id, 0);
    for round in 1..=400 {
        // The first wakes the follower; the others may come while it reads.
        let writers: Vec<_> = (0..3)
            .map(|number| {
                let world = world.clone();
                tokio::spawn(async move {
                    for _ in 0..number * (round % 20) {
                        tokio::task::yield_now().await;
                    }
                    world.rename(session_id, &format!("{round}.{number}")).await;
                })
            })
            .collect();
        follower
            .until(|follower| follower.count("session_renamed") == 3 * round)
            .await;
        for writer in writers {
            soon(writer).await.unwrap();
        }
    }
    world.close().await;
}
