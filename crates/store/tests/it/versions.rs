//! Older and newer databases. What needs a longer schema than there is lies beside `open.rs`.

use store::{Error, SCHEMA_VERSION};

use crate::fixture::{Place, barrier, names};
use crate::raw;
use crate::sample::beginning;

/// STO-11: refused with both versions named; not a byte changes, in the file or in its log.
#[test]
fn a_newer_database_is_refused_untouched() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let connection = raw::connect(&place.database());
    connection.pragma_update(None, "user_version", 99).unwrap();
    let crashed = place.crash_image();
    drop(connection);
    store.close().unwrap();
    let closed = place.crash_image();
    for newer in [crashed, closed] {
        let before = newer.bytes();
        for _ in 0..2 {
            match newer.try_open() {
                Err(Error::Newer { found, known }) => {
                    assert_eq!((found, known), (99, SCHEMA_VERSION))
                }
                other => panic!("{other:?}"),
            }
            assert!(before == newer.bytes());
        }
        assert_eq!(names(&newer.folder.backups()), Vec::<String>::new());
        assert_eq!(names(&newer.folder.damaged()), Vec::<String>::new());
    }
}

fn schema(place: &Place) -> Vec<Vec<rusqlite::types::Value>> {
    raw::all(
        &raw::connect(&place.database()),
        "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid",
    )
}

/// STO-11: opening again migrates nothing, and needs no backup.
#[test]
fn opening_again_changes_neither_schema_nor_rows() {
    let place = Place::new();
    let (store, opened) = place.try_open().unwrap();
    assert!(opened.is_new && opened.was_clean);
    assert_eq!((opened.epoch, opened.migrated_from), (1, None));
    store.apply(barrier(beginning(1))).unwrap();
    store.close().unwrap();
    let before = (schema(&place), raw::rows(&place.database()));
    for epoch in 2..5 {
        let (store, opened) = place.try_open().unwrap();
        assert!(!opened.is_new && opened.was_clean);
        assert_eq!((opened.epoch, opened.migrated_from), (epoch, None));
        store.close().unwrap();
        assert_eq!(before, (schema(&place), raw::rows(&place.database())));
    }
    assert_eq!(names(&place.folder.backups()), Vec::<String>::new());
    let version = raw::number(&place.database(), "PRAGMA user_version", []);
    assert_eq!(version, i64::from(SCHEMA_VERSION));
}

/// An exit counts as clean once it was said so, and not before.
#[test]
fn an_exit_without_close_is_seen_at_the_next_start() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let image = place.crash_image();
    let (store, opened) = image.try_open().unwrap();
    assert!(!opened.was_clean);
    store.close().unwrap();
    let (_, opened) = image.try_open().unwrap();
    assert!(opened.was_clean);
}
