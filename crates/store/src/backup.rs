//! Backups: made online, verified before they count, newest kept; and the way back from one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::BackupInfo;
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::connection::{APPLICATION_ID, open_existing, open_read_only};
use crate::damage::quick_check_finding;
use crate::folder::{
    BESIDE, UNFINISHED, copy_durably, create_private_file, remove_if_present, sync_dir, with_suffix,
};
use crate::schema::{SCHEMA_VERSION, version_of};
use crate::{DataFolder, Error};

/// How many backups are kept.
const KEPT: usize = 5;
/// Pages copied in one go; readers and the writer go on meanwhile.
const PAGES_AT_ONCE: std::ffi::c_int = 2_000;

/// Copies the database as it is now, checks the copy, and lets the oldest ones go.
///
/// A clock that was set back must not make the new one the oldest: it would be the one to go, and
/// an older one the newest. So its time is after that of all others, if only by a millisecond.
pub(crate) fn make_backup(
    folder: &DataFolder,
    source: &Connection,
    at_ms: u64,
) -> Result<BackupInfo, Error> {
    // One state for the whole copy: a writer that goes on would make it begin anew, for ever.
    let source = source.unchecked_transaction()?;
    let version = version_of(&source)?;
    let newest = backups(folder)?.first().map(|(at_ms, _)| *at_ms);
    let at_ms = newest.map_or(at_ms, |newest| at_ms.max(newest.saturating_add(1)));
    let file_name = format!("holdfast-{at_ms}-schema{version}.db");
    let path = folder.backups().join(&file_name);
    let unfinished = with_suffix(&path, UNFINISHED);
    remove_if_present(&unfinished)?;
    drop(create_private_file(&unfinished)?);
    copy_pages(&source, &unfinished)?;
    fs::File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, &path)?;
    sync_dir(&folder.backups())?;
    prune(folder)?;
    let bytes = fs::metadata(&path)?.len();
    tracing::info!(name: "store.backup.made", file_name, bytes);
    Ok(BackupInfo {
        file_name,
        created_at_ms: at_ms,
        bytes,
    })
}

fn copy_pages(source: &Connection, target: &Path) -> Result<(), Error> {
    let mut copy = open_existing(target)?;
    Backup::new(source, &mut copy)?.run_to_completion(PAGES_AT_ONCE, Duration::ZERO, None)?;
    // A single file that needs nothing beside it.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    if let Some(finding) = quick_check_finding(&copy)? {
        return Err(Error::Io(format!("the backup is not sound: {finding}")));
    }
    copy.close().map_err(|(_, error)| error.into())
}

fn prune(folder: &DataFolder) -> Result<(), Error> {
    for (_, path) in backups(folder)?.into_iter().skip(KEPT) {
        remove_if_present(&path)?;
    }
    Ok(())
}

/// The newest backup that can be read and is not from a newer version.
pub fn newest_backup(folder: &DataFolder) -> Option<BackupInfo> {
    let (created_at_ms, path) = newest_sound(folder)?;
    Some(BackupInfo {
        file_name: path.file_name()?.to_string_lossy().into_owned(),
        created_at_ms,
        bytes: fs::metadata(&path).ok()?.len(),
    })
}

fn newest_sound(folder: &DataFolder) -> Option<(u64, PathBuf)> {
    backups(folder)
        .ok()?
        .into_iter()
        .find(|(_, path)| is_sound(path))
}

fn is_sound(path: &Path) -> bool {
    open_read_only(path).is_ok_and(|connection| {
        is_ours(&connection)
            && matches!(version_of(&connection), Ok(1..=SCHEMA_VERSION))
            && matches!(quick_check_finding(&connection), Ok(None))
    })
}

fn is_ours(connection: &Connection) -> bool {
    connection
        .pragma_query_value(None, "application_id", |row| row.get::<_, i32>(0))
        .is_ok_and(|found| found == APPLICATION_ID)
}

/// All backups, newest first.
fn backups(folder: &DataFolder) -> Result<Vec<(u64, PathBuf)>, Error> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.backups())? {
        let path = entry?.path();
        if let Some(at_ms) = path
            .file_name()
            .and_then(|name| made_at_ms(&name.to_string_lossy()))
        {
            found.push((at_ms, path));
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

fn made_at_ms(file_name: &str) -> Option<u64> {
    let (at_ms, rest) = file_name.strip_prefix("holdfast-")?.split_once('-')?;
    let version = rest.strip_prefix("schema")?.strip_suffix(".db")?;
    version.parse::<u32>().ok()?;
    at_ms.parse().ok()
}

/// Puts the newest sound backup in the place of the database. What stood there is moved to
/// `damaged`, never deleted. Fails if a process uses the folder.
pub fn restore_newest_backup(
    folder: &DataFolder,
    pid: u32,
    at_ms: u64,
) -> Result<BackupInfo, Error> {
    let _lock = folder.lock(pid)?;
    finish_restore(folder)?;
    let info = newest_backup(folder).ok_or(Error::NoBackup {
        folder: folder.backups(),
    })?;
    let at_ms = unused_time(folder, at_ms)?;
    // The whole backup is brought beside the database first: if the disk is full, nothing has
    // moved yet. Once it has its name there the restore is decided.
    copy_durably(
        &folder.backups().join(&info.file_name),
        &folder.restored_database(at_ms),
    )?;
    finish_restore(folder)?;
    tracing::warn!(name: "store.backup.restored", file_name = info.file_name);
    Ok(info)
}

/// Carries a decided restore out. It may be cut off at any instant and begun again: until the
/// last rename there is a file that says so, and a missing database is not taken for a new one.
pub(crate) fn finish_restore(folder: &DataFolder) -> Result<(), Error> {
    let Some(at_ms) = folder.unfinished_restore()? else {
        return Ok(());
    };
    // The log must go before the backup comes: SQLite would apply it to a database it is not of.
    for suffix in BESIDE {
        let from = with_suffix(&folder.database(), suffix);
        if from.try_exists()? {
            fs::rename(&from, aside(folder, at_ms, suffix))?;
        }
    }
    sync_dir(&folder.damaged())?;
    sync_dir(folder.root())?;
    fs::rename(folder.restored_database(at_ms), folder.database())?;
    sync_dir(folder.root())
}

fn aside(folder: &DataFolder, at_ms: u64, suffix: &str) -> PathBuf {
    folder
        .damaged()
        .join(format!("replaced-{at_ms}.db{suffix}"))
}

/// A time under which nothing was put aside before, so that nothing is overwritten.
fn unused_time(folder: &DataFolder, mut at_ms: u64) -> Result<u64, Error> {
    loop {
        let mut is_used = false;
        for suffix in BESIDE {
            is_used |= aside(folder, at_ms, suffix).try_exists()?;
        }
        if !is_used {
            return Ok(at_ms);
        }
        at_ms += 1;
    }
}
