//! Backups: made online, verified before they count, newest kept; and the way back from one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::BackupInfo;
use rusqlite::Connection;
use rusqlite::backup::Backup;

use crate::connection::{open_existing, open_read_only};
use crate::damage::quick_check_finding;
use crate::folder::{copy_durably, create_private_file, remove_if_present, sync_dir, with_suffix};
use crate::schema::{SCHEMA_VERSION, version_of};
use crate::{DataFolder, Error};

/// How many backups are kept.
const KEPT: usize = 5;
/// Pages copied between two chances for the writer to go on.
const PAGES_AT_ONCE: std::ffi::c_int = 2_000;

/// Copies the database as it is now, checks the copy, and lets the oldest ones go.
pub(crate) fn make_backup(
    folder: &DataFolder,
    source: &Connection,
    at_ms: u64,
) -> Result<BackupInfo, Error> {
    let version = version_of(source)?;
    let file_name = format!("holdfast-{at_ms}-schema{version}.db");
    let path = folder.backups().join(&file_name);
    let unfinished = with_suffix(&path, ".unfinished");
    remove_if_present(&unfinished)?;
    drop(create_private_file(&unfinished)?);
    copy_pages(source, &unfinished)?;
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
        matches!(version_of(&connection), Ok(1..=SCHEMA_VERSION))
            && matches!(quick_check_finding(&connection), Ok(None))
    })
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
    let info = newest_backup(folder).ok_or(Error::NoBackup {
        folder: folder.backups(),
    })?;
    let database = folder.database();
    // The backup is brought beside the database first: if the disk is full, nothing has moved yet.
    let incoming = folder.unfinished_database();
    copy_durably(&folder.backups().join(&info.file_name), &incoming)?;
    for suffix in ["", "-wal", "-shm"] {
        let from = with_suffix(&database, suffix);
        if from.exists() {
            let aside = folder
                .damaged()
                .join(format!("replaced-{at_ms}.db{suffix}"));
            fs::rename(&from, aside)?;
        }
    }
    fs::rename(&incoming, &database)?;
    sync_dir(folder.root())?;
    sync_dir(&folder.damaged())?;
    tracing::warn!(name: "store.backup.restored", file_name = info.file_name);
    Ok(info)
}
