//! SEC-4: what was asked, decided and done is in the audit, in a chain that can be checked.

use protocol::{ApprovalStatus, CallStatus, RunStatus};
use rusqlite::Connection;
use store::{AuditReport, Change, Error, Store, export_audit, verify_audit, verify_audit_export};

use crate::fixture::{Place, barrier, hold_writer, relaxed, submit};
use crate::raw;
use crate::sample::{
    append, beginning, create_session, event, move_run, piece, renamed, run_id, session_id, step_id,
};
use crate::sample_call::{ask, call, call_id, decide, save_call, with_calls};
use crate::sample_whole::{at, delete_session, everything, note_command};

/// Checks the audit of a place.
pub(crate) fn verify(place: &Place) -> AuditReport {
    verify_audit(place.folder.root()).unwrap()
}

pub(crate) fn intact(place: &Place) -> AuditReport {
    let report = verify(place);
    assert!(report.is_intact, "{report:#?}");
    report
}

/// `kind name status` of every row after this one.
fn told_after(place: &Place, seq: i64) -> Vec<String> {
    let sql = format!(
        "SELECT kind || ' ' || name || coalesce(' ' || status, '')
         FROM audit WHERE seq > {seq} ORDER BY seq"
    );
    raw::texts(&raw::connect(&place.database()), &sql)
}

pub(crate) fn length(place: &Place) -> i64 {
    raw::number(&place.database(), "SELECT count(*) FROM audit", [])
}

/// The hash of a row by the book, written here once more: the stored form is a promise, exports of
/// today are checked by versions of tomorrow.
pub(crate) fn hash_by_the_book(connection: &Connection, seq: i64, prev: &[u8]) -> Vec<u8> {
    let part = |bytes: Option<Vec<u8>>| match bytes {
        None => vec![0],
        Some(bytes) => [vec![1], (bytes.len() as u64).to_le_bytes().to_vec(), bytes].concat(),
    };
    connection
        .query_row("SELECT * FROM audit WHERE seq = ?1", [seq], |row| {
            let number =
                |column| Ok::<_, rusqlite::Error>(row.get::<_, i64>(column)?.to_le_bytes());
            let text = |column| {
                let text: Option<String> = row.get(column)?;
                Ok::<_, rusqlite::Error>(part(text.map(String::into_bytes)))
            };
            let blob = |column| Ok::<_, rusqlite::Error>(part(row.get(column)?));
            let bytes = [
                part(Some(b"holdfast audit row 1".to_vec())),
                part(Some(prev.to_vec())),
                number(0)?.to_vec(),
                number(1)?.to_vec(),
                number(2)?.to_vec(),
                text(3)?,
                text(4)?,
                blob(5)?,
                blob(6)?,
                blob(7)?,
                blob(8)?,
                text(9)?,
                blob(10)?,
            ];
            Ok(blake3::hash(&bytes.concat()).as_bytes().to_vec())
        })
        .unwrap()
}

/// The form of the chain, row by row.
#[test]
fn every_row_holds_the_hash_of_itself_and_the_one_before() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(1))).unwrap();
    store.close().unwrap();
    let connection = raw::connect(&place.database());
    let mut before = vec![0; 32];
    for seq in 1..=length(&place) {
        let (prev, hash): (Vec<u8>, Vec<u8>) = connection
            .query_row(
                "SELECT prev, hash FROM audit WHERE seq = ?1",
                [seq],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .unwrap();
        assert_eq!(prev, before, "{seq}");
        assert_eq!(hash, hash_by_the_book(&connection, seq, &prev), "{seq}");
        before = hash;
    }
    let report = intact(&place);
    assert_eq!(i64::try_from(report.rows), Ok(length(&place)));
    assert_eq!(report.head.map(|head| head.length), Some(report.rows));
}

