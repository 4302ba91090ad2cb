//! The layer on plain SQLite, and images of records made by hand.
#![expect(
    clippy::disallowed_methods,
    reason = "tests of the layer below SQLite open SQLite"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::replay::apply;
use super::*;

/// A database with one table, at rest; and the watch over it.
struct Place {
    dir: tempfile::TempDir,
    watch: Watch,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let watched = dir.path().join("watched");
        std::fs::create_dir(&watched).unwrap();
        std::fs::create_dir(dir.path().join("stage")).unwrap();
        let watch = Watch::new(&watched).unwrap();
        let place = Self { dir, watch };
        let connection = place.connect();
        connection
            .execute_batch("CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB)")
            .unwrap();
        connection.close().unwrap();
        place
    }

    fn database(&self) -> PathBuf {
        self.dir.path().join("watched").join("plain.db")
    }

    fn stage(&self) -> PathBuf {
        self.dir.path().join("stage")
    }

    fn connect(&self) -> Connection {
        let connection = Connection::open(self.database()).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 30;",
            )
            .unwrap();
        connection
    }
}

fn insert(connection: &Connection, number: u64) -> rusqlite::Result<usize> {
    let body = vec![number as u8; 100 + (number as usize * 997) % 9_000];
    connection.execute("INSERT INTO rows VALUES (?1, ?2)", (number, body))
}

fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT count(*) FROM rows", [], |row| row.get(0))
}

/// What stock SQLite finds in the staged files.
fn found(stage: &Path) -> rusqlite::Result<u64> {
    let connection = Connection::open(stage.join("plain.db"))?;
    connection.set_db_config(
        rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
        true,
    )?;
    let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Err(rusqlite::Error::InvalidQuery);
    }
    count(&connection)
}

#[derive(Debug, Default, PartialEq)]
struct Tally {
    images: usize,
    lost: usize,
    unreadable: usize,
}

/// Forty rows, each acknowledged after its commit; a power cut after every operation.
fn cut_everywhere(setting: Setting) -> Tally {
    let place = Place::new();
    place.watch.keep_at(setting);
    place.watch.record(&place.database()).unwrap();
    let connection = place.connect();
    let mut acknowledged = Vec::new();
    for number in 1..=40 {
        insert(&connection, number).unwrap();
        acknowledged.push(place.watch.position());
    }
    connection.close().unwrap();
    let record = place.watch.take_record();
    let mut stage = Stage::new(&place.stage(), &record);
    let mut tally = Tally::default();
    loop {
        let position = stage.replay().position();
        let expected = acknowledged.iter().filter(|at| **at <= position).count() as u64;
        for kept in Kept::choices(3, position as u64) {
            let image = stage.replay().image(kept);
            stage.put(&image).unwrap();
            tally.images += 1;
            match found(stage.folder()) {
                Ok(rows) => tally.lost += usize::from(rows < expected),
                Err(_) => tally.unreadable += 1,
            }
        }
        if !stage.advance().unwrap() {
            return tally;
        }
    }
}

/// FULL loses nothing; NORMAL loses what it acknowledged and stays readable; OFF is not even that.
#[test]
fn a_power_cut_tells_the_settings_apart() {
    let full = cut_everywhere(Setting::AsAsked);
    assert!(full.images > 1_000, "{full:?}");
    assert_eq!((full.lost, full.unreadable), (0, 0), "{full:?}");
    let normal = cut_everywhere(Setting::Normal);
    assert!(normal.lost > normal.images / 10, "{normal:?}");
    assert_eq!(normal.unreadable, 0, "{normal:?}");
    let off = cut_everywhere(Setting::Off);
    assert!(off.lost > 0 && off.unreadable > 0, "{off:?}");
}

const LOG: FileId = FileId(1);

/// A database of one page and a log that is made, written, synced, written, and deleted.
fn by_hand() -> Record {
    let write = |offset, byte| Operation::Write {
        file: LOG,
        offset,
        bytes: vec![byte; 4_096],
    };
    Record {
        base: vec![("a.db".to_owned(), vec![7; 4_096])],
        operations: vec![
            Operation::Create {
                file: LOG,
                name: "a.db-wal".to_owned(),
            },
            write(0, 1),
            Operation::Sync {
                file: LOG,
                with_names: true,
            },
            write(1_000, 2),
            Operation::Delete {
                name: "a.db-wal".to_owned(),
                with_names: false,
            },
        ],
    }
}

type Content = BTreeMap<String, Vec<u8>>;

