//! What is large stays within bounds.

use protocol::{Command, ErrorClass, Push, Reply, RunStatus, SessionId};

use crate::fixture::{Home, World, soon};
use crate::scripted::{Eager, failed, finished, text};

const MEGABYTE: usize = 1024 * 1024;

/// Asks for a reply of so many megabytes.
fn wordy() -> std::sync::Arc<Eager> {
    Eager::new(|request| {
        let megabytes: usize = crate::scripted::said(request.messages.last().unwrap())
            .parse()
            .unwrap();
        vec![text(&"x".repeat(megabytes * MEGABYTE)), finished()]
    })
}

async fn messages_before(world: &World, session_id: SessionId, before: u64) -> (Vec<u64>, bool) {
    let command = Command::ListMessages {
        session_id,
        before,
        limit: None,
    };
    match world.execute(command).await.unwrap() {
        Reply::Messages {
            messages,
            has_earlier,
            ..
        } => {
            let positions = messages.iter().map(|message| message.position).collect();
            (positions, has_earlier)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_reply_of_five_megabytes_arrives_whole() {
    let home = Home::new();
    let world = home.open_model(wordy());
    let started = world.start("5").await;
    world.idle().await;
    let snapshot = world.snapshot(started.session_id).await;
    assert_eq!(snapshot.messages[1].text().len(), 5 * MEGABYTE);
    world.close().await;
}

// STO-16
#[tokio::test]
async fn a_reply_beyond_its_cap_fails_the_run_and_keeps_what_was_within() {
    let home = Home::new();
    let world = home.open_model(Eager::new(|_| {
        let megabyte = "x".repeat(MEGABYTE);
        (0..20).map(|_| text(&megabyte)).collect()
    }));
    let started = world.start("20").await;
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Failed);
    assert_eq!(run.error.unwrap().class, ErrorClass::Limit);
    let snapshot = world.snapshot(started.session_id).await;
    assert_eq!(snapshot.messages[0].text().len(), 15 * MEGABYTE);
    assert_eq!(world.engine.held(), engine::Held::default());
    world.close().await;
}

#[tokio::test]
async fn an_error_of_megabytes_is_cut_and_fails_the_run_all_the_same() {
    let home = Home::new();
    let world = home.open_model(Eager::new(|_| {
        vec![failed(ErrorClass::Overloaded, &"é".repeat(2 * MEGABYTE))]
    }));
    let started = world.start("Go").await;
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(run.status, RunStatus::Failed);
    let error = run.error.unwrap();
    assert_eq!(error.class, ErrorClass::Overloaded);
    assert!(error.message.len() < 10_000);
    world.close().await;
}

// SEC-3
#[tokio::test]
async fn a_snapshot_stops_at_its_cap_and_the_rest_is_read_page_by_page() {
    let home = Home::new();
    let world = home.open_model(wordy());
    let session_id = world.create().await;
    for _ in 0..6 {
        world.send(session_id, "3").await;
        world.idle().await;
    }
    let snapshot = world.snapshot(session_id).await;
    let bytes: usize = snapshot.messages.iter().map(|m| m.text().len()).sum();
    assert!((8 * MEGABYTE..12 * MEGABYTE).contains(&bytes), "{bytes}");
    assert!(snapshot.has_earlier);
    let mut positions: Vec<u64> = snapshot.messages.iter().map(|m| m.position).collect();
    loop {
        let (earlier, has_earlier) = messages_before(&world, session_id, positions[0]).await;
        assert!(!earlier.is_empty());
        positions.splice(0..0, earlier);
        if !has_earlier {
            break;
        }
    }
    assert_eq!(positions, (1..=12).collect::<Vec<u64>>());
    world.close().await;
}

#[tokio::test]
async fn small_pages_follow_each_other_without_gap() {
    let home = Home::new();
    let world = home.open_model(Eager::echo());
    let session_id = world.create().await;
    for number in 0..12 {
        world.send(session_id, &number.to_string()).await;
        world.idle().await;
    }
    let (all, has_earlier) = messages_before(&world, session_id, 1_000).await;
    assert_eq!((all, has_earlier), ((1..=24).collect(), false));
    assert_eq!(
        messages_before(&world, session_id, 1).await,
        (Vec::new(), false)
    );
    for limit in [1, 5, 24] {
        let command = Command::ListMessages {
            session_id,
            before: 24,
            limit: Some(limit),
        };
        let Reply::Messages {
            messages,
            has_earlier,
            ..
        } = world.execute(command).await.unwrap()
        else {
            panic!("another reply");
        };
        let positions: Vec<u64> = messages.iter().map(|m| m.position).collect();
        let first = 24_u64.saturating_sub(u64::from(limit)).max(1);
        assert_eq!(positions, (first..24).collect::<Vec<u64>>());
        assert_eq!(has_earlier, first > 1);
    }
    world.close().await;
}

// STR-5
#[tokio::test]
async fn one_batch_holds_a_bounded_amount_of_text() {
    let home = Home::new();
    let world = home.open_model(wordy());
    let session_id = world.create().await;
    for _ in 0..12 {
        world.send(session_id, "1").await;
        world.idle().await;
    }
    let mut subscription = world.engine.subscribe(session_id, 0).unwrap();
    let mut seqs = Vec::new();
    loop {
        let batch = soon(subscription.take_new()).await.unwrap();
        if batch.is_empty() {
            break;
        }
        let bytes = serde_json::to_string(&batch).unwrap().len();
        assert!(bytes < 4 * MEGABYTE, "{bytes}");
        seqs.extend(batch.iter().filter_map(|push| match push {
            Push::Event(envelope) => Some(envelope.seq),
            _ => None,
        }));
    }
    let head = world.snapshot(session_id).await.seq;
    assert_eq!(seqs, (1..=head).collect::<Vec<u64>>());
    world.close().await;
}
