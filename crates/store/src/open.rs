//! Opening the store: lock, check, back up, migrate, take the next epoch, start the threads.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::BackupInfo;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::connection::{make_durable, open_untouched};
use crate::create::create_database;
use crate::damage::{check_header, check_no_orphaned_log, damaged, quick_check, read_error};
use crate::faults::{self, Mutant, Point};
use crate::folder::FolderLock;
use crate::readers::Readers;
use crate::schema::{Schema, version_of};
use crate::writer::Writer;
use crate::{DataFolder, Error, Reader, Transition, audit, backup};

/// What the store needs to be told.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where everything is kept.
    pub folder: DataFolder,
    /// Noted in the database, to say who wrote it last.
    pub app_version: String,
    /// The id of this process.
    pub pid: u32,
    /// The time now.
    pub now_ms: u64,
}

/// What was found on opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// This process's number.
    pub epoch: u64,
    /// Whether there was no database before.
    pub is_new: bool,
    /// Whether the process before this one closed it.
    pub was_clean: bool,
    /// The schema it had, if it had to be migrated.
    pub migrated_from: Option<u32>,
}

/// The store: cheap to clone, one writer, a few readers.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: DataFolder,
    writer: Writer,
    readers: Readers,
    /// Given back on close, so that the next process can have the folder.
    lock: Mutex<Option<FolderLock>>,
}

impl Store {
    /// Opens the database of a folder, creating it if there is none. Never overwrites what it
    /// cannot read.
    pub fn open(options: &Options) -> Result<(Self, Opened), Error> {
        Self::open_with(options, Schema::CURRENT)
    }

    pub(crate) fn open_with(options: &Options, schema: Schema) -> Result<(Self, Opened), Error> {
        let folder = &options.folder;
        let lock = folder.lock(options.pid)?;
        faults::reach(Point::LockTaken)?;
        backup::finish_restore(folder)?;
        folder.sweep_unfinished()?;
        let is_new = !folder.database().try_exists()?;
        if is_new {
            check_no_orphaned_log(folder)?;
            create_database(folder, schema, &options.app_version, options.now_ms)?;
        }
        check_header(folder)?;
        folder.make_database_private()?;
        let mut connection = connect(folder)?;
        let found = check_version(folder, &connection, schema)?;
        let was_clean = was_clean(folder, &connection)?;
        if !was_clean {
            quick_check(folder, &connection)?;
        }
        faults::reach(Point::DatabaseChecked)?;
        // From here on the file is known to be ours and sound, and may be written.
        make_durable(&connection)?;
        let migrated_from = (found < schema.version()).then_some(found);
        if migrated_from.is_some() {
            backup::make_backup(folder, &connection, options.now_ms, &|| false)?;
            faults::reach(Point::MigrationBackedUp)?;
            schema.migrate(&mut connection)?;
            faults::reach(Point::Migrated)?;
        }
        faults::reach(Point::EpochBefore)?;
        let begun = match (is_new, migrated_from) {
            (true, _) => "new",
            (false, Some(_)) => "migrated",
            (false, None) => "empty",
        };
        let epoch = take_epoch(&mut connection, options, begun)
            .map_err(|error| read_error(folder, error))?;
        faults::reach(Point::EpochAfter)?;
        if faults::is_mutant(Mutant::SweepRevivesCancelled) {
            connection.execute(
                "UPDATE runs SET status = 'interrupted' WHERE status = 'cancelled'",
                [],
            )?;
        }
        let readers = Readers::open(&folder.database())?;
        let head = audit::take_up(folder, &connection, epoch)?;
        let writer = Writer::start(connection, epoch, head)?;
        let opened = Opened {
            epoch,
            is_new,
            was_clean,
            migrated_from,
        };
        tracing::info!(name: "store.database.opened", ?opened, sqlite = crate::sqlite_version());
        let inner = Inner {
            folder: folder.clone(),
            writer,
            readers,
            lock: Mutex::new(Some(lock)),
        };
        Ok((
            Self {
                inner: Arc::new(inner),
            },
            opened,
        ))
    }