/// A new database, and one that comes from before there was an audit, say so in their first row.
#[test]
fn the_first_row_says_since_when_there_is_a_chain() {
    let place = Place::new();
    place.open().close().unwrap();
    assert_eq!(told_after(&place, 0), ["chain begun new"]);
    intact(&place);
    raw::execute(
        &place.database(),
        "DROP TABLE audit;
         DROP TABLE summaries;
         ALTER TABLE attempts DROP COLUMN cache_write_tokens;
         ALTER TABLE attempts DROP COLUMN fill_tokens;
         ALTER TABLE attempts DROP COLUMN fill_of;
         ALTER TABLE attempts DROP COLUMN fill_is_estimated;
         DROP TABLE message_attachments;
         DROP TABLE attachments;
         DROP TABLE providers;
         ALTER TABLE sessions DROP COLUMN model;
         ALTER TABLE messages DROP COLUMN native;
         ALTER TABLE messages DROP COLUMN ending;
         PRAGMA user_version = 1",
    );
    for name in ["audit.head", "audit.key"] {
        std::fs::remove_file(place.folder.root().join(name)).unwrap();
    }
    let error = verify_audit(place.folder.root()).unwrap_err();
    assert!(error.to_string().contains("schema 1"), "{error}");
    let (store, opened) = place.try_open().unwrap();
    assert_eq!(opened.migrated_from, Some(1));
    store.apply(barrier(beginning(1))).unwrap();
    store.close().unwrap();
    assert_eq!(told_after(&place, 0)[0], "chain begun migrated");
    intact(&place);
}

/// A command, a decision, an effect: in their order, with what they are about.
#[test]
fn commands_decisions_and_effects_are_told_in_order() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    let before = length(&place);
    let one = call_id(100);
    let apply = |changes: Vec<Change>| store.apply(barrier(changes)).unwrap();
    let moved = |revision, to| at(call(1, 0), revision, to);
    apply(vec![
        save_call(moved(1, CallStatus::Waiting), CallStatus::Proposed),
        ask(one, 1),
    ]);
    apply(vec![
        note_command("decide_call"),
        decide(one, 1, ApprovalStatus::Allowed),
        save_call(moved(2, CallStatus::Ready), CallStatus::Waiting),
    ]);
    apply(vec![
        Change::ConsumeApproval {
            call_id: one,
            round: 1,
            at_ms: 30,
        },
        save_call(moved(3, CallStatus::Running), CallStatus::Ready),
    ]);
    apply(vec![save_call(
        moved(4, CallStatus::InDoubt),
        CallStatus::Running,
    )]);
    apply(vec![
        note_command("resolve_call"),
        save_call(moved(5, CallStatus::Skipped), CallStatus::InDoubt),
        move_run(run_id(1), RunStatus::Running, RunStatus::Cancelled),
    ]);
    assert_eq!(
        told_after(&place, before),
        [
            "effect call_changed waiting",
            "decision approval_asked",
            "command decide_call",
            "decision approval_decided allowed",
            "effect call_changed ready",
            "decision approval_used",
            "effect call_started running",
            "effect call_in_doubt in_doubt",
            "command resolve_call",
            "effect call_ended skipped",
            "record run_ended cancelled",
        ]
    );
    let of_the_call = raw::number(
        &place.database(),
        "SELECT count(*) FROM audit WHERE call_id = ?1 AND seq > ?2",
        rusqlite::params![one.uuid().as_bytes(), before],
    );
    assert_eq!(of_the_call, 8);
    let same_hash = raw::number(
        &place.database(),
        "SELECT count(*) FROM audit JOIN tool_calls ON tool_calls.id = audit.call_id
         WHERE name = 'call_started' AND content = argument_hash",
        [],
    );
    assert_eq!(
        same_hash, 1,
        "what ran is told by the hash of its arguments"
    );
    intact(&place);
}

