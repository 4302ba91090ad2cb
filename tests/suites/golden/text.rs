//! A database as SQL that can be read, and back.
#![expect(
    clippy::disallowed_methods,
    reason = "stock SQLite, so that nothing of the store is needed to read a golden database"
)]

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use rusqlite::Connection;
use rusqlite::types::Value;

/// Everything that is in a database, as statements that make it again.
pub(super) fn write(database: &Path) -> Result<String> {
    let connection = Connection::open(database)?;
    let pragma = |name: &str| -> rusqlite::Result<i64> {
        connection.pragma_query_value(None, name, |row| row.get(0))
    };
    let (version, application) = (pragma("user_version")?, pragma("application_id")?);
    let mut text = format!(
        "-- A database of schema {version}, as `cargo xtask golden` wrote it while that was the newest.\n\
         -- It never changes: tests open it with every later version.\n\
         PRAGMA foreign_keys = OFF;\n\
         BEGIN;\n"
    );
    let mut statement = connection.prepare(
        "SELECT type, name, sql FROM sqlite_schema
         WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )?;
    let schema = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(String, String, String)>>>()?;
    for (_, _, sql) in schema.iter().filter(|one| one.0 == "table") {
        writeln!(text, "{sql};")?;
    }
    for (_, name, _) in schema.iter().filter(|one| one.0 == "table") {
        rows(&connection, name, &mut text)?;
    }
    // After the rows: a trigger is about changes, and these are none.
    for (_, _, sql) in schema.iter().filter(|one| one.0 != "table") {
        writeln!(text, "{sql};")?;
    }
    writeln!(text, "PRAGMA application_id = {application};")?;
    writeln!(text, "PRAGMA user_version = {version};")?;
    writeln!(text, "COMMIT;")?;
    Ok(text)
}

fn rows(connection: &Connection, table: &str, text: &mut String) -> Result<()> {
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
    let columns = statement.column_names().join("\", \"");
    let count = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..count).map(|column| Ok(literal(&row.get::<_, Value>(column)?)));
        let values: Vec<String> = values.collect::<rusqlite::Result<_>>()?;
        let values = values.join(", ");
        writeln!(
            text,
            "INSERT INTO \"{table}\" (\"{columns}\") VALUES ({values});"
        )?;
    }
    Ok(())
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Blob(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{hex}'")
        }
    }
}

/// Makes the database again.
pub(super) fn build(sql: &str, database: &Path) -> Result<()> {
    let connection = Connection::open(database)?;
    Ok(connection.execute_batch(sql)?)
}

/// Sets the schema's version to what no version knows.
pub(super) fn make_newer(database: &Path, version: u32) -> Result<()> {
    let connection = Connection::open(database)?;
    Ok(connection.pragma_update(None, "user_version", version)?)
}
