//! Sessions are created, named, listed.

use protocol::{Command, ErrorCode, Reply, SessionId};
use uuid::Uuid;

use crate::fixture::Home;

fn chosen_id() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001))
}

// STO-1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_id_from_many_callers_at_once_is_one_session() {
    let home = Home::new();
    let world = home.open();
    let callers: Vec<_> = (0..40)
        .map(|number| {
            let world = world.clone();
            tokio::spawn(async move {
                let command = Command::CreateSession {
                    session_id: Some(chosen_id()),
                    title: Some(format!("Caller {number}")),
                    agent_id: None,
                };
                match world.execute(command).await.unwrap() {
                    Reply::Session(session) => (session.session_id, session.title),
                    other => panic!("{other:?}"),
                }
            })
        })
        .collect();
    let mut answers = Vec::new();
    for caller in callers {
        answers.push(caller.await.unwrap());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0].0, chosen_id());
    assert_eq!(world.kinds(chosen_id()).await, ["session_created"]);
    assert_eq!(world.sessions().await.len(), 1);
    world.close().await;
}

// STR-1
#[tokio::test]
async fn a_command_that_changes_nothing_writes_no_event() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    world.rename(session_id, "Tides").await;
    let started = world.send(session_id, "Hello").await;
    let call = world.script.call().await;
    world.stop(started.run_id).await;
    call.dropped().await;
    let before = world.events(session_id).await;
    let again = Command::CreateSession {
        session_id: Some(session_id),
        title: Some("Other".to_owned()),
        agent_id: None,
    };
    world.execute(again).await.unwrap();
    world.rename(session_id, " Tides ").await;
    world.stop(started.run_id).await;
    world
        .try_start(Some(chosen_id()), "Nobody", None)
        .await
        .unwrap_err();
    assert_eq!(world.events(session_id).await, before);
    world.close().await;
}

// STR-1
#[tokio::test]
async fn events_are_dense_from_one_over_all_runs() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    for round in 0..3 {
        let started = world.send(session_id, "Go on").await;
        let call = world.script.call().await;
        call.text("Some text");
        if round == 1 {
            world.stop(started.run_id).await;
        } else {
            call.finish();
            world.idle().await;
        }
    }
    let seqs: Vec<u64> = world
        .events(session_id)
        .await
        .iter()
        .map(|e| e.seq)
        .collect();
    let dense: Vec<u64> = (1..=seqs.len() as u64).collect();
    assert_eq!(seqs, dense);
    assert_eq!(world.snapshot(session_id).await.seq, seqs.len() as u64);
    world.close().await;
}

// STR-9
#[tokio::test]
async fn what_is_empty_too_large_or_unknown_is_refused_and_leaves_nothing() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let before = world.events(session_id).await;
    let rename = |session_id, title: &str| Command::RenameSession {
        session_id,
        title: title.to_owned(),
    };
    let start = |text: &str| Command::StartRun {
        session_id: Some(session_id),
        text: text.to_owned(),
        request_key: None,
    };
    for (command, code) in [
        (rename(session_id, "  "), ErrorCode::InvalidValue),
        (rename(session_id, &"x".repeat(201)), ErrorCode::TooLarge),
        (rename(chosen_id(), "Ebb"), ErrorCode::NotFound),
        (start(" \n"), ErrorCode::InvalidValue),
        (start(&"x".repeat(256 * 1024 + 1)), ErrorCode::TooLarge),
        (Command::WatchSessions {}, ErrorCode::InvalidCommand),
    ] {
        assert_eq!(world.refused(command).await.0, code);
    }
    assert_eq!(world.events(session_id).await, before);
    assert!(!world.script.has_call().await);
    world.close().await;
}

#[tokio::test]
async fn the_list_is_newest_first_and_says_when_there_is_more() {
    let home = Home::new();
    let world = home.open();
    let mut created = Vec::new();
    for _ in 0..3 {
        created.push(world.create().await);
        world.clock.advance(10);
    }
    world.rename(created[0], "Newest now").await;
    let list_after = |limit, after| {
        let world = world.clone();
        async move {
            let command = Command::ListSessions {
                limit,
                after,
                archived: false,
            };
            match world.execute(command).await.unwrap() {
                Reply::Sessions { sessions, has_more } => {
                    let ids: Vec<_> = sessions.iter().map(|s| s.session_id).collect();
                    (ids, has_more)
                }
                other => panic!("{other:?}"),
            }
        }
    };
    let list = |limit| list_after(limit, None);
    let order = vec![created[0], created[2], created[1]];
    assert_eq!(list(None).await, (order.clone(), false));
    assert_eq!(list(Some(3)).await, (order.clone(), false));
    assert_eq!(list(Some(2)).await, (order[..2].to_vec(), true));
    let next = list_after(Some(2), Some(order[1])).await;
    assert_eq!(next, (order[2..].to_vec(), false), "page by page");
    assert_eq!(list_after(None, Some(order[2])).await, (vec![], false));
    let unknown = Command::ListSessions {
        limit: None,
        after: Some(SessionId::from_uuid(Uuid::nil())),
        archived: false,
    };
    assert_eq!(
        world.execute(unknown).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    world.close().await;
}