/// An image worked out the long way.
fn content(replay: &Replay<'_>, kept: Kept) -> Content {
    let image = replay.image(kept);
    let files = image.files.iter().map(|file| {
        let mut bytes = replay.state(file.file).durable.clone();
        for change in &file.changes {
            apply(&mut bytes, *change);
        }
        (file.name.to_owned(), bytes)
    });
    files.collect()
}

fn after(record: &Record, operations: usize) -> Replay<'_> {
    let mut replay = Replay::new(record);
    for _ in 0..operations {
        assert!(replay.advance());
    }
    replay
}

fn log(content: &Content) -> Option<&[u8]> {
    content.get("a.db-wal").map(Vec::as_slice)
}

#[test]
fn what_was_synced_is_in_every_image_and_what_was_not_may_be() {
    let record = by_hand();
    let replay = after(&record, 2);
    assert_eq!(log(&content(&replay, Kept::Nothing)), None);
    assert_eq!(
        log(&content(&replay, Kept::Everything)).unwrap(),
        [1; 4_096]
    );
    let replay = after(&record, 4);
    for kept in Kept::choices(200, 1) {
        let content = content(&replay, kept);
        assert_eq!(content["a.db"], [7; 4_096]);
        let log = log(&content).unwrap();
        assert!(log.len() >= 4_096, "{}", log.len());
        assert_eq!(log[..1_000], [1; 1_000], "{kept:?}");
    }
    assert_eq!(log(&content(&replay, Kept::Nothing)).unwrap(), [1; 4_096]);
    assert_eq!(
        log(&content(&replay, Kept::Everything)).unwrap().len(),
        5_096
    );
}

#[test]
fn a_write_is_torn_at_sectors_and_nothing_beside_it_changes() {
    let record = by_hand();
    let replay = after(&record, 4);
    let mut torn = 0;
    for seed in 0..200 {
        let content = content(&replay, Kept::Some(seed));
        let log = log(&content).unwrap();
        let written = &log[1_000..log.len().min(5_096)];
        // A sector ends at a multiple of 512, and is old, new, or room without content.
        for sector in written[24..].chunks(512) {
            let expected = sector[0];
            assert!(matches!(expected, 0..=2));
            let is_whole = sector.iter().all(|byte| *byte == expected);
            // The old end of the file is inside of a sector.
            assert!(is_whole || sector.len() < 512, "{seed}: {sector:?}");
        }
        let kinds = [1, 2].map(|byte| written.contains(&byte));
        torn += usize::from(kinds == [true, true] && written.len() > 3_096);
    }
    assert!(torn > 20, "{torn}");
}

#[test]
fn a_deletion_may_have_reached_the_folder_or_not() {
    let record = by_hand();
    let replay = after(&record, 5);
    assert!(log(&content(&replay, Kept::Nothing)).is_some());
    assert!(log(&content(&replay, Kept::Everything)).is_none());
    let there = (0..100)
        .filter(|seed| log(&content(&replay, Kept::Some(*seed))).is_some())
        .count();
    assert!((1..100).contains(&there), "{there}");
    // Where SQLite asks for the folder to be synced, it is gone for good.
    let mut synced = record.clone();
    synced.operations[4] = Operation::Delete {
        name: "a.db-wal".to_owned(),
        with_names: true,
    };
    let replay = after(&synced, 5);
    assert!(log(&content(&replay, Kept::Nothing)).is_none());
}

#[test]
fn the_staged_files_are_the_image_byte_for_byte() {
    let record = by_hand();
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::new(dir.path(), &record);
    loop {
        for kept in Kept::choices(40, 3) {
            let image = stage.replay().image(kept);
            stage.put(&image).unwrap();
            // What whoever looks at it leaves behind is taken away again.
            std::fs::write(dir.path().join("a.db-shm"), "left").unwrap();
            for (name, expected) in content(stage.replay(), kept) {
                assert_eq!(std::fs::read(dir.path().join(name)).unwrap(), expected);
            }
            let has_log = image.files.len() == 2;
            assert_eq!(dir.path().join("a.db-wal").exists(), has_log);
        }
        if !stage.advance().unwrap() {
            return;
        }
    }
}

#[test]
fn images_are_the_same_for_the_same_seed() {
    let record = by_hand();
    let replay = after(&record, 4);
    let prints = |seed| -> Vec<u64> {
        let choices = Kept::choices(20, seed);
        choices.map(|kept| replay.image(kept).fingerprint).collect()
    };
    assert_eq!(prints(5), prints(5));
    assert_ne!(prints(5), prints(6));
}

