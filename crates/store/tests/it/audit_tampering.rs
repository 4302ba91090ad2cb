//! SEC-4: whatever somebody does to the chain, its head or its key is found, and where.

use std::fs;

use rusqlite::Connection;

use crate::audit::{hash_by_the_book, intact, length, verify};
use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::beginning;

/// A closed database with a chain of some twenty rows.
fn closed() -> Place {
    let place = Place::new();
    let store = place.open();
    for number in 1..=4 {
        store.apply(barrier(beginning(number))).unwrap();
    }
    store.close().unwrap();
    let rows = length(&place);
    assert!(rows > 15, "{rows}");
    intact(&place);
    place
}

/// Does to the rows what the triggers forbid, and puts the triggers back.
fn tamper(place: &Place, spoil: impl FnOnce(&Connection)) {
    let connection = raw::connect(&place.database());
    let triggers = raw::texts(
        &connection,
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'",
    );
    assert_eq!(triggers.len(), 2);
    connection
        .execute_batch("DROP TRIGGER audit_is_append_only; DROP TRIGGER audit_keeps_its_rows")
        .unwrap();
    spoil(&connection);
    for sql in triggers {
        connection.execute_batch(&sql).unwrap();
    }
}

fn tamper_sql(place: &Place, sql: &str) {
    tamper(place, |connection| connection.execute_batch(sql).unwrap());
}

/// Computes all hashes anew from this row on: the chain fits again.
fn mend_from(connection: &Connection, from: i64) {
    let last: i64 = connection
        .query_row("SELECT max(seq) FROM audit", [], |row| row.get(0))
        .unwrap();
    let mut prev = connection
        .query_row("SELECT hash FROM audit WHERE seq = ?1", [from - 1], |row| {
            row.get(0)
        })
        .unwrap_or(vec![0; 32]);
    for seq in from..=last {
        let hash = hash_by_the_book(connection, seq, &prev);
        connection
            .execute(
                "UPDATE audit SET prev = ?2, hash = ?3 WHERE seq = ?1",
                rusqlite::params![seq, prev, hash],
            )
            .unwrap();
        prev = hash;
    }
}

/// What is found, with the rows that it is about.
fn findings(place: &Place) -> Vec<(&'static str, Option<u64>, Option<u64>)> {
    let report = verify(place);
    assert_eq!(report.is_intact, report.findings.is_empty());
    let findings = report.findings.into_iter();
    findings
        .map(|one| (one.what, one.row, one.last_row))
        .collect()
}

fn file(place: &Place, name: &str) -> std::path::PathBuf {
    place.folder.root().join(name)
}

#[test]
fn an_edited_row_is_found() {
    for sql in [
        "UPDATE audit SET at_ms = at_ms + 1 WHERE seq = 7",
        "UPDATE audit SET epoch = 9 WHERE seq = 7",
        "UPDATE audit SET name = 'nothing' WHERE seq = 7",
        "UPDATE audit SET kind = 'chain' WHERE seq = 7",
        "UPDATE audit SET session_id = NULL WHERE seq = 7",
        "UPDATE audit SET run_id = session_id, session_id = run_id WHERE seq = 7",
        "UPDATE audit SET call_id = randomblob(16) WHERE seq = 7",
        "UPDATE audit SET subject_id = randomblob(16) WHERE seq = 7",
        "UPDATE audit SET status = 'denied' WHERE seq = 7",
        "UPDATE audit SET content = randomblob(32) WHERE seq = 7",
        "UPDATE audit SET prev = randomblob(32) WHERE seq = 7",
    ] {
        let place = closed();
        tamper_sql(&place, sql);
        assert_eq!(findings(&place), [("row_changed", Some(7), None)], "{sql}");
    }
}

/// Also with its own hash made to fit: the next row does not follow it.
#[test]
fn an_edited_row_with_a_new_hash_is_found() {
    let place = closed();
    tamper(&place, |connection| {
        let prev: Vec<u8> = connection
            .query_row("SELECT prev FROM audit WHERE seq = 7", [], |row| row.get(0))
            .unwrap();
        connection
            .execute("UPDATE audit SET status = 'denied' WHERE seq = 7", [])
            .unwrap();
        let hash = hash_by_the_book(connection, 7, &prev);
        connection
            .execute("UPDATE audit SET hash = ?1 WHERE seq = 7", [hash])
            .unwrap();
    });
    assert_eq!(findings(&place), [("link_broken", Some(8), None)]);
}

