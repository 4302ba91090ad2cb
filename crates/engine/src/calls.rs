//! Handles to the model calls that are going. They are no truth about any run: losing one loses
//! nothing that was decided.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::{RunId, SessionId};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

/// The calls that are going: at most one per session, as there is at most one live run.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    by_session: Mutex<HashMap<SessionId, Arc<CallHandle>>>,
}

/// One call that is going.
#[derive(Debug)]
pub(crate) struct CallHandle {
    run_id: RunId,
    /// Ends the call.
    pub(crate) cancel: CancellationToken,
    /// Whoever writes about the attempt holds this: the call while it commits a piece, a decision
    /// from its read to its commit. Without it a model that streams without pause would outrun
    /// every stop, because each piece makes what the stop was decided on a thing of the past.
    pen: Arc<tokio::sync::Mutex<()>>,
}

impl CallHandle {
    /// Waits for its turn; turns are given in the order they were asked for.
    pub(crate) async fn take_pen(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.pen).lock_owned().await
    }
}

impl Calls {
    /// Notes a call that begins. One that is still noted belongs to an attempt that is over.
    pub(crate) fn begin(&self, session_id: SessionId, run_id: RunId) -> Arc<CallHandle> {
        let handle = Arc::new(CallHandle {
            run_id,
            cancel: CancellationToken::new(),
            pen: Arc::default(),
        });
        let before = self.lock().insert(session_id, Arc::clone(&handle));
        if let Some(before) = before {
            before.cancel.cancel();
        }
        handle
    }

    /// Ends the call of a run, if one is going.
    pub(crate) fn halt(&self, session_id: SessionId, run_id: RunId) {
        let mut calls = self.lock();
        if calls
            .get(&session_id)
            .is_some_and(|call| call.run_id == run_id)
            && let Some(call) = calls.remove(&session_id)
        {
            call.cancel.cancel();
        }
    }

    /// Ends every call.
    pub(crate) fn halt_all(&self) {
        for (_, call) in self.lock().drain() {
            call.cancel.cancel();
        }
    }

    /// A call is over. Only its own handle goes: a resumed run may have put another there.
    pub(crate) fn end(&self, session_id: SessionId, handle: &Arc<CallHandle>) {
        let mut calls = self.lock();
        if calls
            .get(&session_id)
            .is_some_and(|call| Arc::ptr_eq(call, handle))
        {
            calls.remove(&session_id);
        }
    }

    /// The turn to decide about a session, if a call is going in it.
    pub(crate) async fn take_pen(&self, session_id: SessionId) -> Option<OwnedMutexGuard<()>> {
        let handle = self.lock().get(&session_id).cloned()?;
        Some(handle.take_pen().await)
    }

    /// How many are going.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<CallHandle>>> {
        self.by_session
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn ids() -> (SessionId, RunId, RunId) {
        let session_id = SessionId::from_uuid(Uuid::from_u128(1));
        let run = |number| RunId::from_uuid(Uuid::from_u128(number));
        (session_id, run(2), run(3))
    }

    #[test]
    fn a_halt_ends_the_call_of_its_run_and_no_other() {
        let (session_id, run_id, other) = ids();
        let calls = Calls::default();
        let handle = calls.begin(session_id, run_id);
        calls.halt(session_id, other);
        assert!(!handle.cancel.is_cancelled());
        calls.halt(session_id, run_id);
        assert!(handle.cancel.is_cancelled());
        assert_eq!(calls.count(), 0);
    }

    #[test]
    fn a_call_that_ends_late_leaves_the_handle_of_the_resumed_run_alone() {
        let (session_id, run_id, _) = ids();
        let calls = Calls::default();
        let old = calls.begin(session_id, run_id);
        let new = calls.begin(session_id, run_id);
        assert!(old.cancel.is_cancelled(), "its attempt is over");
        calls.end(session_id, &old);
        assert_eq!(calls.count(), 1);
        calls.halt(session_id, run_id);
        assert!(new.cancel.is_cancelled(), "the resumed run can be stopped");
    }
}
