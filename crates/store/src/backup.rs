//! Backups: made online, verified before they count, newest kept; and the way back from one.

use std::fs;
use std::path::{Path, PathBuf};

use protocol::BackupInfo;
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::connection::{APPLICATION_ID, open_existing, open_read_only};
use crate::damage::quick_check_finding;
use crate::faults::{self, Point};
use crate::folder::{
    BESIDE, UNFINISHED, copy_durably, create_private_file, remove_if_present, sync_dir, with_suffix,
};
use crate::schema::{SCHEMA_VERSION, version_of};
use crate::{DataFolder, Error, audit};

/// How many backups are kept.
const KEPT: usize = 5;
/// Pages copied in one go; readers and the writer go on meanwhile.
const PAGES_AT_ONCE: std::ffi::c_int = 2_000;

/// Copies the database as it is now, checks the copy, and lets the oldest ones go.
///
/// A clock that was set back must not make the new one the oldest: it would be the one to go, and
/// an older one the newest. So its time is after that of all others, if only by a millisecond.
///
/// `is_cut_short` is asked between pieces: whoever closes the app must not wait for a large copy.
pub(crate) fn make_backup(
    folder: &DataFolder,
    source: &Connection,
    at_ms: u64,
    is_cut_short: &dyn Fn() -> bool,
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
    faults::reach(Point::BackupBegun)?;
    if let Err(error) = copy_pages(&source, &unfinished, is_cut_short) {
        remove_if_present(&unfinished)?;
        return Err(error);
    }
    fs::File::open(&unfinished)?.sync_all()?;
    faults::reach(Point::BackupCopied)?;
    fs::rename(&unfinished, &path)?;
    sync_dir(&folder.backups())?;
    faults::reach(Point::BackupNamed)?;
    prune(folder)?;
    let bytes = fs::metadata(&path)?.len();
    tracing::info!(name: "store.backup.made", file_name, bytes);
    Ok(BackupInfo {
        file_name,
        created_at_ms: at_ms,
        bytes,
    })
}

fn copy_pages(
    source: &Connection,
    target: &Path,
    is_cut_short: &dyn Fn() -> bool,
) -> Result<(), Error> {
    let mut copy = open_existing(target)?;
    let backup = Backup::new(source, &mut copy)?;
    while backup.step(PAGES_AT_ONCE)? != StepResult::Done {
        if is_cut_short() {
            return Err(Error::Closed);
        }
    }
    drop(backup);
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
    let restored = folder.restored_database(at_ms);
    audit::note_restore(folder, at_ms, &restored, &format!("replaced-{at_ms}.db"))?;
    fs::rename(restored, folder.database())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::make_durable;
    use crate::schema::Schema;

    /// RUN-18: whoever closes the app does not wait for a large copy, and nothing of it stays.
    #[test]
    fn a_backup_that_is_cut_short_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let folder = DataFolder::create(dir.path()).unwrap();
        drop(create_private_file(&folder.database()).unwrap());
        let mut source = open_existing(&folder.database()).unwrap();
        make_durable(&source).unwrap();
        Schema::CURRENT.fill_new(&mut source, "test", 1).unwrap();
        // More pages than are copied in one go.
        source
            .execute_batch(
                "CREATE TABLE filler (body BLOB); INSERT INTO filler VALUES (zeroblob(12000000))",
            )
            .unwrap();
        let error = make_backup(&folder, &source, 5, &|| true).unwrap_err();
        assert!(matches!(error, Error::Closed), "{error}");
        assert_eq!(fs::read_dir(folder.backups()).unwrap().count(), 0);
        make_backup(&folder, &source, 6, &|| false).unwrap();
        assert_eq!(
            newest_backup(&folder).map(|found| found.created_at_ms),
            Some(6)
        );
    }
}