#[test]
fn removed_rows_are_found() {
    let place = closed();
    tamper_sql(&place, "DELETE FROM audit WHERE seq = 5");
    assert_eq!(findings(&place), [("rows_missing", Some(5), None)]);
    tamper_sql(&place, "DELETE FROM audit WHERE seq BETWEEN 9 AND 11");
    assert_eq!(
        findings(&place),
        [
            ("rows_missing", Some(5), None),
            ("rows_missing", Some(9), Some(11))
        ]
    );
    let place = closed();
    tamper_sql(&place, "DELETE FROM audit WHERE seq = 1");
    assert_eq!(findings(&place), [("rows_missing", Some(1), None)]);
}

/// Also when those after it close the gap: each of them says where it stood.
#[test]
fn a_removed_row_whose_gap_was_closed_is_found() {
    let place = closed();
    let rows = u64::try_from(length(&place)).unwrap();
    tamper_sql(
        &place,
        "DELETE FROM audit WHERE seq = 5;
         UPDATE audit SET seq = seq + 1000 WHERE seq > 5;
         UPDATE audit SET seq = seq - 1001 WHERE seq > 1000",
    );
    let found = findings(&place);
    assert_eq!(found[0], ("row_moved", Some(5), None));
    assert!(found.contains(&("tail_cut", Some(rows), None)), "{found:?}");
}

#[test]
fn a_cut_tail_is_found() {
    let place = closed();
    let rows = u64::try_from(length(&place)).unwrap();
    tamper_sql(
        &place,
        &format!("DELETE FROM audit WHERE seq > {}", rows - 3),
    );
    assert_eq!(findings(&place), [("tail_cut", Some(rows - 2), Some(rows))]);
    tamper_sql(&place, "DELETE FROM audit");
    assert_eq!(
        findings(&place),
        [
            ("table_empty", None, None),
            ("tail_cut", Some(1), Some(rows))
        ]
    );
    tamper_sql(&place, "SELECT 1");
    raw::execute(&place.database(), "DROP TABLE audit");
    assert!(findings(&place).contains(&("tail_cut", Some(1), Some(rows))));
}

#[test]
fn reordered_rows_are_found() {
    let place = closed();
    tamper_sql(
        &place,
        "UPDATE audit SET seq = 1000 WHERE seq = 6;
         UPDATE audit SET seq = 6 WHERE seq = 7;
         UPDATE audit SET seq = 7 WHERE seq = 1000",
    );
    assert_eq!(
        findings(&place),
        [("row_moved", Some(6), None), ("row_moved", Some(7), None)]
    );
}

const COLUMNS: &str = "at_ms, epoch, kind, name, session_id, run_id, call_id, subject_id, status, content, prev, hash";

/// Put between two others, with a hash of its own that fits.
#[test]
fn an_inserted_row_is_found() {
    let place = closed();
    tamper(&place, |connection| {
        connection
            .execute_batch(&format!(
                "UPDATE audit SET seq = seq + 1000 WHERE seq >= 6;
                 UPDATE audit SET seq = seq - 999 WHERE seq > 1000;
                 INSERT INTO audit (seq, {COLUMNS}) SELECT 6, {COLUMNS} FROM audit WHERE seq = 5"
            ))
            .unwrap();
        let prev: Vec<u8> = connection
            .query_row("SELECT hash FROM audit WHERE seq = 5", [], |row| row.get(0))
            .unwrap();
        connection
            .execute("UPDATE audit SET prev = ?1 WHERE seq = 6", [&prev])
            .unwrap();
        let hash = hash_by_the_book(connection, 6, &prev);
        connection
            .execute("UPDATE audit SET hash = ?1 WHERE seq = 6", [hash])
            .unwrap();
    });
    let found = findings(&place);
    assert_eq!(found[0], ("row_moved", Some(7), None), "{found:?}");
    assert!(found.iter().any(|one| one.0 == "rows_added"), "{found:?}");
}

