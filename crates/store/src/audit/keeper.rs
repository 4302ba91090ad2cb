//! Keeps the head up to date, on a thread of its own: nobody's answer waits for its file.
//!
//! It is told of rows that a barrier has secured, and writes at most once in a while. A disk that
//! refuses costs nothing but a head that lags: it is tried again.
#![expect(
    clippy::disallowed_methods,
    reason = "the keeper measures its own pauses, no data"
)]

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::chain::Tip;
use super::head::{self, Former, Head};
use super::key::Key;
use crate::{DataFolder, Error};

/// The head is renewed at most this often, and lags behind the last barrier by no more.
const RENEW_EVERY: Duration = Duration::from_secs(1);

/// Tells the thread; ends it when dropped, after a last renewal.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    /// Absent where there is no chain.
    wanted: Option<Arc<Wanted>>,
    thread: Option<JoinHandle<()>>,
    /// The newest row that is committed.
    committed: Option<Tip>,
}

#[derive(Debug, Default)]
struct Wanted {
    next: Mutex<Next>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Next {
    tip: Option<Tip>,
    /// Nothing comes any more.
    is_over: bool,
    /// The database is closed: the head may say that there is nothing after it.
    is_closed: bool,
}

impl Keeper {
    /// `renewed` is what the file says now.
    pub(super) fn start(pen: Pen, renewed: Tip) -> Result<Self, Error> {
        let wanted = Arc::new(Wanted::default());
        let told = Arc::clone(&wanted);
        let thread = std::thread::Builder::new()
            .name("audit-head".to_owned())
            .spawn(move || told.keep(&pen, renewed))?;
        Ok(Self {
            wanted: Some(wanted),
            thread: Some(thread),
            committed: None,
        })
    }

    /// Rows were committed, up to this one.
    pub(crate) fn note_committed(&mut self, tip: Option<Tip>) {
        self.committed = tip.or(self.committed);
    }

    /// Everything that was committed is on disk.
    pub(crate) fn note_secured(&mut self) {
        if let (Some(tip), Some(wanted)) = (self.committed.take(), &self.wanted) {
            wanted.lock().tip = Some(tip);
            wanted.changed.notify_one();
        }
    }

    /// The database was closed and everything is on disk.
    pub(crate) fn note_closed(&self) {
        if let Some(wanted) = &self.wanted {
            wanted.lock().is_closed = true;
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(wanted) = &self.wanted {
            wanted.lock().is_over = true;
            wanted.changed.notify_one();
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(name: "audit.head.panicked", "the keeper of the head ended in a panic");
        }
    }
}

impl Wanted {
    fn keep(&self, pen: &Pen, mut renewed: Tip) {
        let mut pause_until = Instant::now();
        loop {
            let (tip, is_over, is_closed) = self.next(pause_until);
            let tip = tip.unwrap_or(renewed);
            if tip != renewed || is_closed {
                match pen.write(tip, is_closed) {
                    Ok(()) => renewed = tip,
                    // Another process has the folder: the head is its business from now on.
                    Err(Error::Fenced) => return,
                    Err(error) => {
                        tracing::warn!(name: "audit.head.not_renewed", %error);
                        // A newer one may have come meanwhile, and is as good.
                        self.lock().tip.get_or_insert(tip);
                    }
                }
            }
            if is_over {
                return;
            }
            pause_until = Instant::now() + RENEW_EVERY;
        }
    }

    /// What is to be written, once there is something and the pause is over, or all is over.
    fn next(&self, pause_until: Instant) -> (Option<Tip>, bool, bool) {
        let mut next = self.lock();
        loop {
            let left = pause_until.saturating_duration_since(Instant::now());
            if next.is_over || (next.tip.is_some() && left.is_zero()) {
                return (next.tip.take(), next.is_over, next.is_closed);
            }
            next = if next.tip.is_some() {
                let waited = self.changed.wait_timeout(next, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                let waited = self.changed.wait(next);
                waited.unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stays the same from head to head.
#[derive(Debug)]
pub(super) struct Pen {
    pub(super) folder: DataFolder,
    pub(super) key: Key,
    pub(super) origin: String,
    pub(super) epoch: u64,
    pub(super) former: Vec<Former>,
}

impl Pen {
    /// A process that was stopped and came back after another took over must not write: the other
    /// one has left its number in the file.
    fn write(&self, tip: Tip, is_closed: bool) -> Result<(), Error> {
        if let Some(Ok(found)) = head::read(&self.folder)?
            && found.head.epoch > self.epoch
        {
            return Err(Error::Fenced);
        }
        let mut head = Head::covering(tip, &self.origin, self.epoch, self.former.clone());
        head.is_closed = is_closed;
        head.seal(&self.key)?.write(&self.folder)
    }
}
