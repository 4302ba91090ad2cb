//! A look from outside, which takes nothing and changes nothing.

use store::{Error, inspect};

use crate::fixture::{Place, barrier, names};
use crate::sample::beginning;

/// While the store is open, after a crash, and after a close.
#[test]
fn inspecting_counts_rows_and_changes_nothing() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let crashed = place.crash_image();
    for looked_at in [&place, &crashed] {
        let before = looked_at.bytes();
        let found = inspect(looked_at.folder.root()).unwrap();
        assert_eq!((found.schema, found.finding), (store::SCHEMA_VERSION, None));
        assert!(
            found.rows.contains(&("deltas".to_owned(), 2)),
            "{:?}",
            found.rows
        );
        assert!(before == looked_at.bytes());
    }
    store.apply(barrier(beginning(2))).unwrap();
    store.close().unwrap();
    inspect(place.folder.root()).unwrap();
    let (_, opened) = place.try_open().unwrap();
    assert!(opened.was_clean && !opened.is_new);
}

/// Looking where there is nothing does not make a database.
#[test]
fn inspecting_nothing_makes_nothing() {
    let place = Place::new();
    let before = names(place.folder.root());
    let error = inspect(place.folder.root()).unwrap_err();
    assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
    assert_eq!(names(place.folder.root()), before);
}