/// Put at the end, where it fits the chain: the app had closed the database before.
#[test]
fn a_row_that_is_added_after_the_end_is_found() {
    let place = closed();
    let rows = length(&place);
    let sql = format!(
        "INSERT INTO audit (seq, {COLUMNS}) SELECT {}, {COLUMNS} FROM audit WHERE seq = 5",
        rows + 1
    );
    tamper(&place, |connection| {
        connection.execute_batch(&sql).unwrap();
        mend_from(connection, rows + 1);
    });
    let added = u64::try_from(rows).unwrap() + 1;
    assert_eq!(findings(&place), [("rows_added", Some(added), None)]);
}

/// Every hash computed anew: only the head knows better.
#[test]
fn a_chain_that_was_written_anew_is_found() {
    let place = closed();
    let rows = u64::try_from(length(&place)).unwrap();
    tamper(&place, |connection| {
        connection
            .execute("UPDATE audit SET status = 'denied' WHERE seq = 7", [])
            .unwrap();
        mend_from(connection, 7);
    });
    assert_eq!(findings(&place), [("chain_rewritten", Some(2), Some(rows))]);
    tamper(&place, |connection| {
        connection
            .execute("UPDATE audit SET at_ms = 1 WHERE seq = 1", [])
            .unwrap();
        mend_from(connection, 1);
    });
    assert_eq!(findings(&place), [("other_database", Some(1), Some(rows))]);
}

/// Another database with a sound chain of its own in the place of ours, longer or shorter; and an
/// older copy of ours.
#[test]
fn a_swapped_database_is_found() {
    let place = closed();
    let rows = u64::try_from(length(&place)).unwrap();
    let ours = fs::read(place.database()).unwrap();
    // One with fewer rows of its own.
    let other = Place::new();
    other.open().close().unwrap();
    fs::copy(other.database(), place.database()).unwrap();
    assert_eq!(findings(&place), [("tail_cut", Some(2), Some(rows))]);
    // One with more, begun at another time.
    let store = other.open();
    for number in 1..=9 {
        store.apply(barrier(beginning(number))).unwrap();
    }
    store.close().unwrap();
    tamper(&other, |connection| {
        connection
            .execute("UPDATE audit SET at_ms = 77 WHERE seq = 1", [])
            .unwrap();
        mend_from(connection, 1);
    });
    fs::copy(other.database(), place.database()).unwrap();
    let found = findings(&place);
    assert_eq!(found[0], ("other_database", Some(1), Some(rows)));
    assert_eq!(found[1].0, "rows_added");
    // Ours, as it was before.
    fs::write(place.database(), &ours).unwrap();
    intact(&place);
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    store.close().unwrap();
    fs::write(place.database(), ours).unwrap();
    assert_eq!(findings(&place)[0].0, "tail_cut");
}

#[test]
fn an_edited_head_is_found() {
    let place = closed();
    let path = file(&place, "audit.head");
    let genuine = fs::read_to_string(&path).unwrap();
    let last = genuine.rfind("\"}").unwrap();
    let mut forged = genuine.clone();
    forged.replace_range(last - 1..last, "x");
    for spoilt in [
        genuine.replacen("\"length\":", "\"length\":1", 1),
        genuine.replacen("\"is_closed\":true", "\"is_closed\":false", 1),
        forged,
        String::new(),
        genuine[..genuine.len() / 2].to_owned(),
    ] {
        fs::write(&path, &spoilt).unwrap();
        let found = findings(&place);
        assert_eq!(found[0].0, "head_changed", "{spoilt}: {found:?}");
    }
    // Somebody cuts the tail and makes the head fit, without the key.
    let rows = length(&place);
    tamper_sql(&place, &format!("DELETE FROM audit WHERE seq = {rows}"));
    let shorter = genuine.replacen(
        &format!("\"length\":{rows}"),
        &format!("\"length\":{}", rows - 1),
        1,
    );
    assert_ne!(genuine, shorter);
    fs::write(&path, shorter).unwrap();
    assert_eq!(findings(&place)[0].0, "head_changed");
}

