//! The session that the person asked for from outside the window, until a page takes it.

use std::sync::{Mutex, PoisonError};

use protocol::SessionId;
use tokio::sync::Notify;

/// At most one: whoever asks again wants that one instead.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    session_id: Mutex<Option<SessionId>>,
    made: Notify,
}

impl Wish {
    pub(crate) fn make(&self, session_id: SessionId) {
        *self.lock() = Some(session_id);
        self.made.notify_one();
    }

    /// Waits for one and takes it. Safe to drop and call again: nothing is taken before it is
    /// returned.
    pub(crate) async fn take(&self) -> SessionId {
        loop {
            let wished = self.lock().take();
            if let Some(session_id) = wished {
                return session_id;
            }
            self.made.notified().await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<SessionId>> {
        self.session_id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
