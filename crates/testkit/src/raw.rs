//! SQLite beside the store: to look at rows, and to do to them what the store never would.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the file from outside the store's door"
)]

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;

/// Runs statements on a database that nobody has open. No constraint is in their way.
pub fn break_rows(database: &Path, sql: &str) -> rusqlite::Result<()> {
    let connection = Connection::open(database)?;
    connection.pragma_update(None, "ignore_check_constraints", true)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch(sql)
}

/// Every row that a query finds, every value as text.
pub fn look(database: &Path, sql: &str) -> rusqlite::Result<Vec<Vec<String>>> {
    let connection = Connection::open(database)?;
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let found = statement.query_map([], |row| {
        (0..columns)
            .map(|column| row.get(column).map(|value| shown(&value)))
            .collect()
    })?;
    found.collect()
}

/// Every table with its rows, every value as text.
pub fn look_at_all(database: &Path) -> rusqlite::Result<Vec<(String, Vec<Vec<String>>)>> {
    let names = look(
        database,
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    )?;
    let tables = names.into_iter().flatten();
    tables
        .map(|table| {
            let rows = look(database, &format!("SELECT * FROM \"{table}\""))?;
            Ok((table, rows))
        })
        .collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
