//! Which backups are made and kept.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use store::{Change, newest_backup};

use crate::fixture::{Place, barrier, names, relaxed};
use crate::raw;
use crate::sample::{add_message, beginning, create_session, message, message_id, session_id};

/// STO-17: a backup is one sound file of its own.
#[test]
fn a_backup_is_a_single_sound_file() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let info = store.backup(5_000).unwrap();
    assert_eq!(info.file_name, "holdfast-5000-schema7.db");
    assert_eq!(names(&place.folder.backups()), ["holdfast-5000-schema7.db"]);
    let path = place.folder.backups().join(&info.file_name);
    assert_eq!(info.bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(raw::rows(&path), raw::rows(&place.database()));
    assert_eq!(newest_backup(&place.folder), Some(info));
    assert_eq!(names(&place.folder.backups()), ["holdfast-5000-schema7.db"]);
}

/// STO-17: the newest five are kept.
#[test]
fn the_oldest_backups_go_and_nothing_else() {
    let place = Place::new();
    let store = place.open();
    let notes = place.folder.backups().join("notes.txt");
    fs::write(&notes, "mine").unwrap();
    for at_ms in [9, 10, 100, 1_000, 10_000, 100_000, 1_000_000] {
        store.backup(at_ms).unwrap();
    }
    assert_eq!(
        names(&place.folder.backups()),
        [
            "holdfast-100-schema7.db",
            "holdfast-1000-schema7.db",
            "holdfast-10000-schema7.db",
            "holdfast-100000-schema7.db",
            "holdfast-1000000-schema7.db",
            "notes.txt",
        ]
    );
}

/// STO-17: a clock that was set back does not make the backup of now the oldest, which would be
/// deleted as soon as it is made.
#[test]
fn a_clock_that_was_set_back_does_not_cost_the_newest_backup() {
    let place = Place::new();
    let store = place.open();
    for at_ms in 1_000_000..1_000_005 {
        store.backup(at_ms).unwrap();
    }
    store.apply(barrier(beginning(1))).unwrap();
    let info = store.backup(5).unwrap();
    assert_eq!(newest_backup(&place.folder), Some(info.clone()));
    let path = place.folder.backups().join(&info.file_name);
    assert_eq!(raw::number(&path, "SELECT count(*) FROM sessions", []), 1);
    assert_eq!(names(&place.folder.backups()).len(), 5);
}

/// STO-17: what cannot be read, is from a newer version or another program is passed over.
#[test]
fn only_a_sound_backup_of_ours_counts() {
    let place = Place::new();
    let store = place.open();
    assert_eq!(newest_backup(&place.folder), None);
    let sound = store.backup(1_000).unwrap();
    let backups = place.folder.backups();
    fs::write(backups.join("holdfast-2000-schema7.db"), "garbage").unwrap();
    fs::write(backups.join("holdfast-3000-schema7.db"), "").unwrap();
    let newer = backups.join("holdfast-4000-schema99.db");
    fs::copy(backups.join(&sound.file_name), &newer).unwrap();
    raw::execute(&newer, "PRAGMA user_version = 99");
    raw::execute(
        &backups.join("holdfast-5000-schema7.db"),
        "CREATE TABLE theirs (x); PRAGMA user_version = 1",
    );
    assert_eq!(newest_backup(&place.folder), Some(sound));
}

/// STO-17: a backup of a database that is being written all the time comes to an end, and is one
/// state of it.
#[test]
fn a_backup_ends_although_the_writer_never_rests() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    // More than is copied in one go.
    let text = "x".repeat(1_000_000);
    for position in 1..=20 {
        let one = message(message_id(position), position, &text);
        store
            .apply(relaxed(vec![add_message(session_id(1), one)]))
            .unwrap();
    }
    let is_done = AtomicBool::new(false);
    let path = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut count = 0_u64;
            while !is_done.load(Ordering::Relaxed) {
                count += 1;
                let change = Change::RenameSession {
                    session_id: session_id(1),
                    title: format!("{count}"),
                    at_ms: count,
                };
                store.apply(relaxed(vec![change])).unwrap();
            }
            count
        });
        let info = store.backup(1).unwrap();
        is_done.store(true, Ordering::Relaxed);
        assert!(writer.join().unwrap() > 0);
        place.folder.backups().join(info.file_name)
    });
    assert_eq!(raw::number(&path, "SELECT count(*) FROM messages", []), 20);
}
