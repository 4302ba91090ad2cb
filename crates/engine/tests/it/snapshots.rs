//! A snapshot, and what follows it.

use protocol::{RunStatus, SessionId};

use crate::fixture::{Home, World, soon};
use crate::follower::Follower;
use crate::scripted::Call;

/// Says a long reply in small pieces while others do their work.
async fn say_slowly(call: &Call, words: usize) {
    for number in 0..words {
        call.text(&format!("wörd {number}, "));
        for _ in 0..number % 5 {
            tokio::task::yield_now().await;
        }
    }
}

/// Takes a snapshot after a while, as a window that opens just then does, and follows to the end.
async fn join_late(world: World, session_id: SessionId, pause: usize, end: &str) -> Follower {
    for _ in 0..pause {
        tokio::task::yield_now().await;
    }
    let snapshot = world.snapshot(session_id).await;
    let known = snapshot.messages.len();
    let mut follower = Follower::after_snapshot(&world, &snapshot);
    if snapshot.session.run.unwrap().status == RunStatus::Running {
        assert!(snapshot.live.is_some());
        follower.until_event(end).await;
    } else {
        assert!(snapshot.live.is_none(), "what is over is not live");
        assert_eq!(known, 2);
    }
    follower
}

async fn snapshots_at_many_moments(end: &'static str) {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let snapshot = world.snapshot(started.session_id).await;
    let mut early = Follower::after_snapshot(&world, &snapshot);
    let windows: Vec<_> = (0..40)
        .map(|number| {
            let join = join_late(world.clone(), started.session_id, number * 40, end);
            tokio::spawn(join)
        })
        .collect();
    say_slowly(&call, 2_000).await;
    if end == "run_stopped" {
        // A stop before the first word would leave nothing to compare.
        early.until(|follower| !follower.texts.is_empty()).await;
        world.stop(started.run_id).await;
    } else {
        call.finish();
    }
    early.until_event(end).await;
    let stored = &world.snapshot(started.session_id).await.messages[1];
    assert_eq!(early.message(), stored);
    for window in windows {
        // The follower has checked that what it showed begins the message, and that every piece
        // fitted where the one before it ended.
        let follower = soon(window).await.unwrap();
        if !follower.events.is_empty() {
            assert_eq!(follower.message(), stored);
        }
    }
    world.close().await;
}

// STR-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_at_any_moment_and_what_follows_it_is_the_whole_reply() {
    snapshots_at_many_moments("run_completed").await;
}

// STR-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_at_any_moment_of_a_run_that_is_stopped_misses_nothing_either() {
    snapshots_at_many_moments("run_stopped").await;
}

// STR-4
#[tokio::test]
async fn the_live_text_and_the_pieces_after_it_are_the_message() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let mut first = Follower::new(&world, started.session_id, 0);
    call.text("One, ");
    first.until_text("One, ").await;
    let snapshot = world.snapshot(started.session_id).await;
    let live = snapshot.live.as_ref().unwrap();
    assert_eq!(live.run_id, started.run_id);
    assert_eq!(live.attempt, 1);
    assert_eq!(live.blocks[0].text, "One, ");
    let mut late = Follower::after_snapshot(&world, &snapshot);
    call.text("two, ");
    call.text("three.");
    late.until_text("One, two, three.").await;
    call.finish();
    late.until_event("run_completed").await;
    assert_eq!(late.message().text(), "One, two, three.");
    world.close().await;
}
