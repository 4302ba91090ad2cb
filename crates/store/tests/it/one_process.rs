//! One process, one writer; and what happens at the end.

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use store::{DataFolder, Error, Store};

use crate::child::{Running, say, wait_for_the_end};
use crate::fixture::{Place, barrier, hold_writer, options, relaxed, submit};
use crate::raw;
use crate::sample::{beginning, create_session, session_id};

/// In the child: has the folder, and keeps it.
pub(crate) fn hold(folder: &Path) {
    let folder = DataFolder::create(folder).unwrap();
    let _store = Store::open(&options(&folder)).unwrap();
    say("open");
    wait_for_the_end();
}

/// STO-13: a second process is refused and told who has the folder; it may have it as soon as the
/// first is gone, however that went.
#[test]
fn a_second_process_is_refused_until_the_first_is_gone() {
    let place = Place::new();
    let mut first = Running::start("hold", place.folder.root());
    assert_eq!(first.heard().as_deref(), Some("open"));
    match place.try_open() {
        Err(Error::InUse { folder, pid }) => {
            assert_eq!(folder, place.folder.root());
            assert_eq!(pid, Some(first.pid()));
        }
        other => panic!("{other:?}"),
    }
    first.kill();
    let (_, opened) = place.try_open().unwrap();
    assert_eq!(opened.epoch, 2);
}

/// STO-13: the same inside one process.
#[test]
fn a_second_open_in_the_same_process_is_refused() {
    let place = Place::new();
    let store = place.open();
    match place.try_open() {
        Err(Error::InUse { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    store.apply(barrier(beginning(1))).unwrap();
    store.close().unwrap();
    place.open();
}

/// STO-13: whoever lost the folder to a newer process cannot write, not even the mark of a clean
/// exit.
#[test]
fn a_process_of_an_older_epoch_cannot_write() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    raw::execute(&place.database(), "UPDATE runtime SET epoch = epoch + 1");
    let before = raw::rows(&place.database());
    for transition in [barrier(beginning(2)), relaxed(beginning(2))] {
        let error = store.apply(transition).unwrap_err();
        assert!(matches!(error, Error::Fenced), "{error:?}");
        assert!(!error.is_retryable());
    }
    assert!(matches!(store.close(), Err(Error::Fenced)));
    assert_eq!(before, raw::rows(&place.database()));
    let clean = raw::number(&place.database(), "SELECT clean_exit FROM runtime", []);
    assert_eq!(clean, 0);
}

/// SEC-7: two stores in one process know nothing of each other.
#[test]
fn two_stores_in_one_process_share_nothing() {
    let (one, other) = (Place::new(), Place::new());
    let (first, second) = (one.open(), other.open());
    thread::scope(|scope| {
        scope.spawn(|| (1..50).for_each(|n| first.apply(relaxed(beginning(n))).unwrap()));
        scope.spawn(|| (50..80).for_each(|n| second.apply(barrier(beginning(n))).unwrap()));
    });
    first.close().unwrap();
    assert!(matches!(
        first.apply(barrier(beginning(90))),
        Err(Error::Closed)
    ));
    second.apply(barrier(beginning(90))).unwrap();
    let count = |place: &Place| raw::number(&place.database(), "SELECT count(*) FROM runs", []);
    assert_eq!((count(&one), count(&other)), (49, 31));
}

/// What was submitted before a close is written; what comes after is refused, and hears of it.
#[test]
fn closing_writes_what_is_queued_and_refuses_the_rest() {
    let place = Place::new();
    let store = place.open();
    let held = hold_writer(&store);
    let queued: Vec<_> = (1..=300)
        .map(|number| submit(&store, relaxed(vec![create_session(session_id(number))])))
        .collect();
    thread::scope(|scope| {
        let closing = scope.spawn(|| store.close());
        drop(held);
        closing.join().unwrap().unwrap();
    });
    for answer in queued {
        answer.recv().unwrap().unwrap();
    }
    let late = store.apply(barrier(vec![create_session(session_id(999))]));
    assert!(matches!(late, Err(Error::Closed)), "{late:?}");
    let read = store.read(|reader| reader.session_rows(1, false));
    assert!(matches!(read, Err(Error::Closed)), "{read:?}");
    assert!(matches!(store.backup(1), Err(Error::Closed)));
    store.close().unwrap();
    assert!(
        !place.log().exists(),
        "closed: everything is in the database"
    );
    let (store, opened) = place.try_open().unwrap();
    assert!(opened.was_clean);
    assert_eq!(
        store
            .read(|reader| reader.session_rows(1_000, false))
            .unwrap()
            .len(),
        300
    );
}

/// Looked at for a while: a folder that is given away too early is so within milliseconds.
fn assert_stays_taken(place: &Place) {
    for _ in 0..20 {
        let result = place.try_open();
        assert!(matches!(result, Err(Error::InUse { .. })), "{result:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A second close returns only when the first is through, and the folder is not given away before.
#[test]
fn closing_from_two_places_gives_the_folder_away_once_all_is_written() {
    let place = Place::new();
    let store = place.open();
    let held = hold_writer(&store);
    let queued = submit(&store, barrier(beginning(1)));
    thread::scope(|scope| {
        let first = scope.spawn(|| store.close());
        // The first has begun once writes are refused.
        while !matches!(
            submit(&store, relaxed(Vec::new())).try_recv(),
            Ok(Err(Error::Closed))
        ) {
            thread::yield_now();
        }
        let (sender, second_is_back) = channel();
        let (store, place) = (&store, &place);
        scope.spawn(move || {
            store.close().unwrap();
            sender
                .send(place.try_open().map(|(_, opened)| opened.was_clean))
                .unwrap();
        });
        assert_stays_taken(place);
        assert!(second_is_back.try_recv().is_err(), "nothing is through yet");
        drop(held);
        first.join().unwrap().unwrap();
        assert!(
            second_is_back.recv().unwrap().unwrap(),
            "all was written, and marked clean"
        );
    });
    queued.recv().unwrap().unwrap();
}

/// A read that is under way when the store is closed ends first: its connection would otherwise be
/// the last one, and delete the log of whoever has the folder by then.
#[test]
fn closing_waits_for_reads_under_way() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let (reading, is_reading) = channel();
    let (release, released) = channel::<()>();
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            store.read(move |reader| {
                let rows = reader.session_rows(1, false)?;
                reading.send(()).unwrap();
                assert!(released.recv().is_err());
                assert_eq!(reader.session_rows(1, false)?, rows);
                Ok(())
            })
        });
        is_reading.recv().unwrap();
        let closing = scope.spawn(|| store.close());
        // Refused reads show that the close has begun.
        while store.read(|reader| reader.session_rows(1, false)).is_ok() {
            thread::yield_now();
        }
        assert_stays_taken(&place);
        drop(release);
        reader.join().unwrap().unwrap();
        closing.join().unwrap().unwrap();
    });
    assert!(!place.log().exists());
    place.open();
}

/// A read that panics gives its connection back.
#[test]
fn a_read_that_panics_costs_no_connection() {
    let place = Place::new();
    let store = place.open();
    for _ in 0..10 {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            store.read(|_| -> Result<(), Error> { panic!("in a read") })
        }));
        assert!(result.is_err());
    }
    store.read(|reader| reader.session_rows(1, false)).unwrap();
    store.close().unwrap();
}