/// Streamed text and events are not told one by one, and cost nothing here.
#[test]
fn what_only_streams_or_repeats_writes_no_row() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let before = length(&place);
    let (session, step) = (session_id(1), step_id(1));
    store
        .apply(relaxed(vec![append(
            session,
            step,
            5,
            vec![piece(0, 5, "x")],
        )]))
        .unwrap();
    store
        .apply(barrier(vec![event(session, renamed("x"))]))
        .unwrap();
    store.apply(barrier(Vec::new())).unwrap();
    assert_eq!(length(&place), before);
}

/// A transition that is refused leaves no row, and the chain goes on over it, also in the middle of
/// a batch that shares one commit.
#[test]
fn the_chain_goes_on_over_what_is_refused() {
    let place = Place::new();
    let store = place.open();
    for round in 0..20 {
        let held = hold_writer(&store);
        let answers: Vec<_> = (0..8)
            .map(|at| {
                let id = session_id(1_000 + round * 8 + at);
                let mut changes = vec![note_command("create_session"), create_session(id)];
                if (round + at) % 3 == 0 {
                    changes.push(create_session(id));
                }
                ((round + at) % 3 == 0, submit(&store, barrier(changes)))
            })
            .collect();
        drop(held);
        for (is_refused, answer) in answers {
            assert_eq!(answer.recv().unwrap().is_err(), is_refused);
        }
    }
    let sessions = raw::number(&place.database(), "SELECT count(*) FROM sessions", []);
    assert_eq!(length(&place), 1 + 2 * sessions);
    store.close().unwrap();
    intact(&place);
}

/// The same when it is the audit's own second row that cannot be written: the first one is gone with
/// it, and the next transition of the batch goes on from the one before.
#[test]
fn the_chain_goes_on_over_its_own_rows_that_were_refused() {
    let place = Place::new();
    let store = place.open();
    raw::execute(
        &place.database(),
        "CREATE TRIGGER refuses AFTER INSERT ON audit WHEN new.name = 'refused'
         BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    let held = hold_writer(&store);
    let [first, refused, last] = ["first", "refused", "last"].map(|name| {
        let changes = vec![note_command("command"), note_command(name)];
        submit(&store, barrier(changes))
    });
    drop(held);
    assert!(first.recv().unwrap().is_ok());
    assert!(refused.recv().unwrap().is_err());
    assert!(last.recv().unwrap().is_ok());
    store.close().unwrap();
    assert_eq!(
        told_after(&place, 1),
        [
            "command command",
            "command first",
            "command command",
            "command last"
        ]
    );
    assert_eq!(intact(&place).rows, 5);
}

/// What is told stays told, whoever asks.
#[test]
fn rows_can_be_neither_changed_nor_deleted() {
    let place = Place::new();
    place.open().close().unwrap();
    let connection = raw::connect(&place.database());
    for sql in ["UPDATE audit SET at_ms = 0", "DELETE FROM audit"] {
        let error = connection.execute(sql, []).unwrap_err();
        assert!(error.to_string().contains("the audit"), "{error}");
    }
}

/// STO-14: a purge is told, and the rows about what was purged stay.
#[test]
fn a_purge_is_told_and_takes_no_row_along() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let before = length(&place);
    store
        .apply(barrier(vec![
            delete_session(session_id(1), Some(9)),
            Change::PurgeSession {
                session_id: session_id(1),
            },
        ]))
        .unwrap();
    store.close().unwrap();
    assert_eq!(
        told_after(&place, before),
        ["record session_deleted deleted", "record session_purged"]
    );
    intact(&place);
}

fn exported(place: &Place) -> Vec<u8> {
    let mut out = Vec::new();
    let count = export_audit(place.folder.root(), &mut out).unwrap();
    assert_eq!(i64::try_from(count), Ok(length(place)));
    out
}

