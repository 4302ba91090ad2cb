//! The one door to SQLite: every connection is opened and set up here.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door that the lint guards"
)]

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::folder::{has_content, with_suffix};
use crate::{Error, Sync};

/// Long enough for a checkpoint on a slow disk; nobody else writes, so it is never used up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// More than there are different statements: each is prepared once per connection.
const STATEMENTS: usize = 256;
/// What the log is cut back to when it begins anew after it had grown under a long read.
const LOG_BYTES: u32 = 16 * 1024 * 1024;

/// Marks a file as ours in its header, so that a foreign database is not taken for one.
pub(crate) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"HFst");

/// Opens a file that exists, for writing, without touching its content.
pub(crate) fn open_existing(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Opens a file for reading alone: a backup that is looked at must not grow a WAL of its own.
pub(crate) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// A reader beside the writer; it cannot write even by mistake.
pub(crate) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_existing(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens a file that may have to be refused. Closing the last connection moves the log into the
/// database, which must not happen to a file that is damaged or not ours to change. Where there is
/// no log, closing only takes away the empty one that opening made.
pub(crate) fn open_untouched(path: &Path) -> rusqlite::Result<Connection> {
    let has_log = has_content(&with_suffix(path, "-wal"));
    let connection = open_existing(path)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
    Ok(connection)
}

/// Write-ahead log, and every commit on disk until a relaxed one is asked for.
pub(crate) fn make_durable(connection: &Connection) -> Result<(), Error> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        return Err(Error::Io(format!(
            "write-ahead logging is refused here (journal mode {mode})"
        )));
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // The writer moves the log into the database itself: SQLite's own way hides a failed fsync.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    // What a savepoint puts aside is needed by nobody after a crash.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // On macOS an fsync alone does not reach the disk; elsewhere these two say nothing new.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    set_sync(connection, Sync::Barrier)?;
    Ok(())
}

/// The pragma cannot change inside a transaction: the writer calls this before BEGIN.
pub(crate) fn set_sync(connection: &Connection, sync: Sync) -> rusqlite::Result<()> {
    let level = match sync {
        Sync::Barrier => "FULL",
        Sync::Relaxed => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", level)
}
