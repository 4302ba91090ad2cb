//! SEC-4: the head of the chain, over crashes, restores, full disks and processes that come back.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use store::{AuditReport, restore_newest_backup};

use crate::audit::{intact, length, verify};
use crate::child::{Running, say};
use crate::fixture::{Dice, Place, barrier, open_when_free, relaxed};
use crate::raw;
use crate::sample::{beginning, create_session, session_id};
use crate::sample_whole::note_command;

fn head_file(place: &Place) -> std::path::PathBuf {
    place.folder.root().join("audit.head")
}

fn covered(place: &Place) -> u64 {
    verify(place).head.unwrap().length
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

fn rows(place: &Place) -> u64 {
    u64::try_from(length(place)).unwrap()
}

/// It follows the chain while the app runs, without a close, barrier or not.
#[test]
fn the_head_follows_the_chain() {
    let place = Place::new();
    let store = place.open();
    for (number, transition) in [barrier, relaxed].into_iter().enumerate() {
        let number = number as u64;
        store.apply(transition(beginning(number + 1))).unwrap();
        eventually("the renewal", || covered(&place) == rows(&place));
        let report = intact(&place);
        assert!(report.rows > number * 3 && report.notes.is_empty());
        assert!(!report.head.unwrap().is_closed);
    }
    store.close().unwrap();
    assert!(intact(&place).head.unwrap().is_closed);
}

/// A relaxed commit is not on disk yet: the head covers it only after the barrier that secures it.
#[test]
fn the_head_covers_only_what_a_barrier_has_secured() {
    let place = Place::new();
    let store = place.open();
    store.apply(relaxed(vec![note_command("x")])).unwrap();
    let secured = || raw::number(&place.database(), "SELECT barriers FROM runtime", []);
    eventually("the renewal", || {
        // In this order: the barrier comes first.
        let covered = covered(&place);
        assert!(
            covered == 1 || secured() == 1,
            "covered before it was secured"
        );
        covered == 2
    });
}

/// Many barriers share a renewal.
#[test]
fn the_head_is_not_renewed_at_every_barrier() {
    let place = Place::new();
    let store = place.open();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        store.apply(barrier(vec![note_command("x")])).unwrap();
        seen.insert(fs::read(head_file(&place)).unwrap());
    }
    assert!(seen.len() < 100, "{} heads in 200 barriers", seen.len());
    drop(store);
    assert_eq!(covered(&place), 201);
}

/// In the child: transitions that are told of, without an end.
pub(crate) fn audit_for_ever(folder: &Path) {
    let store = open_when_free(folder);
    let begun = raw::number(
        &folder.join("holdfast.db"),
        "SELECT count(*) FROM audit",
        [],
    );
    for count in 0_u64.. {
        let id = session_id(u64::try_from(begun).unwrap() + count);
        let changes = vec![note_command("create_session"), create_session(id)];
        let transition = if count % 3 == 0 {
            relaxed(changes)
        } else {
            barrier(changes)
        };
        store.apply(transition).unwrap();
        let rows = begun + 2 * (i64::try_from(count).unwrap() + 1);
        say(&rows.to_string());
    }
}

/// STO-3: wherever the process ends, the chain is whole, every row that was answered is in it, and
/// the head covers no row that is not there.
#[test]
fn the_chain_survives_the_end_of_the_process() {
    let place = Place::new();
    let mut dice = Dice(0xa0d17);
    let (mut acknowledged, mut lagged) = (0, 0);
    for _ in 0..12 {
        let mut child = Running::start("audit_for_ever", place.folder.root());
        let wanted = 1 + dice.roll(150);
        let mut said: Vec<String> = (0..wanted)
            .map(|_| child.heard().expect("the child goes on"))
            .collect();
        said.extend(child.kill());
        acknowledged = said
            .last()
            .unwrap()
            .parse::<u64>()
            .unwrap()
            .max(acknowledged);
        let report = intact(&place);
        let head = report.head.unwrap();
        assert!(report.rows >= acknowledged);
        assert!(head.length <= report.rows && !head.is_closed);
        lagged += u64::from(head.length < report.rows);
    }
    assert!(lagged > 0, "the head never lagged: nothing was tried");
    place.open().close().unwrap();
    assert!(intact(&place).notes.is_empty());
}

/// The files without the process, as a crash between two renewals leaves them.
#[test]
fn a_head_that_lags_is_no_finding() {
    let place = Place::new();
    let store = place.open();
    let head = fs::read(head_file(&place)).unwrap();
    store.apply(barrier(beginning(1))).unwrap();
    drop(store);
    fs::write(head_file(&place), head).unwrap();
    let report = intact(&place);
    assert!(report.notes[0].contains("Rows 2 to"), "{report:?}");
    // And the next start covers them.
    place.open().close().unwrap();
    assert!(intact(&place).notes.is_empty());
}

/// A row after the head that does not fit is found at the next start, before the head covers it.
#[test]
fn a_start_looks_at_what_the_head_does_not_cover() {
    let place = Place::new();
    let store = place.open();
    let head = fs::read(head_file(&place)).unwrap();
    store.apply(barrier(beginning(1))).unwrap();
    drop(store);
    fs::write(head_file(&place), head).unwrap();
    raw::execute(
        &place.database(),
        "DROP TRIGGER audit_is_append_only;
         UPDATE audit SET name = 'x' WHERE seq = 3;
         CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit
         BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    );
    place.open().close().unwrap();
    let report = verify(&place);
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|one| (one.what, one.row))
        .collect();
    assert_eq!(
        found,
        [("row_changed", Some(3)), ("chain_was_broken", Some(3))]
    );
}

