//! Events and text, live and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use protocol::{ErrorCode, RunStatus, SessionId};
use uuid::Uuid;

use crate::fixture::{Home, World, soon};
use crate::follower::Follower;
use crate::scripted::{Eager, failed, text};

/// A session in which everything that can happen has happened.
async fn eventful(world: &World) -> SessionId {
    let session_id = world.create().await;
    let stopped = world.send(session_id, "One").await;
    let call = world.script.call().await;
    call.text("Half");
    let mut follower = Follower::new(world, session_id, 0);
    follower.until_text("Half").await;
    world.stop(stopped.run_id).await;
    world.resume(stopped.run_id).await;
    let call = world.script.call().await;
    call.text("Whole");
    call.finish();
    world.idle().await;
    world.send(session_id, "Two").await;
    let call = world.script.call().await;
    call.text("Half");
    call.say(failed(protocol::ErrorClass::Auth, "Refused."));
    world.idle().await;
    let superseded = world.send(session_id, "Three").await;
    let _call = world.script.call().await;
    world.stop(superseded.run_id).await;
    let discarded = world.send(session_id, "Four").await;
    let _call = world.script.call().await;
    world.cancel(discarded.run_id).await;
    world.rename(session_id, "Eventful").await;
    session_id
}

// STR-3
#[tokio::test]
async fn a_subscription_from_any_seq_replays_exactly_what_follows_it() {
    let home = Home::new();
    let world = home.open();
    let session_id = eventful(&world).await;
    let all = world.events(session_id).await;
    let head = all.len() as u64;
    for after in 0..head {
        let mut follower = Follower::new(&world, session_id, after);
        follower
            .until(|follower| follower.events.last().is_some_and(|e| e.seq == head))
            .await;
        let from = usize::try_from(after).unwrap();
        assert_eq!(follower.events, all[from..]);
    }
    let mut at_head = world.engine.subscribe(session_id, head).unwrap();
    assert_eq!(at_head.head_seq(), head);
    assert_eq!(soon(at_head.take_new()).await.unwrap(), []);
    world.close().await;
}

// STR-3
#[tokio::test]
async fn a_cursor_beyond_the_head_is_refused_and_nothing_else_suffers() {
    let home = Home::new();
    let world = home.open();
    let session_id = eventful(&world).await;
    let head = world.snapshot(session_id).await.seq;
    let mut follower = Follower::new(&world, session_id, head);
    for after in [head + 1, protocol::limits::INTEGER] {
        let error = world.engine.subscribe(session_id, after).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidCursor);
    }
    let unknown = SessionId::from_uuid(Uuid::from_u128(1));
    let error = world.engine.subscribe(unknown, 0).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    world.rename(session_id, "Still here").await;
    follower.until_event("session_renamed").await;
    assert_eq!(
        world.engine.held().followed_sessions,
        1,
        "the refused leave nothing"
    );
    assert!(!world.script.has_call().await, "subscribing starts no run");
    world.close().await;
}

// STR-6
#[tokio::test]
async fn what_came_live_is_what_is_replayed() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let mut follower = Follower::new(&world, session_id, 0);
    let live = tokio::spawn(async move {
        follower.until_event("run_cancelled").await;
        follower.until_event("session_renamed").await;
        follower
    });
    let stopped = world.send(session_id, "One").await;
    let call = world.script.call().await;
    for piece in ["Some ", "text, ", "piece ", "by piece"] {
        call.text(piece);
        tokio::task::yield_now().await;
    }
    world.stop(stopped.run_id).await;
    let second = world.send(session_id, "Two").await;
    let _call = world.script.call().await;
    world.cancel(second.run_id).await;
    world.rename(session_id, "Named").await;
    let mut follower = soon(live).await.unwrap();
    let head = world.snapshot(session_id).await.seq;
    follower
        .until(|follower| follower.events.last().is_some_and(|e| e.seq == head))
        .await;
    assert_eq!(follower.events, world.events(session_id).await);
    world.close().await;
    let world = home.open();
    assert_eq!(follower.events, world.events(session_id).await);
    world.close().await;
}

