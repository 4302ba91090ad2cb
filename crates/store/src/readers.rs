//! A few connections that only read, each from one consistent state.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};

use rusqlite::{Connection, Transaction};

use crate::Error;
use crate::connection::open_reader;

/// Reads are short; more than this many at once only wait for the same two cores.
const READERS: usize = 3;

#[derive(Debug)]
pub(crate) struct Readers {
    /// `None` once closed.
    idle: Mutex<Option<Vec<Connection>>>,
    returned: Condvar,
}

impl Readers {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let connections: Result<Vec<_>, _> = (0..READERS).map(|_| open_reader(path)).collect();
        Ok(Self {
            idle: Mutex::new(Some(connections?)),
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

    fn take(&self) -> Result<Connection, Error> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match idle.as_mut().map(Vec::pop) {
                None => return Err(Error::Closed),
                Some(Some(connection)) => return Ok(connection),
                Some(None) => {
                    idle = self
                        .returned
                        .wait(idle)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Later reads are refused; one that is under way keeps its connection until it ends.
    pub(crate) fn close(&self) {
        let connections = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.returned.notify_all();
        drop(connections);
    }
}

/// Gives the connection back whatever happens inside, a panic included.
struct Borrowed<'a> {
    connection: Option<Connection>,
    readers: &'a Readers,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut idle = self
            .readers
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let (Some(idle), Some(connection)) = (idle.as_mut(), self.connection.take()) {
            idle.push(connection);
        }
        self.readers.returned.notify_one();
    }
}