fn written(record: &Record, from: usize) -> Vec<usize> {
    let lengths = record.operations[from..].iter().map(|operation| {
        let Operation::Write { bytes, .. } = operation else {
            return None;
        };
        Some(bytes.len())
    });
    lengths.flatten().collect()
}

/// The calls before it are made, it is not, and the same call works when the fault is gone.
#[test]
fn a_fault_strikes_just_there() {
    for at in 1..=4 {
        for is_lasting in [false, true] {
            let place = Place::new();
            place.watch.record(&place.database()).unwrap();
            let connection = place.connect();
            insert(&connection, 1).unwrap();
            let before = place.watch.position();
            place.watch.set_fault(Fault {
                failure: Failure::Full,
                at,
                is_lasting,
            });
            let error = insert(&connection, 9).unwrap_err();
            let code = error.sqlite_error_code();
            assert_eq!(code, Some(rusqlite::ErrorCode::DiskFull));
            assert_eq!(place.watch.struck(), 1);
            assert_eq!(insert(&connection, 9).is_err(), is_lasting);
            assert_eq!(place.watch.clear_fault(), 1 + u64::from(is_lasting));
            if is_lasting {
                let record = place.watch.take_record();
                assert_eq!(written(&record, before).len() as u64, at - 1);
                insert(&connection, 9).unwrap();
            }
            assert_eq!(count(&connection).unwrap(), 2);
        }
    }
}

/// Every kind of call can be the one, and nothing is harmed by it.
#[test]
fn every_call_can_fail() {
    let place = Place::new();
    let mut next = 1;
    for at in 1.. {
        place.watch.set_fault(Fault {
            failure: Failure::IoError,
            at,
            is_lasting: false,
        });
        let opened = Connection::open(place.database());
        let inserted = opened.and_then(|connection| {
            connection.execute_batch("PRAGMA synchronous = FULL")?;
            insert(&connection, next)
        });
        let struck = place.watch.clear_fault();
        let connection = Connection::open(place.database()).unwrap();
        let rows = count(&connection).unwrap();
        assert!(rows == next || (rows + 1 == next && inserted.is_err()));
        next = rows + 1;
        let check: String = connection
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
        if struck == 0 {
            assert!(at > 30, "{at}");
            return;
        }
    }
}

#[test]
fn a_failed_sync_is_told_as_such() {
    let place = Place::new();
    let connection = place.connect();
    place.watch.set_fault(Fault {
        failure: Failure::SyncError,
        at: 1,
        is_lasting: false,
    });
    let error = insert(&connection, 1).unwrap_err();
    let code = error.sqlite_error().map(|error| error.extended_code);
    assert_eq!(code, Some(rusqlite::ffi::SQLITE_IOERR_FSYNC));
    assert_eq!(place.watch.clear_fault(), 1);
}

#[test]
fn a_short_write_leaves_one_half() {
    let place = Place::new();
    place.watch.record(&place.database()).unwrap();
    let connection = place.connect();
    insert(&connection, 1).unwrap();
    let before = place.watch.position();
    place.watch.set_fault(Fault {
        failure: Failure::ShortWrite,
        at: 2,
        is_lasting: false,
    });
    insert(&connection, 2).unwrap_err();
    let record = place.watch.take_record();
    assert_eq!(written(&record, before), [24, 2_048]);
}

/// Several connections share the log's index and its locks through the layer.
#[test]
fn readers_see_their_own_state_beside_a_writer() {
    let place = Place::new();
    let (writer, reader) = (place.connect(), place.connect());
    insert(&writer, 1).unwrap();
    let held = reader.unchecked_transaction().unwrap();
    assert_eq!(count(&held).unwrap(), 1);
    insert(&writer, 2).unwrap();
    assert_eq!(count(&held).unwrap(), 1);
    drop(held);
    assert_eq!(count(&reader).unwrap(), 2);
    assert!(place.database().with_file_name("plain.db-wal").exists());
}

/// A path that nobody watches is none of the layer's.
#[test]
fn other_files_go_through_untouched() {
    let place = Place::new();
    place.watch.record(&place.database()).unwrap();
    place.watch.set_fault(Fault {
        failure: Failure::IoError,
        at: 1,
        is_lasting: true,
    });
    let other = Connection::open(place.stage().join("other.db")).unwrap();
    other
        .execute_batch("CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB)")
        .unwrap();
    insert(&other, 1).unwrap();
    assert_eq!(place.watch.clear_fault(), 0);
    assert!(place.watch.take_record().operations.is_empty());
}
