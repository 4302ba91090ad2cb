//! Telling a sound database from one that must not be touched, and keeping a copy of the latter.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::Connection;

use crate::connection::APPLICATION_ID;
use crate::error::says_damaged;
use crate::folder::{copy_durably, with_suffix};
use crate::{DataFolder, Error};

const HEADER: &[u8; 16] = b"SQLite format 3\0";

/// What must hold before SQLite is let near the file: it would take an empty one for a new one.
pub(crate) fn check_header(folder: &DataFolder) -> Result<(), Error> {
    let path = folder.database();
    let mut header = [0_u8; 16];
    let mut file = File::open(&path)?;
    let length = file.metadata()?.len();
    if file.read_exact(&mut header).is_err() || &header != HEADER {
        let detail = format!("it does not begin like a database ({length} bytes)");
        return Err(damaged(folder, detail));
    }
    Ok(())
}

/// A log without its database means that the database was lost, not that there never was one.
pub(crate) fn check_no_orphaned_log(folder: &DataFolder) -> Result<(), Error> {
    let log = with_suffix(&folder.database(), "-wal");
    match fs::metadata(&log) {
        Ok(found) if found.len() > 0 => Err(damaged(
            folder,
            "the file is missing while its log is still there".to_owned(),
        )),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The file says that it is ours.
pub(crate) fn check_application(folder: &DataFolder, connection: &Connection) -> Result<(), Error> {
    let found: i32 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(|error| read_error(folder, error))?;
    if found != APPLICATION_ID {
        return Err(damaged(
            folder,
            "it is a database of another program".to_owned(),
        ));
    }
    Ok(())
}

/// SQLite's own check, which reads every page. Run after an exit that was not clean.
pub(crate) fn quick_check(folder: &DataFolder, connection: &Connection) -> Result<(), Error> {
    match quick_check_finding(connection) {
        Ok(None) => Ok(()),
        Ok(Some(finding)) => Err(damaged(folder, finding)),
        Err(error) => Err(read_error(folder, error)),
    }
}

/// The first thing that SQLite's check finds, or nothing.
pub(crate) fn quick_check_finding(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let finding: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((finding != "ok").then_some(finding))
}

/// Turns what SQLite said while opening into damage where it is damage.
pub(crate) fn read_error(folder: &DataFolder, error: rusqlite::Error) -> Error {
    if says_damaged(&error) {
        damaged(folder, error.to_string())
    } else {
        error.into()
    }
}

/// The error, with a copy of the file put aside. Nothing else is written.
pub(crate) fn damaged(folder: &DataFolder, detail: String) -> Error {
    let path = folder.database();
    let copy = keep_copy(folder, &path)
        .inspect_err(|error| tracing::warn!(name: "store.damage.copy_failed", %error))
        .ok()
        .flatten();
    Error::Damaged { path, copy, detail }
}

/// One copy per damaged state: it is named by the file's own time, so that a hundred starts make
/// one copy and not a hundred.
fn keep_copy(folder: &DataFolder, path: &Path) -> Result<Option<PathBuf>, Error> {
    let Ok(found) = fs::metadata(path) else {
        return Ok(None);
    };
    let modified_ms = found
        .modified()?
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis());
    let copy = folder.damaged().join(format!("holdfast-{modified_ms}.db"));
    for suffix in ["", "-wal"] {
        let (from, to) = (with_suffix(path, suffix), with_suffix(&copy, suffix));
        if from.exists() && !to.exists() {
            copy_durably(&from, &to)?;
        }
    }
    Ok(Some(copy))
}
