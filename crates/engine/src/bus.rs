//! Waking whoever watches, after a commit. It carries no content: the woken read the store, so
//! that a live window and one that catches up see the same things in the same order.
//!
//! Its locks come from `super`, so that the test that tries out schedules can compile this very file
//! with locks of its own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, Weak};

use protocol::SessionId;
use tokio::sync::{Notify, watch};

use super::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
pub(crate) struct Bus {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    sessions: HashMap<SessionId, watch::Sender<()>>,
    watches: Vec<Weak<Dirty>>,
}

/// Hears of every commit that touches its session, until it is dropped.
#[derive(Debug)]
pub(crate) struct Listener {
    session_id: SessionId,
    state: Arc<Mutex<State>>,
    woken: watch::Receiver<()>,
}

/// The sessions that changed since a watch last looked: bounded by how many sessions there are,
/// however slow the watcher is.
#[derive(Debug, Default)]
pub(crate) struct Dirty {
    sessions: Mutex<DirtySessions>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct DirtySessions {
    is_closed: bool,
    ids: HashSet<SessionId>,
}

impl Bus {
    /// Wakes the subscribers of every session that a transition touched. Streamed text wakes
    /// the session's own subscribers alone: the list does not change with it.
    pub(crate) fn publish(&self, sessions: &[SessionId], is_text: bool) {
        let mut state = lock(&self.state);
        for session_id in sessions {
            if let Some(sender) = state.sessions.get(session_id) {
                sender.send_replace(());
            }
        }
        if !is_text {
            state.watches.retain(|watch| match watch.upgrade() {
                Some(dirty) => {
                    dirty.mark(sessions);
                    true
                }
                None => false,
            });
        }
    }

    /// Woken after each commit that touches the session; `None` once closed.
    pub(crate) fn listen(&self, session_id: SessionId) -> Option<Listener> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return None;
        }
        let sender = state
            .sessions
            .entry(session_id)
            .or_insert_with(|| watch::channel(()).0);
        Some(Listener {
            session_id,
            woken: sender.subscribe(),
            state: Arc::clone(&self.state),
        })
    }

    /// A set that fills with the sessions that change from now on; `None` once closed.
    pub(crate) fn watch(&self) -> Option<Arc<Dirty>> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return None;
        }
        let dirty = Arc::new(Dirty::default());
        state.watches.retain(|watch| watch.strong_count() > 0);
        state.watches.push(Arc::downgrade(&dirty));
        Some(dirty)
    }

    /// Ends every subscription.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.is_closed = true;
        state.sessions.clear();
        for dirty in state.watches.drain(..).filter_map(|watch| watch.upgrade()) {
            dirty.lock().is_closed = true;
            dirty.changed.notify_one();
        }
    }

    /// How many sessions are followed, and how many follow the list.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let state = lock(&self.state);
        let watches = state.watches.iter().filter(|w| w.strong_count() > 0);
        (state.sessions.len(), watches.count())
    }
}

impl Listener {
    /// Looks, and after each commit again, until there is something; nothing once closed. Safe to
    /// drop while it waits.
    pub(crate) async fn until<L: Look>(
        &mut self,
        look: &mut L,
    ) -> Result<Option<L::Found>, L::Error> {
        loop {
            // Marked before looking: a commit after this ends the wait below.
            self.woken.mark_unchanged();
            if let Some(found) = look.look().await? {
                return Ok(Some(found));
            }
            if self.woken.changed().await.is_err() {
                return Ok(None);
            }
        }
    }
}

/// Something in the store that is waited for.
pub(crate) trait Look {
    /// What is found.
    type Found;
    /// Why it cannot be looked at.
    type Error;

    /// What is there at this moment, if it is there.
    fn look(&mut self) -> impl Future<Output = Result<Option<Self::Found>, Self::Error>> + Send;
}

/// The last one to go takes the session's entry with it: whoever asks for sessions that do not
/// exist, or for thousands in turn, must leave nothing behind.
impl Drop for Listener {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        let is_last = state
            .sessions
            .get(&self.session_id)
            .is_some_and(|sender| sender.receiver_count() <= 1);
        if is_last {
            state.sessions.remove(&self.session_id);
        }
    }
}

impl Dirty {
    fn mark(&self, sessions: &[SessionId]) {
        self.lock().ids.extend(sessions);
        self.changed.notify_one();
    }

    /// Waits until something changed and takes it; `None` once closed.
    pub(crate) async fn take(&self) -> Option<HashSet<SessionId>> {
        loop {
            {
                let mut dirty = self.lock();
                if !dirty.ids.is_empty() {
                    return Some(std::mem::take(&mut dirty.ids));
                }
                if dirty.is_closed {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    /// What changed, without waiting.
    pub(crate) fn take_now(&self) -> HashSet<SessionId> {
        std::mem::take(&mut self.lock().ids)
    }

    fn lock(&self) -> MutexGuard<'_, DirtySessions> {
        lock(&self.sessions)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
