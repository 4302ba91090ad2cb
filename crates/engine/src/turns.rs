//! Decisions about one session are made one after the other.
//!
//! A decision reads several rows and writes some of them. Two that are made at once could each
//! leave the last word to the other: two calls that end together, each seeing the other still
//! running, and nobody asks the model again. So whoever decides about a session waits for its turn,
//! and keeps it from the read to the commit. What is decided in different sessions is written
//! together all the same.
//!
//! Its locks come from `super`, so that the test that tries out schedules can compile this very file
//! with locks of its own.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use protocol::SessionId;
use tokio::sync::OwnedMutexGuard;

use super::sync::{Mutex, MutexGuard};

type Lock = Arc<tokio::sync::Mutex<()>>;

/// The sessions that are being decided about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    by_session: Arc<Mutex<HashMap<SessionId, Lock>>>,
}

/// The turn to decide about a session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Turns,
    session_id: SessionId,
    guard: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// Waits for a turn; turns are given in the order they were asked for.
    pub(crate) async fn take(&self, session_id: SessionId) -> Turn {
        let lock = Arc::clone(self.lock().entry(session_id).or_default());
        // Made before the wait: whoever waits no longer leaves nothing behind either.
        let mut turn = Turn {
            turns: self.clone(),
            session_id,
            guard: None,
        };
        turn.guard = Some(lock.lock_owned().await);
        turn
    }

    /// How many sessions are being decided about.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Lock>> {
        self.by_session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut locks = self.turns.lock();
        drop(self.guard.take());
        // Nobody holds it and nobody waits for it: both have a copy of their own.
        if locks
            .get(&self.session_id)
            .is_some_and(|lock| Arc::strong_count(lock) == 1)
        {
            locks.remove(&self.session_id);
        }
    }
}
