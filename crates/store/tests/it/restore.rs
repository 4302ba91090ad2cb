//! The way back from a backup, cut off wherever it may be.

use std::fs;
use std::path::Path;

use store::{DataFolder, Error, Store, restore_newest_backup};

use crate::child::{Running, say};
use crate::fixture::{Dice, Place, barrier, names, options};
use crate::sample::{beginning, create_session, session_id};

/// A backup with one session, and a database that went on to a second one and was then damaged
/// after a crash, so that there is a log beside it.
fn damaged_with_a_backup() -> Place {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let info = store.backup(100).unwrap();
    store
        .apply(barrier(vec![create_session(session_id(2))]))
        .unwrap();
    let image = place.crash_image();
    fs::copy(
        place.folder.backups().join(&info.file_name),
        image.folder.backups().join(&info.file_name),
    )
    .unwrap();
    fs::write(image.database(), "garbage").unwrap();
    image
}

fn sessions(store: &Store) -> usize {
    store
        .read(|reader| reader.session_rows(100, false))
        .unwrap()
        .len()
}

/// STO-10: the data of the backup is back, and what stood there is kept.
#[test]
fn restoring_brings_the_newest_backup_and_keeps_what_was_there() {
    let place = damaged_with_a_backup();
    let (_, log) = place.bytes();
    assert!(matches!(place.try_open(), Err(Error::Damaged { .. })));
    let info = restore_newest_backup(&place.folder, 1, 777).unwrap();
    assert_eq!(info.file_name, "holdfast-100-schema7.db");
    let damaged = place.folder.damaged();
    assert_eq!(
        fs::read(damaged.join("replaced-777.db")).unwrap(),
        b"garbage"
    );
    assert_eq!(fs::read(damaged.join("replaced-777.db-wal")).ok(), log);
    let (store, opened) = place.try_open().unwrap();
    assert!(!opened.is_new);
    assert_eq!(sessions(&store), 1);
    store.apply(barrier(beginning(5))).unwrap();
    store.close().unwrap();
    assert_eq!(names(&place.folder.backups()), ["holdfast-100-schema7.db"]);
}

/// STO-10: two restores at the same time of the clock keep both of what they replaced.
#[test]
fn restoring_twice_overwrites_nothing_that_was_put_aside() {
    let place = damaged_with_a_backup();
    restore_newest_backup(&place.folder, 1, 777).unwrap();
    let restored = fs::read(place.database()).unwrap();
    restore_newest_backup(&place.folder, 1, 777).unwrap();
    let damaged = place.folder.damaged();
    assert_eq!(
        fs::read(damaged.join("replaced-777.db")).unwrap(),
        b"garbage"
    );
    assert_eq!(fs::read(damaged.join("replaced-778.db")).unwrap(), restored);
}

/// STO-10.
#[test]
fn restoring_without_a_backup_fails_and_changes_nothing() {
    let place = damaged_with_a_backup();
    for name in names(&place.folder.backups()) {
        fs::write(place.folder.backups().join(name), "garbage too").unwrap();
    }
    let before = (place.bytes(), names(place.folder.root()));
    let error = restore_newest_backup(&place.folder, 1, 777).unwrap_err();
    assert!(matches!(error, Error::NoBackup { .. }), "{error:?}");
    assert!(before.0 == place.bytes());
    assert_eq!(names(&place.folder.damaged()), Vec::<String>::new());
}

/// STO-13: nobody's database is replaced under their feet.
#[test]
fn restoring_a_folder_in_use_is_refused() {
    let place = Place::new();
    let store = place.open();
    store.backup(100).unwrap();
    let error = restore_newest_backup(&place.folder, 1, 777).unwrap_err();
    assert!(matches!(error, Error::InUse { .. }), "{error:?}");
    store.apply(barrier(beginning(1))).unwrap();
}

/// STO-10: a crash between any two steps of a restore. It must never look like a new
/// installation, nor like the old database without its log, nor apply the old log to the backup.
#[test]
fn a_restore_that_was_cut_off_is_finished_by_the_next_start() {
    let backup = |place: &Place| place.folder.backups().join("holdfast-100-schema7.db");
    let decided = |place: &Place| place.folder.root().join("holdfast.db.restored-777");
    let aside = |place: &Place, suffix: &str| {
        place
            .folder
            .damaged()
            .join(format!("replaced-777.db{suffix}"))
    };
    type Step<'a> = Box<dyn Fn(&Place) + 'a>;
    let steps: [Step<'_>; 4] = [
        Box::new(|place| assert!(fs::copy(backup(place), decided(place)).unwrap() > 0)),
        Box::new(|place| fs::rename(place.database(), aside(place, "")).unwrap()),
        Box::new(|place| fs::rename(place.log(), aside(place, "-wal")).unwrap()),
        Box::new(|place| fs::rename(decided(place), place.database()).unwrap()),
    ];
    for done in 1..=steps.len() {
        let place = damaged_with_a_backup();
        let log = fs::read(place.log()).unwrap();
        steps[..done].iter().for_each(|step| step(&place));
        let (store, opened) = place.try_open().unwrap();
        assert!(!opened.is_new, "after {done}");
        assert_eq!(sessions(&store), 1, "after {done}");
        store.close().unwrap();
        assert_eq!(
            fs::read(aside(&place, "")).unwrap(),
            b"garbage",
            "after {done}"
        );
        assert_eq!(
            fs::read(aside(&place, "-wal")).unwrap(),
            log,
            "after {done}"
        );
        assert!(!decided(&place).exists());
    }
}

/// STO-10: before the backup is whole beside the database nothing was decided.
#[test]
fn a_restore_cut_off_while_copying_changes_nothing() {
    let place = damaged_with_a_backup();
    let half = place
        .folder
        .root()
        .join("holdfast.db.restored-777.unfinished");
    fs::write(&half, "SQLite format 3").unwrap();
    let before = place.bytes();
    let error = place.try_open().unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
    assert!(before == place.bytes());
    assert!(!half.exists());
}

/// In the child: restores, opens and closes, over and over.
pub(crate) fn restore_for_ever(folder: &Path) {
    let folder = DataFolder::create(folder).unwrap();
    for at_ms in 1.. {
        restore_newest_backup(&folder, std::process::id(), at_ms).unwrap();
        say("restored");
        let (store, _) = Store::open(&options(&folder)).unwrap();
        store.apply(barrier(beginning(2))).unwrap();
        say("written");
    }
}

/// STO-10: the same with real processes that are ended at any instruction.
#[test]
fn a_process_that_ends_while_restoring_never_loses_the_data() {
    let place = damaged_with_a_backup();
    let mut dice = Dice(77);
    for _ in 0..12 {
        let mut child = Running::start("restore_for_ever", place.folder.root());
        for _ in 0..=dice.roll(12) {
            child.heard().expect("the child goes on");
        }
        child.kill();
        let (store, opened) = place.try_open().unwrap();
        assert!(!opened.is_new);
        assert!((1..=2).contains(&sessions(&store)));
    }
}
