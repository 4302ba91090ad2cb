//! The list, and who needs a person.

use engine::SessionWatch;
use protocol::{AttentionAction, AttentionKind, Push, RunStatus, SessionId, SessionSummary};

use crate::fixture::{Home, World, soon};
use crate::follower::Follower;
use crate::scripted::failed;

async fn next(watch: &mut SessionWatch) -> Vec<SessionSummary> {
    let pushes = soon(watch.next()).await.unwrap();
    pushes
        .into_iter()
        .map(|push| match push {
            Push::Session(session) => *session,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Follows the list until it shows a session's run with this status.
async fn until_status(
    watch: &mut SessionWatch,
    id: SessionId,
    status: RunStatus,
) -> SessionSummary {
    loop {
        let found = next(watch).await.into_iter().find(|session| {
            session.session_id == id && session.run.as_ref().is_some_and(|run| run.status == status)
        });
        if let Some(session) = found {
            return session;
        }
    }
}

#[tokio::test]
async fn the_list_follows_every_change_and_no_text() {
    let home = Home::new();
    let world = home.open();
    let mut watch = world.engine.watch_sessions().unwrap();
    let session_id = world.create().await;
    let created = next(&mut watch).await;
    assert_eq!(created.len(), 1);
    assert_eq!(created, world.sessions().await);
    world.rename(session_id, "Tides").await;
    assert_eq!(next(&mut watch).await[0].title.as_deref(), Some("Tides"));
    world.send(session_id, "Go").await;
    until_status(&mut watch, session_id, RunStatus::Running).await;
    let call = world.script.call().await;
    let mut follower = Follower::new(&world, session_id, 0);
    call.text("Half");
    follower.until_text("Half").await;
    assert_eq!(
        soon(watch.take_new()).await.unwrap(),
        [],
        "text is not for the list"
    );
    call.finish();
    until_status(&mut watch, session_id, RunStatus::Completed).await;
    world.close().await;
}

#[tokio::test]
async fn a_change_is_not_lost_when_nobody_waits_for_it_to_the_end() {
    let home = Home::new();
    let world = home.open();
    let mut watch = world.engine.watch_sessions().unwrap();
    // Polled once: it has taken the change and is about to read it. Now and then the answer is
    // there at once, and there is nothing to lose; then once more.
    let session_id = loop {
        let session_id = world.create().await;
        let mut waiting = std::pin::pin!(watch.next());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        if waiting.as_mut().poll(&mut context).is_pending() {
            break session_id;
        }
    };
    let changed = next(&mut watch).await;
    assert_eq!(changed[0].session_id, session_id);
    world.close().await;
}

async fn attention_of(world: &World, session_id: SessionId) -> Option<protocol::Attention> {
    let listed = world.sessions().await;
    let listed = listed.into_iter().find(|s| s.session_id == session_id);
    let listed = listed.unwrap().attention;
    let snapshot = world.snapshot(session_id).await.session.attention;
    assert_eq!(listed, snapshot, "the list and the session agree");
    listed
}

// ATT-1, ATT-2
#[tokio::test]
async fn a_session_needs_a_person_exactly_while_its_run_is_halted() {
    let home = Home::new();
    let world = home.open();
    let started = world.start("When is high water?\nAnd where?").await;
    let session_id = started.session_id;
    assert_eq!(attention_of(&world, session_id).await, None);
    let call = world.script.call().await;
    call.text("At nöon");
    let mut follower = Follower::new(&world, session_id, 0);
    follower.until_text("At nöon").await;
    world.clock.advance(40);
    world.stop(started.run_id).await;
    let attention = attention_of(&world, session_id).await.unwrap();
    assert_eq!(
        attention,
        protocol::Attention {
            kind: AttentionKind::Stopped,
            run_id: started.run_id,
            since_ms: 1_000_040,
            asked: "When is high water?".to_owned(),
            steps_completed: 0,
            steps_interrupted: 1,
            partial_chars: 7,
            last_done: None,
            unknown: Vec::new(),
            not_started: Vec::new(),
            reason: Some(protocol::RunReason::StoppedByUser),
            error: None,
            crashes: 0,
            actions: vec![AttentionAction::Resume, AttentionAction::Discard],
        }
    );
    world.resume(started.run_id).await;
    assert_eq!(attention_of(&world, session_id).await, None);
    let _call = world.script.call().await;
    world.close().await;
    let world = home.open();
    let attention = attention_of(&world, session_id).await.unwrap();
    assert_eq!(attention.kind, AttentionKind::Interrupted);
    world.cancel(started.run_id).await;
    assert_eq!(attention_of(&world, session_id).await, None);
    let failed_run = world.send(session_id, "Again").await;
    let call = world.script.call().await;
    call.say(failed(protocol::ErrorClass::Auth, "Refused."));
    world.idle().await;
    assert_eq!(world.run(failed_run.run_id).await.status, RunStatus::Failed);
    let attention = attention_of(&world, session_id).await.unwrap();
    assert_eq!(attention.kind, AttentionKind::Failed);
    assert_eq!(
        attention.actions,
        [AttentionAction::Retry, AttentionAction::Discard]
    );
    // Discarding what failed only says that it was seen.
    assert_eq!(world.cancel(failed_run.run_id).await, RunStatus::Failed);
    assert_eq!(attention_of(&world, session_id).await, None);
    world.close().await;
}
