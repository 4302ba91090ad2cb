//! SQLite beside the store: to look at rows, and to do what the store never would.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at the file from outside the store's door"
)]

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, Params};

/// Opens the file as any program could.
pub(crate) fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "foreign_keys", true)
        .unwrap();
    connection
}

/// Runs statements.
pub(crate) fn execute(path: &Path, sql: &str) {
    connect(path).execute_batch(sql).unwrap();
}

/// One number.
pub(crate) fn number(path: &Path, sql: &str, values: impl Params) -> i64 {
    connect(path)
        .query_row(sql, values, |row| row.get(0))
        .unwrap()
}

/// Every row of every table but `runtime`, which moves by itself.
pub(crate) fn rows(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let connection = connect(path);
    tables(&connection)
        .into_iter()
        .filter(|table| table != "runtime")
        .map(|table| {
            let rows = all(&connection, &format!("SELECT * FROM \"{table}\""));
            (table, rows)
        })
        .collect()
}

/// The names of the tables.
pub(crate) fn tables(connection: &Connection) -> Vec<String> {
    texts(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
    )
}

/// The first column of every row.
pub(crate) fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.map(Result::unwrap).collect()
}

/// Every row, every column.
pub(crate) fn all(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let found = statement
        .query_map([], |row| {
            (0..columns).map(|column| row.get(column)).collect()
        })
        .unwrap();
    found.map(Result::unwrap).collect()
}

/// How many transactions the log holds: frames that end one carry the size of the database, and
/// frames of an earlier round of the log carry other salts.
pub(crate) fn commits_in_log(log: &Path) -> usize {
    let bytes = std::fs::read(log).unwrap();
    let page_size = u32::from_be_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let salts = &bytes[16..24];
    bytes[32..]
        .chunks_exact(24 + page_size)
        .take_while(|frame| &frame[8..16] == salts)
        .filter(|frame| frame[4..8] != [0; 4])
        .count()
}
