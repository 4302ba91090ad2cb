//! The tool calls that are being worked on, so that they can be told to end.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use protocol::{CallId, RunId};
use tokio_util::sync::CancellationToken;

/// At most one job per call.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    by_call: Mutex<HashMap<CallId, (RunId, CancellationToken)>>,
}

impl Jobs {
    /// Notes a job that begins; nothing if the call has one.
    pub(crate) fn begin(&self, call_id: CallId, run_id: RunId) -> Option<CancellationToken> {
        let mut jobs = self.lock();
        if jobs.contains_key(&call_id) {
            return None;
        }
        let cancel = CancellationToken::new();
        jobs.insert(call_id, (run_id, cancel.clone()));
        Some(cancel)
    }

    /// A job is over.
    pub(crate) fn end(&self, call_id: CallId) {
        self.lock().remove(&call_id);
    }

    /// Tells every job of a run to end.
    pub(crate) fn halt(&self, run_id: RunId) {
        for (of, cancel) in self.lock().values() {
            if *of == run_id {
                cancel.cancel();
            }
        }
    }

    /// Tells every job to end.
    pub(crate) fn halt_all(&self) {
        for (_, cancel) in self.lock().values() {
            cancel.cancel();
        }
    }

    /// How many are going.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, (RunId, CancellationToken)>> {
        self.by_call.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