/// An export can be checked by itself, with the key or without, and while the app runs.
#[test]
fn an_export_can_be_checked_without_the_database() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(1))).unwrap();
    intact(&place);
    let running = exported(&place);
    store.close().unwrap();
    let folder = Some(place.folder.root());
    for export in [running, exported(&place)] {
        let with_key = verify_audit_export(&mut &export[..], folder).unwrap();
        assert!(with_key.is_intact, "{with_key:?}");
        let without = verify_audit_export(&mut &export[..], None).unwrap();
        assert!(without.is_intact && without.notes[0].contains("no key"));
    }
    let text = String::from_utf8(exported(&place)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    check_spoilt_exports(&lines, place.folder.root());
}

fn check_spoilt_exports(lines: &[&str], folder: &std::path::Path) {
    let check = |lines: &[String]| {
        let text = lines.join("\n");
        verify_audit_export(&mut text.as_bytes(), Some(folder))
    };
    let own: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let findings = |lines: &[String]| -> Vec<(&str, Option<u64>)> {
        let report = check(lines).unwrap();
        assert!(!report.is_intact);
        let findings = report.findings.into_iter();
        findings.map(|one| (one.what, one.row)).collect()
    };
    let mut edited = own.clone();
    edited[3] = edited[3].replacen("\"epoch\":1", "\"epoch\":2", 1);
    assert_eq!(findings(&edited), [("row_changed", Some(4))]);
    let mut removed = own.clone();
    removed.remove(4);
    assert_eq!(findings(&removed), [("rows_missing", Some(5))]);
    let mut swapped = own.clone();
    swapped.swap(4, 5);
    assert!(findings(&swapped).contains(&("row_out_of_order", Some(5))));
    let (head, rows) = own.split_last().unwrap();
    assert_eq!(findings(rows), [("head_missing", None)]);
    let cut = [&rows[..rows.len() - 2], std::slice::from_ref(head)].concat();
    assert!(matches!(
        check(&cut).unwrap().findings[..],
        [ref one] if one.what == "tail_cut"
    ));
    let mut forged = own.clone();
    let last = forged.last_mut().unwrap();
    *last = last.replacen("\"is_closed\":", "\"is_closed\": ", 1);
    assert!(check(&forged).unwrap().is_intact, "spaces say nothing");
    let last = forged.last_mut().unwrap();
    *last = last.replacen("\"at_ms\":", "\"at_ms\":1", 1);
    assert_eq!(findings(&forged), [("head_changed", None)]);
    let half = [own.clone(), vec!["{\"seq\":".to_owned()]].concat();
    assert!(matches!(check(&half), Err(Error::Unreadable { .. })));
}

/// What is in a folder that is not there, or is no database, cannot be checked, and nothing is made.
#[test]
fn what_cannot_be_read_is_an_error() {
    let place = Place::new();
    let missing = place.beside("missing");
    assert!(verify_audit(&missing).is_err());
    assert!(export_audit(&missing, &mut Vec::new()).is_err());
    assert!(!missing.exists());
    std::fs::write(place.database(), "garbage").unwrap();
    assert!(verify_audit(place.folder.root()).is_err());
}

/// How long one row takes, said and not judged.
#[test]
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "measures, and says the figure"
)]
fn a_row_costs_microseconds() {
    let place = Place::new();
    let store = place.open();
    store
        .apply(barrier(vec![create_session(session_id(1))]))
        .unwrap();
    let time = |store: &Store, changes: Vec<Change>| {
        let started = std::time::Instant::now();
        for _ in 0..100 {
            store.apply(relaxed(changes.clone())).unwrap();
        }
        started.elapsed().as_secs_f64() * 1e6 / 100.0
    };
    let notes = |count: usize| vec![note_command("x"); count];
    time(&store, notes(20));
    let (few, many) = (time(&store, notes(1)), time(&store, notes(101)));
    eprintln!("audit: {:.1} µs a row", (many - few) / 100.0);
    store.close().unwrap();
    assert_eq!(intact(&place).rows, 2 + 100 * (20 + 1 + 101));
}
