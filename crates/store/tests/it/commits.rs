//! When a commit is forced to disk, how many share one, and what becomes of the log.

use std::fs;
use std::thread;
use std::time::Duration;

use store::Store;

use crate::fixture::{Place, barrier, hold_writer, relaxed, submit};
use crate::raw;
use crate::sample::{
    add_message, beginning, create_session, event, message, message_id, renamed, session_id,
};

fn barriers(place: &Place) -> i64 {
    raw::number(&place.database(), "SELECT barriers FROM runtime", [])
}

/// Looks again and again until it holds; half a minute is long enough on any machine.
fn eventually(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..1_500 {
        if holds() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{what} did not come about");
}

/// Group commit: what queues up while the writer is busy shares one commit, or a few. Counted in
/// the log, where every commit has its mark.
#[test]
fn queued_barriers_share_their_commits() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1_000))]))
        .unwrap();
    let before = raw::commits_in_log(&place.log());
    let held = hold_writer(&store);
    let answers: Vec<_> = (0..64)
        .map(|number| submit(&store, barrier(vec![create_session(session_id(number))])))
        .collect();
    drop(held);
    for answer in answers {
        answer.recv().unwrap().unwrap();
    }
    let commits = raw::commits_in_log(&place.log()) - before;
    assert!(
        (1..=8).contains(&commits),
        "64 barriers took {commits} commits"
    );
    assert_eq!(
        raw::number(&place.database(), "SELECT count(*) FROM sessions", []),
        65
    );
}

/// Relaxed commits are on disk within a second though nothing else is written.
#[test]
fn relaxed_commits_are_secured_when_nothing_follows() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    assert_eq!(barriers(&place), 0, "a barrier needs no other");
    store
        .apply(relaxed(vec![event(session_id(1), renamed("a"))]))
        .unwrap();
    eventually("the barrier", || barriers(&place) == 1);
    store
        .apply(relaxed(vec![event(session_id(1), renamed("b"))]))
        .unwrap();
    eventually("the next barrier", || barriers(&place) == 2);
}

/// A barrier that writes nothing, because it was refused or is empty, would fsync nothing; the
/// relaxed commits before it must not count as secured by it.
#[test]
fn a_barrier_without_changes_secures_what_came_before_it() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    for (expected, is_refused) in [(1, false), (2, true)] {
        store
            .apply(relaxed(vec![event(session_id(1), renamed("a"))]))
            .unwrap();
        let changes = if is_refused {
            vec![create_session(session_id(1))]
        } else {
            Vec::new()
        };
        assert_eq!(store.apply(barrier(changes)).is_err(), is_refused);
        assert_eq!(barriers(&place), expected);
    }
}

/// Without a close, relaxed commits are secured before the last handle is gone.
#[test]
fn dropping_the_store_writes_and_secures_what_is_queued() {
    let place = Place::new();
    let store = place.open();
    let answers: Vec<_> = (1..=100)
        .map(|number| submit(&store, relaxed(vec![create_session(session_id(number))])))
        .collect();
    drop(store);
    for answer in answers {
        answer.recv().unwrap().unwrap();
    }
    assert_eq!(barriers(&place), 1);
    let (store, opened) = place.try_open().unwrap();
    assert!(!opened.was_clean, "dropped is not closed");
    assert_eq!(
        store
            .read(|reader| reader.session_rows(1_000, false))
            .unwrap()
            .len(),
        100
    );
}

fn write_much(store: &Store, from: u64) {
    let text = "x".repeat(300_000);
    for number in from..from + 60 {
        let position = number + 1;
        let one = message(message_id(1_000 + number), position, &text);
        store
            .apply(relaxed(vec![add_message(session_id(1), one)]))
            .unwrap();
    }
}

fn log_bytes(place: &Place) -> u64 {
    fs::metadata(place.log()).unwrap().len()
}

/// A read that lasts keeps the log from being shortened, and nothing else: writing goes on, the
/// reader sees its own state, and once it ends the log is used from its beginning again.
#[test]
fn a_long_read_delays_the_log_and_nobody() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    let count = |reader: &store::Reader<'_>| {
        reader
            .session_state(session_id(1))
            .map(|state| state.unwrap().message_count)
    };
    store
        .read(|reader| {
            assert_eq!(count(reader)?, 0);
            write_much(&store, 0);
            assert_eq!(count(reader)?, 0);
            Ok(())
        })
        .unwrap();
    let grown = log_bytes(&place);
    assert!(grown > 18_000_000, "the log held everything: {grown}");
    write_much(&store, 60);
    write_much(&store, 120);
    let after = log_bytes(&place);
    assert!(
        after < 2 * grown,
        "the log was begun anew: {grown}, then {after}"
    );
    assert_eq!(store.read(count).unwrap(), 180);
}

/// Nobody waits for a log that is moved into the database: it stays short without a close.
#[test]
fn the_log_is_moved_into_the_database_while_it_is_in_use() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    for from in 0..5 {
        write_much(&store, from * 60);
    }
    let (log, database) = (
        log_bytes(&place),
        fs::metadata(place.database()).unwrap().len(),
    );
    assert!(database > 60_000_000, "{database}");
    assert!(log < 30_000_000, "{log}");
}

/// A caller whose answer panics harms itself alone.
#[test]
fn an_answer_that_panics_does_not_end_the_writer() {
    let place = Place::new();
    let store = place.open();
    store.submit(barrier(beginning(1)), |_| panic!("in an answer"));
    store.apply(barrier(beginning(2))).unwrap();
    let rows = store.read(|reader| reader.session_rows(10, false)).unwrap();
    assert_eq!(rows.len(), 2);
}
