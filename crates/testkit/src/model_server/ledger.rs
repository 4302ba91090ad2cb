//! What the server was asked, in memory and on disk.
#![expect(
    clippy::disallowed_methods,
    reason = "a test measures how long the app really waited, and no engine runs here"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::json;

use super::connection::Incoming;
use super::dialect::Dialect;
use super::request::{Ending, Request};

/// Every request, in the order in which they came.
#[derive(Debug)]
pub(super) struct Ledger {
    started: Instant,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    requests: Vec<Request>,
    file: Option<File>,
}

impl Ledger {
    pub(super) fn in_memory() -> Self {
        Self {
            started: Instant::now(),
            entries: Mutex::default(),
        }
    }

    pub(super) fn in_file(path: &Path) -> io::Result<Self> {
        let ledger = Self::in_memory();
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        ledger.lock().file = Some(file);
        Ok(ledger)
    }

    /// Notes a request; with a file it is on disk when this returns.
    pub(super) fn note(&self, incoming: Incoming, dialect: Dialect) -> io::Result<Request> {
        let mut entries = self.lock();
        let request = Request {
            number: entries.requests.len() + 1,
            after: self.started.elapsed(),
            dialect,
            path: incoming.path,
            headers: incoming.headers,
            body: serde_json::from_slice(&incoming.body).unwrap_or_default(),
            bytes: incoming.body,
            ending: Ending::Going,
        };
        if let Some(file) = &mut entries.file {
            let line = json!({
                "number": request.number,
                "after_ms": request.after.as_millis() as u64,
                "path": request.path,
                "headers": request.headers,
                "body": request.body,
            });
            writeln!(file, "{line}")?;
            file.sync_data()?;
        }
        entries.requests.push(request.clone());
        Ok(request)
    }

    /// Notes how the answer to a request ended.
    pub(super) fn end(&self, number: usize, ending: Ending) {
        if let Some(request) = self.lock().requests.get_mut(number - 1) {
            request.ending = ending;
        }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    pub(super) fn count(&self) -> usize {
        self.lock().requests.len()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