    /// Reads, from one consistent state of the database.
    pub fn read<T>(&self, read: impl FnOnce(&Reader<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let result = self
            .inner
            .readers
            .with(|transaction| read(&Reader::new(transaction)));
        if let Err(error) = &result {
            self.inner.writer.note_error(error);
        }
        result
    }

    /// The same for short reads, without waiting for anyone: gives the read back if every connection
    /// is in use.
    pub fn read_at_once<T, R>(&self, read: R) -> Result<Result<T, Error>, R>
    where
        R: FnOnce(&Reader<'_>) -> Result<T, Error>,
    {
        let mut kept = Some(read);
        let result = self.inner.readers.with_free(|transaction| {
            let read = kept.take().ok_or(Error::Closed)?;
            read(&Reader::new(transaction))
        });
        if let Some(Err(error)) = &result {
            self.inner.writer.note_error(error);
        }
        match (result, kept) {
            (Some(result), _) => Ok(result),
            (None, Some(read)) => Err(read),
            (None, None) => Ok(Err(Error::Closed)),
        }
    }

    /// Hands a transition to the writer. `done` is called on the writer's thread once the commit
    /// has gone as far as the transition asks, or with the reason why nothing was written.
    pub fn submit(
        &self,
        transition: Transition,
        done: impl FnOnce(Result<(), Error>) + Send + 'static,
    ) {
        self.inner.writer.submit(transition, Box::new(done));
    }

    /// The same, waiting for it. Not for use inside a `done`: the writer would wait for itself.
    pub fn apply(&self, transition: Transition) -> Result<(), Error> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        self.submit(transition, move |result| {
            // The receiver waits below; it can only be gone if this thread is unwinding.
            drop(sender.send(result));
        });
        receiver.recv().unwrap_or(Err(Error::Closed))
    }

    /// Copies the database while it is in use.
    pub fn backup(&self, at_ms: u64) -> Result<BackupInfo, Error> {
        self.inner.readers.with_connection(|source| {
            let is_closing = || self.inner.readers.is_closed();
            backup::make_backup(&self.inner.folder, source, at_ms, &is_closing)
        })
    }

    /// Where everything is kept.
    pub fn folder(&self) -> &DataFolder {
        &self.inner.folder
    }

    /// Writes what is queued, waits for reads under way, marks the exit as clean and closes. Later
    /// reads and writes are refused. Not for use inside a read or a `done`.
    pub fn close(&self) -> Result<(), Error> {
        // Held to the end: a second caller must not give the folder away while the first writes.
        let mut lock = self
            .inner
            .lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.inner.readers.close();
        let result = self.inner.writer.close();
        drop(lock.take());
        result
    }
}

fn connect(folder: &DataFolder) -> Result<Connection, Error> {
    let connection =
        open_untouched(&folder.database()).map_err(|error| read_error(folder, error))?;
    // The first real read: a damaged header or page shows here.
    connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
            row.get::<_, i64>(0)
        })
        .map_err(|error| read_error(folder, error))?;
    Ok(connection)
}

fn check_version(
    folder: &DataFolder,
    connection: &Connection,
    schema: Schema,
) -> Result<u32, Error> {
    let found = version_of(connection).map_err(|error| read_error(folder, error))?;
    if found > schema.version() {
        return Err(Error::Newer {
            found,
            known: schema.version(),
        });
    }
    if found == 0 {
        return Err(damaged(folder, "it has no schema".to_owned()));
    }
    Ok(found)
}

fn was_clean(folder: &DataFolder, connection: &Connection) -> Result<bool, Error> {
    connection
        .query_row("SELECT clean_exit FROM runtime WHERE id = 1", [], |row| {
            row.get(0)
        })
        .map_err(|error| match (error.sqlite_error_code(), error) {
            (_, rusqlite::Error::QueryReturnedNoRows) => {
                damaged(folder, "its owner row is missing".to_owned())
            }
            // There is no such table or column.
            (Some(rusqlite::ErrorCode::Unknown), error) => damaged(folder, error.to_string()),
            (_, error) => read_error(folder, error),
        })
}

/// Reading the number back is a statement of its own: an error of the commit would be lost with
/// `RETURNING`, and this process would take itself for one that was replaced.
fn take_epoch(
    connection: &mut Connection,
    options: &Options,
    begun: &'static str,
) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "UPDATE runtime
         SET epoch = epoch + 1, pid = ?1, app_version = ?2, clean_exit = 0, started_at_ms = ?3
         WHERE id = 1",
        params![options.pid, options.app_version, options.now_ms],
    )?;
    let epoch = transaction.query_row("SELECT epoch FROM runtime WHERE id = 1", [], |row| {
        row.get(0)
    })?;
    audit::begin(&transaction, epoch, options.now_ms, begun)?;
    transaction.commit()?;
    Ok(epoch)
}

#[cfg(test)]
mod tests;
