//! What a person was told of is remembered.

use protocol::{AttentionKind, ErrorCode, RunId};

use crate::fixture::Home;

/// ATT-3: once per run and kind, also after a restart; nothing of it reaches the list.
#[tokio::test]
async fn a_notice_is_remembered_over_a_restart() {
    let home = Home::new();
    let world = home.open();
    let run_id = world.start("Tides").await.run_id;
    let _call = world.script.call().await;
    let mut watch = world.engine.watch_sessions().unwrap();
    let shown = async |world: &crate::fixture::World, kind| {
        world.engine.notice_shown(run_id, kind).await.unwrap()
    };
    assert!(!shown(&world, AttentionKind::Interrupted).await);
    for _ in 0..2 {
        let noted = world.engine.note_notice(run_id, AttentionKind::Interrupted);
        noted.await.unwrap();
    }
    assert!(shown(&world, AttentionKind::Interrupted).await);
    assert!(!shown(&world, AttentionKind::Waiting).await);
    assert_eq!(watch.take_new().await.unwrap(), []);
    world.close().await;
    let closed = world.engine.note_notice(run_id, AttentionKind::Failed);
    assert_eq!(closed.await.unwrap_err().code, ErrorCode::Unavailable);
    let world = home.open();
    assert!(shown(&world, AttentionKind::Interrupted).await);
    assert!(!shown(&world, AttentionKind::Failed).await);
    world.close().await;
}

/// A run that is gone has nothing to be told of.
#[tokio::test]
async fn a_notice_of_a_run_that_does_not_exist_is_refused() {
    let home = Home::new();
    let world = home.open();
    let nobody: RunId = "run_01920000000070008000000000000001".parse().unwrap();
    let noted = world.engine.note_notice(nobody, AttentionKind::Failed);
    noted.await.unwrap_err();
    let shown = world.engine.notice_shown(nobody, AttentionKind::Failed);
    assert!(!shown.await.unwrap());
    world.close().await;
}
