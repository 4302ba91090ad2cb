//! The audit as lines of JSON: one for each row, the head in the last one. It can be checked
//! without the database.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::head::{self, Found, Sealed, judge};
use super::key::KeyPlace;
use super::report::AuditReport;
use super::row::Row;
use super::verify::{Check, read_rows};
use crate::connection::open_read_only;
use crate::{DataFolder, Error};

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    /// Absent where there is none, or one that cannot be read.
    head: Option<Sealed>,
}

/// Writes the audit of a folder out, and says how many rows. Works while the app runs.
pub fn export_audit(data_dir: &Path, out: &mut dyn Write) -> Result<u64, Error> {
    let folder = DataFolder::existing(data_dir);
    // First the head: what it covers is in the rows.
    let head = head::read(&folder)?.and_then(Result::ok);
    let connection = open_read_only(&folder.database())?;
    let (mut count, mut result) = (0, Ok(()));
    read_rows(&connection, |row| {
        count += 1;
        if result.is_ok() {
            result = line(out, &row);
        }
    })?;
    result?;
    line(out, &Last { head })?;
    out.flush()?;
    Ok(count)
}

fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Error> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| unreadable(&error.to_string()))?;
    bytes.push(b'\n');
    Ok(out.write_all(&bytes)?)
}

fn unreadable(detail: &str) -> Error {
    Error::Unreadable {
        what: "audit",
        detail: detail.to_owned(),
    }
}

/// Checks what was exported. With the folder it came from, whose key says whether the head is
/// genuine; without one, only whether rows and head fit each other.
pub fn verify_audit_export(
    export: &mut dyn Read,
    data_dir: Option<&Path>,
) -> Result<AuditReport, Error> {
    let key = data_dir.and_then(|dir| KeyPlace::File(&DataFolder::existing(dir)).load());
    let mut lines = Vec::new();
    let mut last = None;
    for (number, text) in (1..).zip(BufReader::new(export).lines()) {
        let text = text?;
        if last.is_some() {
            return Err(unreadable(&format!("line {number} stands after the head")));
        }
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| unreadable(&format!("line {number} is no JSON: {error}")))?;
        let read = if value.get("head").is_some() {
            serde_json::from_value(value).map(|found: Last| last = Some(found))
        } else {
            serde_json::from_value(value).map(|row: Row| lines.push(row))
        };
        read.map_err(|error| unreadable(&format!("line {number}: {error}")))?;
    }
    let found = match last.and_then(|last| last.head) {
        Some(sealed) => judge(Some(sealed), key.as_ref()),
        None => Found::Missing,
    };
    let mut check = Check::new(found);
    lines.iter().for_each(|row| check.see(row));
    Ok(if key.is_some() {
        check.finish()
    } else {
        check.finish_without_key()
    })
}
