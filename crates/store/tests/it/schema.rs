//! What the tables accept, read from the schema itself so that a new column is not forgotten.

use rusqlite::Connection;

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample_whole::everything;

struct Column {
    table: String,
    name: String,
    is_text: bool,
    is_nullable: bool,
    is_key: bool,
}

fn columns(connection: &Connection) -> Vec<Column> {
    raw::tables(connection)
        .into_iter()
        .flat_map(|table| {
            let mut statement = connection
                .prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1)")
                .unwrap();
            let found = statement
                .query_map([&table], |row| {
                    Ok(Column {
                        table: table.clone(),
                        name: row.get(0)?,
                        is_text: row.get::<_, String>(1)? == "TEXT",
                        is_nullable: row.get::<_, i64>(2)? == 0,
                        is_key: row.get::<_, i64>(3)? > 0,
                    })
                })
                .unwrap();
            found.map(Result::unwrap).collect::<Vec<_>>()
        })
        .collect()
}

/// A database with a row in every table, which tests may try to spoil.
fn filled() -> (Place, Connection) {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(1))).unwrap();
    store.close().unwrap();
    let connection = raw::connect(&place.database());
    (place, connection)
}

/// STO-8.
#[test]
fn every_table_is_strict() {
    let (_place, connection) = filled();
    let loose = raw::texts(
        &connection,
        "SELECT name FROM pragma_table_list
         WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
    );
    assert_eq!(loose, Vec::<String>::new());
    assert!(raw::tables(&connection).len() >= 22);
}

/// STO-8: every table has a row here, so that the tests below try every column.
#[test]
fn the_sample_fills_every_table() {
    let (_place, connection) = filled();
    for table in raw::tables(&connection) {
        let rows = raw::all(&connection, &format!("SELECT 1 FROM \"{table}\""));
        assert!(!rows.is_empty(), "{table}");
    }
}

fn refuses(connection: &Connection, column: &Column, value: &str) -> bool {
    let sql = format!("UPDATE \"{}\" SET \"{}\" = ?1", column.table, column.name);
    // Rows that are not to be changed at all refuse everything; the check is looked at directly.
    let error = connection.execute(&sql, [value]).err();
    error.is_some_and(|error| error.to_string().contains("CHECK constraint failed"))
}

/// What a tool is given or gives back may well be an empty text, which is something else than none.
const MAY_BE_EMPTY: [&str; 3] = ["proposed_arguments", "result", "result_whole"];

/// STO-8: "not set" is NULL, never ''.
#[test]
fn no_optional_text_accepts_an_empty_one() {
    let (_place, connection) = filled();
    connection
        .execute_batch("DROP TRIGGER events_are_append_only; DROP TRIGGER audit_is_append_only")
        .unwrap();
    let optional: Vec<Column> = columns(&connection)
        .into_iter()
        .filter(|column| column.is_text && column.is_nullable && !column.is_key)
        .filter(|column| !MAY_BE_EMPTY.contains(&column.name.as_str()))
        .collect();
    assert!(optional.len() >= 23, "found {}", optional.len());
    for column in optional {
        assert!(
            refuses(&connection, &column, ""),
            "{}.{}",
            column.table,
            column.name
        );
    }
}

/// STO-8: a column of a closed list has a CHECK with that list.
#[test]
fn every_enumerated_column_refuses_what_is_not_in_its_list() {
    let (_place, connection) = filled();
    connection
        .execute_batch("DROP TRIGGER audit_is_append_only")
        .unwrap();
    let enumerated: Vec<Column> = columns(&connection)
        .into_iter()
        .filter(|column| {
            let name = column.name.as_str();
            // How something stands, whatever it is: every list of the others at once.
            if column.table == "audit" && name == "status" {
                return false;
            }
            ["status", "role", "reason", "effect", "verdict", "scope"].contains(&name)
                || (name == "kind" && !["events", "notices"].contains(&column.table.as_str()))
        })
        .collect();
    let found: Vec<String> = enumerated
        .iter()
        .map(|column| format!("{}.{}", column.table, column.name))
        .collect();
    assert_eq!(
        found,
        [
            "approvals.status",
            "attachments.kind",
            "attempts.status",
            "audit.kind",
            "deltas.kind",
            "messages.role",
            "messages.status",
            "rules.verdict",
            "rules.scope",
            "runs.status",
            "runs.reason",
            "steps.kind",
            "steps.status",
            "tool_calls.effect",
            "tool_calls.status",
            "tool_calls.verdict",
        ]
    );
    for column in enumerated {
        assert!(
            refuses(&connection, &column, "sideways"),
            "{}.{}",
            column.table,
            column.name
        );
        // Why a run stands where it stands needs no saying, and a call that was not judged has no
        // verdict: those two may be absent.
        let may_be_absent =
            column.name == "reason" || (column.table == "tool_calls" && column.name == "verdict");
        assert_eq!(
            column.is_nullable, may_be_absent,
            "{}.{}",
            column.table, column.name
        );
    }
}