#[test]
fn a_missing_head_or_key_is_found() {
    let place = closed();
    let (head, key) = (file(&place, "audit.head"), file(&place, "audit.key"));
    let (head_bytes, key_bytes) = (fs::read(&head).unwrap(), fs::read(&key).unwrap());
    assert_eq!(key_bytes.len(), 32);
    fs::remove_file(&head).unwrap();
    assert_eq!(findings(&place), [("head_missing", None, None)]);
    fs::write(&head, head_bytes).unwrap();
    fs::remove_file(&key).unwrap();
    assert_eq!(findings(&place), [("key_missing", None, None)]);
    fs::write(&key, &key_bytes[1..]).unwrap();
    assert_eq!(findings(&place), [("key_missing", None, None)]);
    fs::write(&key, [7; 32]).unwrap();
    assert_eq!(findings(&place), [("head_changed", None, None)]);
    fs::write(&key, key_bytes).unwrap();
    intact(&place);
}

#[test]
fn a_missing_trigger_is_found() {
    let place = closed();
    raw::execute(&place.database(), "DROP TRIGGER audit_keeps_its_rows");
    assert_eq!(findings(&place), [("trigger_missing", None, None)]);
}

/// The next start makes a new head, and does not make anybody forget: it stays said.
#[test]
fn a_start_does_not_mend_what_was_found() {
    type Spoil = fn(&Place);
    let cases: [(&str, Spoil); 7] = [
        ("tail_was_cut", |place| {
            tamper_sql(place, "DELETE FROM audit WHERE seq > 12");
        }),
        ("tail_was_cut", |place| {
            tamper_sql(place, "DELETE FROM audit");
        }),
        ("chain_was_replaced", |place| {
            tamper(place, |connection| {
                connection
                    .execute("UPDATE audit SET status = 'denied' WHERE seq = 7", [])
                    .unwrap();
                mend_from(connection, 7);
            });
        }),
        ("rows_were_added", |place| {
            let sql = format!(
                "INSERT INTO audit (seq, {COLUMNS})
                 SELECT (SELECT max(seq) + 1 FROM audit), {COLUMNS} FROM audit WHERE seq = 5"
            );
            tamper(place, |connection| {
                connection.execute_batch(&sql).unwrap();
                let last = raw::all(connection, "SELECT 1 FROM audit").len();
                mend_from(connection, i64::try_from(last).unwrap());
            });
        }),
        ("head_was_missing", |place| {
            fs::remove_file(file(place, "audit.head")).unwrap();
        }),
        ("key_was_missing", |place| {
            fs::remove_file(file(place, "audit.key")).unwrap();
        }),
        ("head_was_changed", |place| {
            fs::write(file(place, "audit.head"), "{}").unwrap();
        }),
    ];
    for (expected, spoil) in cases {
        let place = closed();
        spoil(&place);
        for _ in 0..2 {
            let store = place.open();
            store.close().unwrap();
            let found = findings(&place);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, expected);
        }
    }
}

/// Somebody who spoils the audit does not keep the app from working: it is said, and that is all.
#[test]
fn a_spoilt_audit_keeps_nobody_from_their_sessions() {
    let place = closed();
    let rows = u64::try_from(length(&place)).unwrap();
    tamper_sql(
        &place,
        "PRAGMA ignore_check_constraints = ON;
         UPDATE audit SET hash = x'00', at_ms = -5 WHERE seq = (SELECT max(seq) FROM audit)",
    );
    fs::remove_file(file(&place, "audit.head")).unwrap();
    fs::create_dir(file(&place, "audit.head")).unwrap();
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    store.close().unwrap();
    fs::remove_dir(file(&place, "audit.head")).unwrap();
    place.open().close().unwrap();
    let found = findings(&place);
    assert_eq!(
        found,
        [
            ("row_changed", Some(rows), None),
            ("link_broken", Some(rows + 1), None),
            ("head_was_missing", None, None),
        ]
    );
}
