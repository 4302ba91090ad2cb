//! The one writer: takes what is queued into one transaction, answers after its commit.
//!
//! Group commit is where the speed comes from: while one commit waits for the disk, the next
//! transitions queue up and share the following fsync.
#![expect(
    clippy::disallowed_methods,
    reason = "the writer measures its own deadlines, no data"
)]

mod batch;
mod queue;
mod sync;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use self::batch::Batch;
use self::queue::{Done, Queue, Work};
use crate::audit::Keeper;
use crate::connection::set_sync;
use crate::faults::{self, Mutant, Point};
use crate::{Change, Error, Sync, Transition};

/// A relaxed commit is on disk at most this much later.
const SECURE_WITHIN: Duration = Duration::from_secs(1);

/// The log is moved into the database once this many of its frames are not there yet: 16 MB, so that a
/// page that changes with every step is moved once for very many of them. The crash suites have a shorter
/// one, to meet the move more often.
const LONG_LOG: i64 = if cfg!(feature = "faults") {
    1_000
} else {
    4_000
};

#[derive(Debug)]
pub(crate) struct Writer {
    queue: Queue<Transition>,
    /// Set once SQLite came upon damage: the exit is then not called clean, so that the next
    /// start checks every page.
    is_suspect: Arc<AtomicBool>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, epoch: u64, audit: Keeper) -> Result<Self, Error> {
        let is_suspect = Arc::new(AtomicBool::new(false));
        let state = State {
            connection,
            epoch,
            sync: Sync::Barrier,
            unsecured_since: None,
            is_suspect: Arc::clone(&is_suspect),
            audit,
        };
        let queue = Queue::start(state)?;
        Ok(Self { queue, is_suspect })
    }

    pub(crate) fn submit(&self, transition: Transition, done: Done) {
        self.queue.submit(transition, done);
    }

    /// Takes note of what a read came upon.
    pub(crate) fn note_error(&self, error: &Error) {
        if matches!(error, Error::Corrupt(_)) {
            self.is_suspect.store(true, Ordering::Relaxed);
        }
    }

    /// Waits until everything queued before is written, then ends the thread.
    pub(crate) fn close(&self) -> Result<(), Error> {
        self.queue.close()
    }
}

struct State {
    connection: Connection,
    epoch: u64,
    /// What the pragma says now.
    sync: Sync,
    /// When the first relaxed commit since the last barrier was made.
    unsecured_since: Option<Instant>,
    is_suspect: Arc<AtomicBool>,
    /// Keeps the head of the audit.
    audit: Keeper,
}

impl Work for State {
    type Item = Transition;

    fn patience(&self) -> Option<Duration> {
        let since = self.unsecured_since?;
        Some(SECURE_WITHIN.saturating_sub(since.elapsed()))
    }

    fn rest(&mut self) {
        self.secure();
    }

    fn write(&mut self, transitions: &[Transition]) -> Result<Vec<Result<(), Error>>, Error> {
        // One barrier makes the whole batch one, and so does a relaxed commit that has waited
        // its second under a stream of others.
        let is_due = self
            .unsecured_since
            .is_some_and(|since| since.elapsed() >= SECURE_WITHIN);
        let wants_barrier = transitions
            .iter()
            .any(|transition| transition.sync == Sync::Barrier);
        let sync = if wants_barrier || is_due {
            Sync::Barrier
        } else {
            Sync::Relaxed
        };
        let results = self.commit(transitions, sync);
        match &results {
            Ok(results) => {
                self.note_committed(sync);
                results.iter().for_each(|result| self.note_damage(result));
            }
            Err(error) => self.note_damage(&Err(error.clone())),
        }
        results
    }

    fn tidy(&mut self) {
        self.shorten_log();
    }

    fn close(mut self) -> Result<(), Error> {
        self.close_cleanly()?;
        self.connection.close().map_err(|(_, error)| error.into())
    }

    fn give_up(mut self) {
        if self.unsecured_since.is_some() {
            self.secure();
        }
    }
}

impl State {
    fn note_damage(&self, result: &Result<(), Error>) {
        if matches!(result, Err(Error::Corrupt(_))) {
            self.is_suspect.store(true, Ordering::Relaxed);
        }
    }

    fn commit(
        &mut self,
        transitions: &[Transition],
        sync: Sync,
    ) -> Result<Vec<Result<(), Error>>, Error> {
        let run = |state: &mut Self| -> Result<_, WriteError> {
            faults::reach(Point::BatchGathered)?;
            state.use_sync(sync)?;
            if faults::is_mutant(Mutant::DeltasDeletedEarly) {
                delete_deltas_early(&state.connection, transitions)?;
            }
            let mut batch = Batch {
                connection: &mut state.connection,
                epoch: state.epoch,
                must_sync: sync == Sync::Barrier && state.unsecured_since.is_some(),
            };
            let (results, tip) = batch.write(transitions)?;
            state.audit.note_committed(tip);
            Ok(results)
        };
        run(self).map_err(WriteError::into_error)
    }

