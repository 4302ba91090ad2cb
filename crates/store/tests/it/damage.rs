//! Files that cannot be read are never overwritten, and never taken for an empty beginning.

use std::fs;
use std::os::unix::fs::FileExt;

use store::Error;

use crate::fixture::{Place, barrier, names};
use crate::raw;
use crate::sample::{add_message, beginning, create_session, message, message_id, session_id};

/// A database with some content whose process ended without closing it; part of the content is
/// in the log alone.
fn after_a_crash() -> Place {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store.close().unwrap();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(2))]))
        .unwrap();
    place.crash_image()
}

/// The same after a close, large enough to be cut in the middle.
fn after_a_close() -> Place {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let text = "x".repeat(50_000);
    let long = message(message_id(5), 2, &text);
    store
        .apply(barrier(vec![add_message(session_id(1), long)]))
        .unwrap();
    store.close().unwrap();
    place
}

/// Refused as damaged, however often it is tried, with the files as they were and one copy.
fn assert_refused(place: &Place, what: &str) {
    let before = place.bytes();
    for _ in 0..3 {
        match place.try_open() {
            Err(Error::Damaged { path, copy, .. }) => {
                assert_eq!(path, place.database(), "{what}");
                let copy = copy.expect(what);
                let kept = fs::read(&copy).unwrap();
                let original = before.0.as_ref().or(before.1.as_ref()).unwrap();
                assert!(kept == *original, "{what}: the copy is not what was found");
            }
            Err(other) => panic!("{what}: {other:?}"),
            Ok(_) => panic!("{what}: opened"),
        }
        assert!(before == place.bytes(), "{what}: the files were touched");
    }
    let files = usize::from(before.0.is_some()) + usize::from(before.1.is_some());
    let kept = names(&place.folder.damaged());
    assert_eq!(
        kept.len(),
        files,
        "{what}: one copy, not one per start: {kept:?}"
    );
}

fn flip(place: &Place, at: u64, bytes: &[u8]) {
    let file = fs::OpenOptions::new()
        .write(true)
        .open(place.database())
        .unwrap();
    file.write_all_at(bytes, at).unwrap();
}

/// Where the page of a table begins in the file.
fn page_of(place: &Place, table: &str) -> u64 {
    let root = raw::number(
        &place.database(),
        "SELECT rootpage FROM sqlite_schema WHERE name = ?1",
        [table],
    );
    let page_size = raw::number(&place.database(), "PRAGMA page_size", []);
    u64::try_from((root - 1) * page_size).unwrap()
}

/// STO-10.
#[test]
fn an_empty_file_is_damage_and_not_a_new_database() {
    let place = after_a_close();
    fs::write(place.database(), b"").unwrap();
    assert_refused(&place, "empty");
    let place = after_a_crash();
    fs::write(place.database(), b"").unwrap();
    assert_refused(&place, "empty with a log");
}

/// STO-10.
#[test]
fn garbage_is_refused() {
    for garbage in ["short", &"not a database. ".repeat(4_000)] {
        let place = after_a_close();
        fs::write(place.database(), garbage).unwrap();
        assert_refused(&place, "garbage");
        let place = after_a_crash();
        fs::write(place.database(), garbage).unwrap();
        assert_refused(&place, "garbage with a log");
    }
}

/// STO-10: cut anywhere, after a close and after a crash.
#[test]
fn a_file_that_was_cut_is_refused() {
    for parts in [1, 3, 6, 9] {
        let place = after_a_close();
        let whole = fs::read(place.database()).unwrap();
        let length = whole.len() * parts / 10;
        fs::write(place.database(), &whole[..length]).unwrap();
        assert_refused(&place, "cut");
    }
    let place = after_a_crash();
    let whole = fs::read(place.database()).unwrap();
    fs::write(place.database(), &whole[..whole.len() / 2]).unwrap();
    assert_refused(&place, "cut, with a log");
}

/// STO-10: SQLite reads every page after a crash.
#[test]
fn a_damaged_page_is_found_after_a_crash() {
    for table in ["messages", "runs", "steps", "attempts", "deltas"] {
        let place = after_a_crash();
        let at = page_of(&place.crash_image(), table);
        flip(&place, at, &[0xff; 32]);
        assert_refused(&place, table);
    }
}

/// STO-10: after a close not every page is read at the start. Damage that is come upon later is
/// told as such, and the next start reads every page, although this one is closed in order.
#[test]
fn damage_that_is_found_in_use_is_refused_at_the_next_start() {
    let place = after_a_close();
    let at = page_of(&place.crash_image(), "messages");
    flip(&place, at, &[0xff; 32]);
    let store = place.open();
    let error = store
        .read(|reader| reader.messages_before(session_id(1), 10, 10))
        .unwrap_err();
    assert!(matches!(error, Error::Corrupt(_)), "{error:?}");
    assert!(!error.is_retryable());
    store.close().unwrap();
    let error = place.try_open().unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}

/// STO-10: the same when a write comes upon it.
#[test]
fn damage_that_a_write_finds_is_refused_at_the_next_start() {
    let place = after_a_close();
    let at = page_of(&place.crash_image(), "messages");
    flip(&place, at, &[0xff; 32]);
    let store = place.open();
    let more = add_message(session_id(1), message(message_id(9), 3, "more"));
    let error = store.apply(barrier(vec![more])).unwrap_err();
    assert!(matches!(error, Error::Corrupt(_)), "{error:?}");
    store.close().unwrap();
    let error = place.try_open().unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}

/// STO-10: a log without its database is a database that was lost.
#[test]
fn a_log_without_its_database_is_refused() {
    let place = after_a_crash();
    fs::remove_file(place.database()).unwrap();
    assert_refused(&place, "log alone");
}

/// STO-10: another program's database is not ours to change, not even its journal mode or its
/// journal.
#[test]
fn a_foreign_database_is_refused_untouched() {
    let place = Place::new();
    raw::execute(
        &place.database(),
        "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1); PRAGMA user_version = 1;",
    );
    assert_refused(&place, "foreign");

    let place = Place::new();
    raw::execute(
        &place.database(),
        "PRAGMA journal_mode = WAL; CREATE TABLE runtime (id, epoch, clean_exit);
         PRAGMA user_version = 1;",
    );
    assert_refused(&place, "foreign, with our table");
}

/// STO-10: marked as ours, but without what every database of ours has.
#[test]
fn a_database_without_schema_or_owner_is_refused() {
    for loss in [
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -1",
        "DELETE FROM runtime",
        "DROP TABLE runtime",
    ] {
        let place = after_a_close();
        raw::execute(&place.database(), loss);
        assert_refused(&place, loss);
    }
}

/// STO-10: without anything there, there is nothing to lose; an empty log is no sign of one.
#[test]
fn an_empty_log_alone_does_not_stop_a_new_beginning() {
    let place = Place::new();
    fs::write(place.log(), b"").unwrap();
    let (_, opened) = place.try_open().unwrap();
    assert!(opened.is_new);
}
