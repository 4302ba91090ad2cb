//! Deleting a session: it can be taken back, and then nothing of it is left.

use std::collections::BTreeSet;
use std::thread;

use protocol::SessionId;
use rusqlite::types::Value;
use store::{Change, Due, Error};

use crate::fixture::{Place, barrier, relaxed};
use crate::raw;
use crate::sample::{
    WORKSPACE, add_message, append, beginning, create_session, event, message, message_id, piece,
    renamed, session_id, step_id,
};
use crate::sample_whole::{delete_session, everything};

fn purge(session: SessionId) -> Change {
    Change::PurgeSession {
        session_id: session,
    }
}

/// Every value of every row, with the table and the column it is in.
fn values(place: &Place) -> Vec<(String, Value)> {
    let connection = raw::connect(&place.database());
    let mut found = Vec::new();
    for table in raw::tables(&connection) {
        let columns = raw::texts(
            &connection,
            &format!("SELECT name FROM pragma_table_xinfo('{table}')"),
        );
        for row in raw::all(&connection, &format!("SELECT * FROM \"{table}\"")) {
            for (column, value) in columns.iter().zip(row) {
                found.push((format!("{table}.{column}"), value));
            }
        }
    }
    found
}

/// Where any of these bytes are found in any value, as bytes or as text.
fn places_of(place: &Place, needles: &[Vec<u8>]) -> Vec<String> {
    let holds = |bytes: &[u8]| {
        needles
            .iter()
            .any(|needle| bytes.windows(needle.len()).any(|part| part == needle))
    };
    let mut found: Vec<String> = values(place)
        .into_iter()
        .filter(|(_, value)| match value {
            Value::Blob(bytes) => holds(bytes),
            Value::Text(text) => holds(text.as_bytes()),
            Value::Null | Value::Integer(_) | Value::Real(_) => false,
        })
        .map(|(column, _)| column)
        .collect();
    found.dedup();
    found
}

/// The audit keeps which session, run, call or message it was, and nothing that was in them.
const AUDIT_IDS: [&str; 4] = [
    "audit.session_id",
    "audit.run_id",
    "audit.call_id",
    "audit.subject_id",
];

/// Words of our own, ids and hashes: nothing in the audit is long enough, or free enough, to be
/// somebody's text.
fn assert_audit_holds_no_content(place: &Place) {
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    for (column, value) in values(place) {
        let is_ours = match (column.as_str(), value) {
            ("audit.kind" | "audit.name" | "audit.status", Value::Text(text)) => is_word(&text),
            ("audit.content" | "audit.prev" | "audit.hash", Value::Blob(hash)) => hash.len() == 32,
            (id, Value::Blob(bytes)) if AUDIT_IDS.contains(&id) => bytes.len() == 16,
            (column, Value::Null | Value::Integer(_)) if column.starts_with("audit.") => true,
            (column, _) => !column.starts_with("audit."),
        };
        assert!(is_ours, "{column}");
    }
}

/// Everything that identifies `everything(number)`: each id in it, as bytes and as it is written.
fn marks(place: &Place, number: u64) -> Vec<Vec<u8>> {
    let connection = raw::connect(&place.database());
    let session = session_id(number);
    let mut ids: Vec<[u8; 16]> = vec![*session.uuid().as_bytes()];
    for (table, column, of) in [
        ("messages", "id", "session_id = ?1"),
        ("runs", "id", "session_id = ?1"),
        ("tool_calls", "id", "session_id = ?1"),
        ("queue", "message_id", "session_id = ?1"),
        ("rules", "id", "session_id = ?1"),
        (
            "steps",
            "id",
            "run_id IN (SELECT id FROM runs WHERE session_id = ?1)",
        ),
    ] {
        let sql = format!("SELECT {column} FROM {table} WHERE {of}");
        let mut statement = connection.prepare(&sql).unwrap();
        let found = statement
            .query_map([session.uuid().as_bytes()], |row| row.get::<_, [u8; 16]>(0))
            .unwrap();
        let before = ids.len();
        ids.extend(found.map(Result::unwrap));
        assert!(ids.len() > before, "{table}");
    }
    ids.iter()
        .flat_map(|id| {
            let written = uuid::Uuid::from_bytes(*id).simple().to_string();
            [id.to_vec(), written.into_bytes()]
        })
        .collect()
}

