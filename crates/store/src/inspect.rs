//! A look at a database from outside: what it holds in numbers, and whether it is sound.

use std::path::Path;

use crate::Error;
use crate::connection::open_read_only;
use crate::damage::quick_check_finding;
use crate::schema::version_of;

/// Numbers about a database, and no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Its schema.
    pub schema: u32,
    /// What SQLite's check found, if anything.
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
        finding: quick_check_finding(&connection)?,
        rows,
    })
}
