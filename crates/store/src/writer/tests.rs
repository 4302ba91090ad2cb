//! What a full disk does to those who share a commit, and how far a commit goes.

use protocol::{AgentId, SessionId};

use super::*;
use crate::Change;
use crate::connection::{make_durable, open_existing};
use crate::schema::{DEFAULT_AGENT, Schema};

fn state() -> (tempfile::NamedTempFile, State) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut connection = open_existing(file.path()).unwrap();
    make_durable(&connection).unwrap();
    Schema::CURRENT
        .fill_new(&mut connection, "test", 1)
        .unwrap();
    let state = State {
        connection,
        epoch: 0,
        sync: Sync::Barrier,
        unsecured_since: None,
        is_suspect: Arc::default(),
        audit: Keeper::default(),
    };
    (file, state)
}

fn create(number: u128, title_bytes: usize) -> Transition {
    let id = |number| uuid::Uuid::from_u128(number);
    let agent_id: AgentId = DEFAULT_AGENT;
    Transition {
        sync: Sync::Barrier,
        changes: vec![Change::CreateSession {
            session_id: SessionId::from_uuid(id(number)),
            agent_id,
            title: (title_bytes > 0).then(|| "x".repeat(title_bytes)),
            workspace: "harbour".to_owned(),
            forked_from: None,
            at_ms: 1,
        }],
    }
}

fn count(state: &State) -> i64 {
    state
        .connection
        .query_row("SELECT count(*) FROM sessions", [], |row| row.get(0))
        .unwrap()
}

fn allow_pages(state: &State, pages: i64) {
    state
        .connection
        .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap();
}

/// STO-5: SQLite gives the whole transaction up when the disk is full. Everyone in it is told
/// just that, nothing of it is there, and the same call works once there is space.
#[test]
fn a_full_disk_is_told_as_such_and_leaves_nothing() {
    let (_file, mut state) = state();
    let pages: i64 = state
        .connection
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .unwrap();
    allow_pages(&state, pages + 4);
    let batch = [create(1, 0), create(2, 500_000), create(3, 0)];
    match state.commit(&batch, Sync::Barrier) {
        Err(error) => assert!(matches!(error, Error::DiskFull), "{error:?}"),
        // SQLite may undo the one statement alone; then only its transition fails.
        Ok(results) => {
            assert!(matches!(results[1], Err(Error::DiskFull)), "{results:?}");
            assert_eq!(count(&state), 2);
            return;
        }
    }
    assert!(state.connection.is_autocommit());
    assert_eq!(count(&state), 0);
    allow_pages(&state, 1_000_000);
    let results = state.commit(&batch, Sync::Barrier).unwrap();
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(count(&state), 3);
}

/// The pragma is set before the transaction begins, and says what the commit is to be.
#[test]
fn a_barrier_is_full_and_a_relaxed_commit_is_normal() {
    let (_file, mut state) = state();
    for (number, sync, level) in [
        (1, Sync::Barrier, 2),
        (2, Sync::Relaxed, 1),
        (3, Sync::Relaxed, 1),
        (4, Sync::Barrier, 2),
    ] {
        state.commit(&[create(number, 0)], sync).unwrap();
        let found: i64 = state
            .connection
            .pragma_query_value(None, "synchronous", |row| row.get(0))
            .unwrap();
        assert_eq!(found, level);
    }
}

/// One barrier makes its whole batch one.
#[test]
fn a_batch_with_a_barrier_is_a_barrier() {
    let (_file, mut state) = state();
    let relaxed = |number| Transition {
        sync: Sync::Relaxed,
        ..create(number, 0)
    };
    state.write(&[relaxed(1)]).unwrap();
    assert!(state.unsecured_since.is_some());
    assert_eq!(state.sync, Sync::Relaxed);
    state.write(&[relaxed(2), create(3, 0)]).unwrap();
    assert!(state.unsecured_since.is_none());
    assert_eq!(state.sync, Sync::Barrier);
}

/// A relaxed commit that has waited its second makes the next batch a barrier.
#[test]
fn a_relaxed_commit_under_a_stream_of_others_is_secured_when_due() {
    let (_file, mut state) = state();
    let relaxed = |number| Transition {
        sync: Sync::Relaxed,
        ..create(number, 0)
    };
    state.write(&[relaxed(1)]).unwrap();
    state.unsecured_since = Instant::now().checked_sub(SECURE_WITHIN);
    state.write(&[relaxed(2)]).unwrap();
    assert_eq!(state.sync, Sync::Barrier);
    assert!(state.unsecured_since.is_none());
}

/// On macOS an fsync alone does not reach the disk; and the writer alone moves the log.
#[test]
fn a_connection_that_writes_is_set_up_for_power_loss() {
    let (_file, state) = state();
    for (pragma, expected) in [
        ("fullfsync", 1),
        ("checkpoint_fullfsync", 1),
        ("foreign_keys", 1),
        ("wal_autocheckpoint", 0),
    ] {
        let found: i64 = state
            .connection
            .pragma_query_value(None, pragma, |row| row.get(0))
            .unwrap();
        assert_eq!(found, expected, "{pragma}");
    }
}