// STR-2
#[tokio::test]
async fn what_a_subscriber_sees_is_on_disk_at_that_moment() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let mut follower = Follower::new(&world, started.session_id, 0);
    let mut said = String::new();
    for piece in ["First", " second", " third"] {
        call.text(piece);
        said.push_str(piece);
        follower.until_text(&said).await;
        let (seen, seen_head) = (said.clone(), follower.events.len() as u64);
        let copy = home.copy();
        let (store, _) = copy.store();
        let session_id = started.session_id;
        let (state, head) = store
            .read(|reader| {
                Ok((
                    reader.session_state(session_id)?,
                    reader.head_seq(session_id)?,
                ))
            })
            .unwrap();
        let step = state.unwrap().run.unwrap().step.unwrap();
        assert_eq!(step.blocks[0].text, seen);
        assert_eq!(head, Some(seen_head));
        store.close().unwrap();
    }
    call.finish();
    follower.until_event("run_completed").await;
    let copy = home.copy();
    let (store, _) = copy.store();
    let run = store.read(|reader| reader.run(started.run_id)).unwrap();
    assert_eq!(run.unwrap().status, RunStatus::Completed);
    store.close().unwrap();
    world.close().await;
}

/// Keeps the runtime busy, so that its paused clock stands still, until it is told to give up.
async fn busy_until(is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        tokio::task::yield_now().await;
    }
}

// STR-2
#[tokio::test(start_paused = true)]
async fn the_first_text_comes_without_waiting_and_the_next_with_its_twenty_milliseconds() {
    let home = Home::new();
    let world = home.open();
    let is_over = Arc::new(AtomicBool::new(false));
    let watchdog = Arc::clone(&is_over);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(60));
        watchdog.store(true, Ordering::Relaxed);
    });
    let story = async {
        let started = world.start("Go").await;
        let call = world.script.call().await;
        let mut follower = Follower::new(&world, started.session_id, 0);
        // A block end before any text is no reason to make the first text wait.
        call.say(Ok(engine::ModelEvent::BlockEnded));
        call.text("First");
        follower.until_text("First").await;
        call.text(", second");
        call.text(", third");
        // The pieces are in the engine's hands once the clock may move.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_millis(20)).await;
        follower.until_text("First, second, third").await;
        world.stop(started.run_id).await;
        world.close().await;
    };
    tokio::select! {
        () = story => {}
        () = busy_until(&is_over) => panic!("the text waits for a clock that stands still"),
    }
}

// STR-8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sessions_at_once_never_mix() {
    let home = Home::new();
    let world = home.open_model(Eager::new(|request| {
        let name = crate::scripted::said(request.messages.last().unwrap()).to_owned();
        let mut said: Vec<_> = (0..200).map(|_| text(&format!("{name} "))).collect();
        said.push(crate::scripted::finished());
        said
    }));
    let sessions = [world.create().await, world.create().await];
    let followers = sessions.map(|session_id| {
        let mut follower = Follower::new(&world, session_id, 0);
        tokio::spawn(async move {
            let is_over = |f: &Follower| f.count("run_completed") == 5;
            follower.until(is_over).await;
            follower
        })
    });
    for _ in 0..5 {
        let one = world.send(sessions[0], "ebb");
        let two = world.send(sessions[1], "flow");
        tokio::join!(one, two);
        world.idle().await;
    }
    for (follower, name) in followers.into_iter().zip(["ebb", "flow"]) {
        let follower = soon(follower).await.unwrap();
        // The follower itself refuses what is of another session.
        assert_eq!(follower.message().text(), format!("{name} ").repeat(200));
        for text in follower.texts.values() {
            assert!(text.split_whitespace().all(|word| word == name));
        }
    }
    world.close().await;
}

// STR-10
#[tokio::test]
async fn a_subscriber_that_goes_away_breaks_no_run() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("Go").await;
    let call = world.script.call().await;
    let mut follower = Follower::new(&world, started.session_id, 0);
    call.text("Half");
    follower.until_text("Half").await;
    drop(follower);
    assert_eq!(world.engine.held().followed_sessions, 0);
    call.text(" and the rest");
    call.finish();
    world.idle().await;
    assert_eq!(
        world.transcript(started.session_id).await,
        ["User Complete: Go", "Agent Complete: Half and the rest"]
    );
    world.close().await;
}
