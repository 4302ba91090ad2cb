//! A look at a database from outside: what it holds in numbers, and whether it is sound.

use std::path::Path;

use rusqlite::Connection;

use crate::Error;
use crate::connection::{APPLICATION_ID, open_read_only};
use crate::damage::quick_check_finding;
use crate::schema::version_of;

/// Numbers about a database, and no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Its schema.
    pub schema: u32,
    /// What is wrong with it, if anything is.
    pub finding: Option<String>,
    /// Rows in each table.
    pub rows: Vec<(String, u64)>,
}

/// Looks at the database of a folder without taking it: works while another process uses it.
pub fn inspect(data_dir: &Path) -> Result<Inspection, Error> {
    let connection = open_read_only(&data_dir.join("holdfast.db"))?;
    let mut tables = connection.prepare(
        "SELECT name FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         ORDER BY name",
    )?;
    let names: Result<Vec<String>, _> = tables.query_map([], |row| row.get(0))?.collect();
    let mut rows = Vec::new();
    for name in names? {
        let sql = format!("SELECT count(*) FROM \"{}\"", name.replace('"', "\"\""));
        rows.push((name, connection.query_row(&sql, [], |row| row.get(0))?));
    }
    Ok(Inspection {
        schema: version_of(&connection)?,
        finding: finding(&connection)?,
        rows,
    })
}

fn finding(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if found != APPLICATION_ID {
        return Ok(Some("it is not a database of Holdfast".to_owned()));
    }
    quick_check_finding(connection)
}