    fn use_sync(&mut self, sync: Sync) -> rusqlite::Result<()> {
        if self.sync != sync {
            set_sync(&self.connection, sync)?;
            self.sync = sync;
        }
        Ok(())
    }

    fn note_committed(&mut self, sync: Sync) {
        match sync {
            Sync::Barrier => {
                self.unsecured_since = None;
                self.audit.note_secured();
            }
            Sync::Relaxed => {
                self.unsecured_since.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Moves a long log into the database, after the answers: nobody waits for it. What a reader
    /// still needs stays in the log until the next time.
    fn shorten_log(&self) {
        let waiting = |mode: &str| -> rusqlite::Result<i64> {
            self.connection
                .prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?
                .query_row([], |row| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?))
        };
        let result = waiting("NOOP").and_then(|frames| {
            if frames < LONG_LOG {
                return Ok(frames);
            }
            faults::pass(Point::CheckpointBefore);
            let left = waiting("PASSIVE");
            faults::pass(Point::CheckpointAfter);
            left
        });
        if let Err(error) = result {
            let error = WriteError::Sqlite(error).into_error();
            tracing::error!(name: "store.checkpoint.failed", %error);
        }
    }

    /// Secures relaxed commits when nothing else comes.
    fn secure(&mut self) {
        let run = |state: &mut Self| -> Result<(), WriteError> {
            faults::reach(Point::SecureBefore)?;
            state.use_sync(Sync::Barrier)?;
            let epoch = state.epoch;
            let transaction = state
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            check_epoch(&transaction, epoch)?;
            touch(&transaction)?;
            transaction.commit()?;
            faults::pass(Point::SecureAfter);
            Ok(())
        };
        match run(self).map_err(WriteError::into_error) {
            Ok(()) => {
                self.unsecured_since = None;
                self.audit.note_secured();
            }
            Err(error) => {
                tracing::error!(name: "store.barrier.failed", %error);
                // Tried again a second later rather than in a tight loop.
                self.unsecured_since = Some(Instant::now());
            }
        }
    }

    fn close_cleanly(&mut self) -> Result<(), Error> {
        let run = |state: &mut Self| -> Result<(), WriteError> {
            faults::reach(Point::CloseBefore)?;
            state.use_sync(Sync::Barrier)?;
            let epoch = state.epoch;
            let transaction = state
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            check_epoch(&transaction, epoch)?;
            let is_clean = !state.is_suspect.load(Ordering::Relaxed);
            transaction.execute(
                "UPDATE runtime SET clean_exit = ?1 WHERE id = 1",
                [is_clean],
            )?;
            transaction.commit()?;
            Ok(())
        };
        run(self).map_err(WriteError::into_error)?;
        self.audit.note_secured();
        self.audit.note_closed();
        Ok(())
    }
}

enum WriteError {
    Sqlite(rusqlite::Error),
    Store(Error),
}

impl WriteError {
    fn into_error(self) -> Error {
        match self {
            Self::Store(error) => error,
            Self::Sqlite(error) => {
                let goes_on = faults::is_mutant(Mutant::GoOnAfterFailedSync);
                if Error::is_failed_sync(&error) && !goes_on {
                    // Nothing written before or after can be trusted: the only honest way on is
                    // to end at once and let the next start read what is really on the disk.
                    tracing::error!(name: "store.sync.failed", %error, "ending the process");
                    std::process::abort();
                }
                error.into()
            }
        }
    }
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// The mistake of a mutant: what was streamed goes in a commit of its own.
fn delete_deltas_early(
    connection: &Connection,
    transitions: &[Transition],
) -> rusqlite::Result<()> {
    for change in transitions.iter().flat_map(|one| &one.changes) {
        if let Change::EndAttempt { step_id, .. } = change {
            connection.execute(
                "DELETE FROM deltas WHERE step_id = ?1",
                [step_id.uuid().as_bytes()],
            )?;
        }
    }
    Ok(())
}

/// An empty commit writes nothing, so a counter is moved to have something to fsync.
fn touch(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE runtime SET barriers = barriers + 1 WHERE id = 1")?
        .execute([])?;
    Ok(())
}

/// A process that was stopped and came back after another took over must not write.
fn check_epoch(connection: &Connection, epoch: u64) -> Result<(), Error> {
    let found: u64 = connection
        .prepare_cached("SELECT epoch FROM runtime WHERE id = 1")?
        .query_row([], |row| row.get(0))?;
    if found == epoch || faults::is_mutant(Mutant::NoEpochCheck) {
        Ok(())
    } else {
        Err(Error::Fenced)
    }
}

#[cfg(test)]
mod tests;
