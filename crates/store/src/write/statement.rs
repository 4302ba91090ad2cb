//! How every statement of the writer is run: what is taken or gone is a conflict, what is too large
//! is refused before it is tried.

use protocol::RunError;
use rusqlite::{Connection, ErrorCode};
use serde::Serialize;

use crate::Error;
use crate::faults::{self, Mutant, Point};

/// What a title, a key, a name, a message that waits or the text of an error may hold.
pub(super) const TEXT_BYTES: usize = 1024 * 1024;

pub(super) fn check_size(what: &'static str, bytes: usize, cap_bytes: usize) -> Result<(), Error> {
    if bytes > cap_bytes {
        return Err(Error::TooLarge { what, cap_bytes });
    }
    Ok(())
}

pub(super) fn check_text(what: &'static str, text: Option<&str>) -> Result<(), Error> {
    check_size(what, text.map_or(0, str::len), TEXT_BYTES)
}

pub(super) fn check_error(error: Option<&RunError>) -> Result<(), Error> {
    check_text(
        "the text of the error",
        error.map(|error| error.message.as_str()),
    )
}

/// "Not set" is NULL, never ''.
pub(super) fn set(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

/// The stored form of a value that is kept as JSON.
pub(super) fn json(what: &'static str, value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Unreadable {
        what,
        detail: error.to_string(),
    })
}

/// A hash that is said in hexadecimal and stored as bytes.
pub(super) fn hash(what: &'static str, text: &str) -> Result<[u8; 32], Error> {
    blake3::Hash::from_hex(text)
        .map(Into::into)
        .map_err(|error| Error::Unreadable {
            what,
            detail: error.to_string(),
        })
}

/// Runs a statement. A unique or primary key that is taken means that somebody else was first, a
/// foreign key that leads nowhere that what it names is gone.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> Result<usize, Error> {
    match connection.prepare_cached(sql)?.execute(values) {
        Ok(count) => Ok(count),
        Err(error) if is_conflict(&error) => Err(Error::Conflict(what)),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn insert(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> Result<(), Error> {
    execute(connection, sql, values, what).map(|_| ())
}

/// A statement that must find its one row as the decision saw it.
pub(super) fn update_one(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> Result<(), Error> {
    faults::reach(Point::CompareBefore)?;
    let count = if faults::is_mutant(Mutant::CompareWithoutStatus) {
        execute(connection, &without_comparing(sql), values, what)?
    } else {
        execute(connection, sql, values, what)?
    };
    faults::reach(Point::CompareAfter)?;
    match count {
        1 => Ok(()),
        _ => Err(Error::Conflict(what)),
    }
}

/// The mistake of a mutant: whatever the row is like, it is set. The parameters stay, because their
/// number is counted.
fn without_comparing(sql: &str) -> String {
    let sql = ["'pending'", "'allowed'", "'running'"]
        .iter()
        .fold(sql.to_owned(), |sql, status| {
            sql.replace(&format!(" AND status = {status}"), "")
        });
    // The longer name first: the shorter one is its beginning.
    ["status = ?29", "revision = ?28", "status = ?2"]
        .iter()
        .fold(sql, |sql, compared| {
            let parameter = compared.split("= ").nth(1).unwrap_or_default();
            sql.replace(
                &format!(" AND {compared}"),
                &format!(" AND {parameter} IS NOT NULL"),
            )
        })
}

fn is_conflict(error: &rusqlite::Error) -> bool {
    const CONFLICTS: [i32; 3] = [
        rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE,
        rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
        rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY,
    ];
    error.sqlite_error().is_some_and(|found| {
        found.code == ErrorCode::ConstraintViolation && CONFLICTS.contains(&found.extended_code)
    })
}
