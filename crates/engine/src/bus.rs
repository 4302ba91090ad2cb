//! Waking whoever watches, after a commit. It carries no content: the woken read the store, so
//! that a live window and one that catches up see the same things in the same order.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use protocol::SessionId;
use store::{Change, Transition};
use tokio::sync::{Notify, watch};

#[derive(Debug, Default)]
pub(crate) struct Bus {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    sessions: HashMap<SessionId, watch::Sender<()>>,
    watches: Vec<Weak<Dirty>>,
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
    /// Wakes the subscribers of every session that the transition touched. Streamed text wakes
    /// the session's own subscribers alone: the list does not change with it.
    pub(crate) fn publish(&self, transition: &Transition) {
        let is_text = transition
            .changes
            .iter()
            .all(|c| matches!(c, Change::AppendDeltas { .. }));
        let sessions = transition.sessions();
        let mut state = self.lock();
        for session_id in &sessions {
            let is_unheard = state
                .sessions
                .get(session_id)
                .is_some_and(|sender| sender.send(()).is_err());
            if is_unheard {
                state.sessions.remove(session_id);
            }
        }
        if !is_text {
            state.watches.retain(|watch| match watch.upgrade() {
                Some(dirty) => {
                    dirty.mark(&sessions);
                    true
                }
                None => false,
            });
        }
    }

    /// A receiver that is woken after each commit that touches the session; `None` once closed.
    pub(crate) fn subscribe(&self, session_id: SessionId) -> Option<watch::Receiver<()>> {
        let mut state = self.lock();
        if state.is_closed {
            return None;
        }
        let sender = state
            .sessions
            .entry(session_id)
            .or_insert_with(|| watch::channel(()).0);
        Some(sender.subscribe())
    }

    /// A set that fills with the sessions that change from now on; `None` once closed.
    pub(crate) fn watch(&self) -> Option<Arc<Dirty>> {
        let mut state = self.lock();
        if state.is_closed {
            return None;
        }
        let dirty = Arc::new(Dirty::default());
        state.watches.push(Arc::downgrade(&dirty));
        Some(dirty)
    }

    /// Ends every subscription.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.sessions.clear();
        for dirty in state.watches.drain(..).filter_map(|watch| watch.upgrade()) {
            dirty.lock().is_closed = true;
            dirty.changed.notify_one();
        }
    }

    /// How many sessions have a wake-up list: back to none when nobody watches.
    #[cfg(test)]
    pub(crate) fn session_count(&self) -> usize {
        self.lock().sessions.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn lock(&self) -> std::sync::MutexGuard<'_, DirtySessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