/// A crash right after the first row, before there was a head.
#[test]
fn a_first_start_that_was_cut_off_is_no_finding() {
    let place = Place::new();
    drop(place.open());
    for name in ["audit.head", "audit.key"] {
        fs::remove_file(place.folder.root().join(name)).unwrap();
    }
    place.open().close().unwrap();
    intact(&place);
}

fn restored(place: &Place) -> AuditReport {
    restore_newest_backup(&place.folder, 1, 1_700_000_000_000).unwrap();
    let report = intact(place);
    assert_eq!(report.notes.len(), 1, "{report:?}");
    report
}

/// STO-10: the way back from a backup is told from a cut tail, by the app's own word for it.
#[test]
fn a_restored_backup_is_a_note_and_not_a_finding() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store.backup(100).unwrap();
    let in_backup = rows(&place);
    store.apply(barrier(beginning(2))).unwrap();
    let lost = rows(&place);
    store.close().unwrap();
    let expected = format!(
        "A backup was restored at 2023-11-14 22:13:20 UTC. The former chain had {lost} rows; it is \
         in damaged/replaced-1700000000000.db."
    );
    let report = restored(&place);
    assert_eq!((report.rows, &report.notes), (in_backup, &vec![expected]));
    // It goes on from there, and stays said.
    let store = place.open();
    store.apply(barrier(beginning(3))).unwrap();
    store.close().unwrap();
    let report = intact(&place);
    assert!(report.rows > in_backup);
    assert_eq!(report.notes.len(), 1);
    // A copy put there by hand is none of that.
    let backup = place.folder.backups().join("holdfast-100-schema7.db");
    fs::copy(backup, place.database()).unwrap();
    assert_eq!(verify(&place).findings[0].what, "tail_cut");
}

/// A restore that is cut off and finished by the next start is told once.
#[test]
fn a_restore_in_two_goes_is_told_once() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store.backup(100).unwrap();
    store.apply(barrier(beginning(2))).unwrap();
    store.close().unwrap();
    let head = fs::read(head_file(&place)).unwrap();
    restored(&place);
    // As if it had ended right before the last rename, with the new head and with the old one.
    for head in [fs::read(head_file(&place)).unwrap(), head] {
        let decided = place
            .folder
            .root()
            .join("holdfast.db.restored-1700000000000");
        fs::rename(place.database(), decided).unwrap();
        fs::write(head_file(&place), head).unwrap();
        place.open().close().unwrap();
        assert_eq!(intact(&place).notes.len(), 1);
    }
}

/// STO-13: a process that lost its folder and comes back leaves the head alone.
#[test]
fn a_replaced_process_does_not_renew_the_head() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    eventually("the renewal", || covered(&place) == rows(&place));
    // Another one takes over, which the lock would not allow.
    raw::execute(&place.database(), "UPDATE runtime SET epoch = epoch + 1");
    let before = fs::read(head_file(&place)).unwrap();
    assert!(store.apply(barrier(vec![note_command("x")])).is_err());
    assert!(store.close().is_err());
    drop(store);
    assert_eq!(fs::read(head_file(&place)).unwrap(), before);
}

/// The same when it had committed before it was replaced, and only then gets to write its head.
#[test]
fn a_head_of_a_later_process_is_not_overwritten() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(vec![note_command("x")])).unwrap();
    eventually("the renewal", || covered(&place) == rows(&place));
    let later =
        fs::read_to_string(head_file(&place))
            .unwrap()
            .replacen("\"epoch\":1", "\"epoch\":2", 1);
    fs::write(head_file(&place), &later).unwrap();
    for _ in 0..3 {
        store.apply(barrier(vec![note_command("x")])).unwrap();
    }
    store.close().unwrap();
    let found = fs::read_to_string(head_file(&place)).unwrap();
    assert!(found.contains("\"epoch\":2"), "{found}");
}

/// A disk that refuses the head keeps nobody from writing; it is renewed when the disk takes it.
#[test]
fn a_head_that_cannot_be_written_is_tried_again() {
    let place = Place::new();
    let store = place.open();
    // The name under which it is written is taken by a folder that cannot be removed as a file.
    let taken = place.folder.root().join("audit.head.unfinished");
    eventually("a moment without a renewal", || {
        fs::create_dir(&taken).is_ok()
    });
    store.apply(barrier(beginning(1))).unwrap();
    store.apply(barrier(beginning(2))).unwrap();
    let report = intact(&place);
    assert!(report.head.unwrap().length < report.rows, "it lags");
    // Long enough for every renewal to have failed, if the machine is not held up; else less is tried.
    thread::sleep(Duration::from_millis(1_500));
    fs::remove_dir(&taken).unwrap();
    eventually("the renewal", || covered(&place) == rows(&place));
    fs::create_dir(&taken).unwrap();
    store.apply(barrier(beginning(3))).unwrap();
    store.close().unwrap();
    let report = intact(&place);
    assert!(report.head.unwrap().length < report.rows, "it still lags");
    fs::remove_dir(&taken).unwrap();
    place.open().close().unwrap();
    assert_eq!(covered(&place), rows(&place));
}
