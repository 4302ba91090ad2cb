//! Telling a sound database from one that must not be touched, and keeping a copy of the latter.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rusqlite::Connection;

use crate::connection::APPLICATION_ID;
use crate::error::says_damaged;
use crate::folder::{copy_durably, has_content, with_suffix};
use crate::{DataFolder, Error};

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Where SQLite's header keeps the application id.
const APPLICATION_ID_AT: std::ops::Range<usize> = 68..72;

/// What must hold before SQLite is let near the file: it would take an empty one for a new one,
/// and would roll a foreign one's journal back.
pub(crate) fn check_header(folder: &DataFolder) -> Result<(), Error> {
    let mut header = [0_u8; 100];
    let mut file = File::open(folder.database())?;
    let length = file.metadata()?.len();
    match file.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => header.fill(0),
        Err(error) => return Err(error.into()),
    }
    if !header.starts_with(MAGIC) {
        let detail = format!("it does not begin like a database ({length} bytes)");
        return Err(damaged(folder, detail));
    }
    if header[APPLICATION_ID_AT] != APPLICATION_ID.to_be_bytes() {
        return Err(damaged(
            folder,
            "it is a database of another program".to_owned(),
        ));
    }
    Ok(())
}

/// A log without its database means that the database was lost, not that there never was one.
pub(crate) fn check_no_orphaned_log(folder: &DataFolder) -> Result<(), Error> {
    if has_content(&with_suffix(&folder.database(), "-wal")) {
        let detail = "the file is missing while its log is still there";
        return Err(damaged(folder, detail.to_owned()));
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

/// The first thing that SQLite's check finds, or nothing. A row that breaks a rule of its table is
/// no damage of the file: it is told apart when it is read, and hides nothing else.
pub(crate) fn quick_check_finding(connection: &Connection) -> rusqlite::Result<Option<String>> {
    connection.pragma_update(None, RULES_ASIDE, true)?;
    let finding = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    connection.pragma_update(None, RULES_ASIDE, false)?;
    let finding: String = finding?;
    Ok((finding != "ok").then_some(finding))
}

/// Also leaves the rules of tables out of SQLite's check.
const RULES_ASIDE: &str = "ignore_check_constraints";

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
    let mut kept = None;
    let mut name = None;
    for suffix in ["", "-wal"] {
        let from = with_suffix(path, suffix);
        let Ok(found) = fs::metadata(&from) else {
            continue;
        };
        // SQLite makes an empty log on opening; it says nothing.
        if suffix == "-wal" && found.len() == 0 {
            continue;
        }
        let modified_ms = found
            .modified()?
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis());
        // The log goes beside its database, under the same name.
        let name = name.get_or_insert_with(|| format!("holdfast-{modified_ms}.db"));
        let to = folder.damaged().join(format!("{name}{suffix}"));
        if !to.exists() {
            copy_durably(&from, &to)?;
        }
        kept.get_or_insert(to);
    }
    Ok(kept)
}
