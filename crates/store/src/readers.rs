//! A few connections that only read, each from one consistent state.

use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, Transaction};

use crate::Error;
use crate::connection::open_reader;

/// Reads are short; more than this many at once only wait for the same two cores.
const READERS: usize = 3;

#[derive(Debug)]
pub(crate) struct Readers {
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Debug)]
struct Pool {
    idle: Vec<Connection>,
    /// How many are in use.
    borrowed: usize,
    is_closed: bool,
}

impl Readers {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let connections: Result<Vec<_>, _> = (0..READERS).map(|_| open_reader(path)).collect();
        Ok(Self {
            pool: Mutex::new(Pool {
                idle: connections?,
                borrowed: 0,
                is_closed: false,
            }),
            returned: Condvar::new(),
        })
    }

    /// Runs a read inside one deferred transaction.
    pub(crate) fn with<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with_connection(|connection| read(&connection.unchecked_transaction()?))
    }

    pub(crate) fn with_connection<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let borrowed = Borrowed {
            connection: Some(self.take()?),
            readers: self,
        };
        borrowed
            .connection
            .as_ref()
            .map_or(Err(Error::Closed), read)
    }

    /// The same if a connection is free at this moment.
    pub(crate) fn with_free<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> Result<T, Error>,
    ) -> Option<Result<T, Error>> {
        let borrowed = Borrowed {
            connection: Some(self.take_free()?),
            readers: self,
        };
        let connection = borrowed.connection.as_ref()?;
        let transaction = connection.unchecked_transaction().map_err(Error::from);
        Some(transaction.and_then(|transaction| read(&transaction)))
    }

    fn take_free(&self) -> Option<Connection> {
        let mut pool = self.pool();
        if pool.is_closed {
            return None;
        }
        let connection = pool.idle.pop()?;
        pool.borrowed += 1;
        Some(connection)
    }

    fn take(&self) -> Result<Connection, Error> {
        let mut pool = self.pool();
        loop {
            if pool.is_closed {
                return Err(Error::Closed);
            }
            if let Some(connection) = pool.idle.pop() {
                pool.borrowed += 1;
                return Ok(connection);
            }
            pool = self.wait(pool);
        }
    }

    /// Refuses later reads and waits for those under way. Whoever closes the last connection
    /// deletes the log by its name: after the folder is given away that name is another's.
    pub(crate) fn close(&self) {
        let mut pool = self.pool();
        pool.is_closed = true;
        self.returned.notify_all();
        while pool.borrowed > 0 {
            pool = self.wait(pool);
        }
        pool.idle.clear();
    }

    /// Whether it is being closed: a long read asks this on its way.
    pub(crate) fn is_closed(&self) -> bool {
        self.pool().is_closed
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, pool: MutexGuard<'a, Pool>) -> MutexGuard<'a, Pool> {
        self.returned
            .wait(pool)
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives the connection back whatever happens inside, a panic included.
struct Borrowed<'a> {
    connection: Option<Connection>,
    readers: &'a Readers,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.pool();
        pool.idle.extend(self.connection.take());
        pool.borrowed -= 1;
        // All of them: one waiter may be a reader, another the one who closes.
        self.readers.returned.notify_all();
    }
}