/// STO-14: no row of a purged session in any table, and nothing of it in a row of another but its
/// ids and hashes in the audit; what it shared stays for whoever shares it.
#[test]
fn a_purged_session_leaves_nothing_in_any_table() {
    let place = Place::new();
    let store = place.open();
    for number in [1, 2] {
        store.apply(barrier(everything(number))).unwrap();
    }
    let fork = Change::CreateSession {
        session_id: session_id(3),
        agent_id: store::DEFAULT_AGENT,
        title: None,
        workspace: WORKSPACE.to_owned(),
        forked_from: Some(session_id(1)),
        at_ms: 10,
    };
    let own = Change::AddCheckpoint {
        call_id: crate::sample_call::call_id(100),
        checkpoint: crate::sample_whole::checkpoint("own.md", Some(b"of the first alone")),
    };
    store.apply(barrier(vec![fork, own])).unwrap();
    let first = marks(&place, 1);
    let before = places_of(&place, &first);
    assert!(before.len() > 25, "{before:?}");
    let count = |sql: &str| raw::number(&place.database(), sql, []);
    assert_eq!(count("SELECT count(*) FROM blobs"), 4);
    let others = |place: &Place| {
        let second = marks(place, 2);
        values(place)
            .into_iter()
            .filter(|(column, value)| match value {
                Value::Blob(bytes) => second.contains(bytes),
                Value::Text(_) => column.starts_with("settings"),
                Value::Null | Value::Integer(_) | Value::Real(_) => false,
            })
            .count()
    };
    let of_second = others(&place);

    store
        .apply(barrier(vec![
            delete_session(session_id(1), Some(100)),
            purge(session_id(1)),
        ]))
        .unwrap();
    let kept: BTreeSet<String> = places_of(&place, &first).into_iter().collect();
    assert_eq!(kept, AUDIT_IDS.map(str::to_owned).into());
    assert_audit_holds_no_content(&place);
    assert_eq!(others(&place), of_second, "nothing of another session went");
    assert_eq!(count("SELECT count(*) FROM blobs"), 3, "the shared ones");
    assert_eq!(count("SELECT count(*) FROM pins"), 1, "the shared one");
    assert_eq!(
        count("SELECT count(*) FROM rules WHERE scope = 'global'"),
        2,
        "what was always allowed stays allowed"
    );
    assert_eq!(count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert!(places_of(&place, &[b"of the first alone".to_vec()]).is_empty());

    store
        .apply(barrier(vec![
            delete_session(session_id(2), Some(100)),
            purge(session_id(2)),
        ]))
        .unwrap();
    for table in ["blobs", "pins", "tool_calls", "events", "state", "notices"] {
        assert_eq!(
            count(&format!("SELECT count(*) FROM {table}")),
            0,
            "{table}"
        );
    }
}

/// A session that is deleted is in no list and can be taken back; what is already gone is told so.
#[test]
fn a_deleted_session_can_be_taken_back_until_it_is_purged() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(1))).unwrap();
    let session = session_id(1);
    let apply = |change: Change| store.apply(barrier(vec![change]));
    let rows = || {
        let mut rows = raw::rows(&place.database());
        // It also tells of what was taken back.
        rows.remove("audit");
        rows
    };
    let before = rows();
    let is_conflict = |result: Result<(), Error>| matches!(result, Err(Error::Conflict(_)));
    assert!(is_conflict(apply(purge(session))), "not deleted");
    assert!(is_conflict(apply(delete_session(session, None))));
    apply(delete_session(session, Some(100))).unwrap();
    assert!(is_conflict(apply(delete_session(session, Some(101)))));
    store
        .read(|reader| {
            assert_eq!(reader.session_row(session)?, None);
            assert_eq!(reader.session_rows(10, false)?, []);
            assert_eq!(reader.session_rows(10, true)?, []);
            assert_eq!(reader.deleted_sessions()?, [session]);
            let state = reader.session_state(session)?.unwrap();
            assert_eq!(state.deleted_at_ms, Some(100));
            assert_eq!(reader.workspace_users(WORKSPACE)?, 1);
            assert_eq!(reader.next_due(60)?, Some(77), "a call to be looked at");
            let due = Due::Purge {
                session_id: session,
            };
            assert!(!reader.due(159, 60)?.contains(&due));
            assert!(reader.due(160, 60)?.contains(&due));
            assert!(!reader.due(50, 60)?.contains(&due), "no time before 1970");
            Ok(())
        })
        .unwrap();
    apply(delete_session(session, None)).unwrap();
    assert_eq!(before, rows(), "all of it is back");
    apply(delete_session(session, Some(100))).unwrap();
    apply(purge(session)).unwrap();
    assert!(is_conflict(apply(purge(session))), "gone");
    assert!(is_conflict(apply(delete_session(session, None))), "gone");
    store
        .read(|reader| {
            assert_eq!(reader.session_state(session)?, None);
            assert_eq!(reader.deleted_sessions()?, []);
            assert_eq!(reader.workspace_users(WORKSPACE)?, 0);
            assert!(reader.workspaces()?.is_empty());
            Ok(())
        })
        .unwrap();
}

/// STO-14: while others write into it as fast as they can, a session is purged; what comes late is
/// refused, and none of it is left.
#[test]
fn purging_while_it_is_being_updated_leaves_nothing() {
    let place = Place::new();
    let store = place.open();
    for number in 1..=8 {
        store.apply(barrier(beginning(number))).unwrap();
    }
    thread::scope(|scope| {
        for number in 1..=8 {
            let (store, session) = (&store, session_id(number));
            scope.spawn(move || {
                for count in 0.. {
                    let text = append(
                        session,
                        step_id(number),
                        5 + count,
                        vec![piece(0, 5 + count, "x")],
                    );
                    let written = [
                        store.apply(relaxed(vec![text])),
                        store.apply(relaxed(vec![event(session, renamed("again"))])),
                    ];
                    if written.iter().any(Result::is_err) {
                        return;
                    }
                }
            });
            scope.spawn(move || {
                thread::sleep(std::time::Duration::from_millis(20));
                store
                    .apply(barrier(vec![
                        delete_session(session, Some(1)),
                        purge(session),
                    ]))
                    .unwrap();
            });
        }
    });
    let left: Vec<(String, usize)> = raw::rows(&place.database())
        .into_iter()
        .map(|(table, rows)| (table, rows.len()))
        .filter(|(table, rows)| *rows > 0 && table != "agents" && table != "audit")
        .collect();
    assert_eq!(left, []);
    // Its id is free again, and begins from nothing.
    store
        .apply(barrier(vec![
            create_session(session_id(1)),
            add_message(session_id(1), message(message_id(1), 1, "anew")),
        ]))
        .unwrap();
}