/// STO-8: the lists are those of the protocol.
#[test]
fn every_status_and_reason_of_the_protocol_is_accepted() {
    let (_place, connection) = filled();
    // One run is enough; two could not both be live.
    connection
        .execute_batch("DELETE FROM runs WHERE branch = 1")
        .unwrap();
    let accept = |table: &str, column: &str, value: &str| {
        let sql = format!("UPDATE {table} SET {column} = ?1");
        connection
            .execute(&sql, [value])
            .unwrap_or_else(|error| panic!("{table} {value}: {error}"))
    };
    for status in protocol::RunStatus::ALL {
        accept("runs", "status", status.as_str());
    }
    for reason in protocol::RunReason::ALL {
        accept("runs", "reason", reason.as_str());
    }
    for status in protocol::StepStatus::ALL {
        accept("steps", "status", status.as_str());
    }
    for class in protocol::ErrorClass::ALL {
        accept("attempts", "error_class", class.as_str());
    }
    for status in protocol::CallStatus::ALL {
        accept("tool_calls", "status", status.as_str());
    }
    for effect in protocol::EffectClass::ALL {
        accept("tool_calls", "effect", effect.as_str());
    }
    for status in protocol::ApprovalStatus::ALL {
        accept("approvals", "status", status.as_str());
    }
    for verdict in protocol::Verdict::ALL {
        accept("rules", "verdict", verdict.as_str());
        accept("tool_calls", "verdict", verdict.as_str());
    }
}

/// STO-8: no column takes a value of another type.
#[test]
fn every_number_refuses_a_text() {
    let (_place, connection) = filled();
    connection
        .execute_batch("DROP TRIGGER events_are_append_only; DROP TRIGGER audit_is_append_only")
        .unwrap();
    for column in columns(&connection).iter().filter(|column| !column.is_text) {
        let sql = format!(
            "UPDATE \"{}\" SET \"{}\" = 'seven'",
            column.table, column.name
        );
        assert!(
            connection.execute(&sql, []).is_err(),
            "{}.{}",
            column.table,
            column.name
        );
    }
}

/// STO-8: the store's own connections hold to foreign keys.
#[test]
fn foreign_keys_are_on() {
    let place = Place::new();
    let store = place.open();
    let orphan = crate::sample::create_step(crate::sample::step_id(1), crate::sample::run_id(1));
    let error = store.apply(barrier(vec![orphan])).unwrap_err();
    assert!(matches!(error, store::Error::Conflict(_)), "{error}");
}

/// SQLite before this version can corrupt a write-ahead log.
#[test]
fn sqlite_is_new_enough() {
    let parts: Vec<u32> = store::sqlite_version()
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect();
    assert!(parts >= vec![3, 51, 3], "{parts:?}");
}

/// A list in a CHECK, or in the condition of an index, can be a table that is built for every row.
#[test]
fn nothing_that_every_step_writes_builds_a_table_to_do_so() {
    let (_place, connection) = filled();
    let opcodes = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            found.push(row.get("opcode").unwrap());
        }
        found
    };
    let all = columns(&connection);
    for table in [
        "attempts",
        "audit",
        "deltas",
        "events",
        "messages",
        "steps",
        "tool_calls",
    ] {
        let names: Vec<&str> = all
            .iter()
            .filter(|column| column.table == table)
            .map(|column| column.name.as_str())
            .collect();
        let values = vec!["?"; names.len()].join(", ");
        let quoted = format!("\"{}\"", names.join("\", \""));
        let found = opcodes(&format!("INSERT INTO {table} ({quoted}) VALUES ({values})"));
        assert!(found.len() > 10, "{table}: {found:?}");
        assert!(
            !found.iter().any(|opcode| opcode == "OpenEphemeral"),
            "{table}"
        );
    }
}
