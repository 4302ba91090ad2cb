//! The tool calls that are being worked on, so that they can be told to end.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use protocol::{CallId, RunId};
use tokio_util::sync::CancellationToken;

use crate::work::Looked;

/// At most one job per call.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    by_call: Mutex<HashMap<CallId, Job>>,
    /// What will run once its intent is committed.
    parked: Mutex<HashMap<CallId, Looked>>,
}

#[derive(Debug)]
struct Job {
    run_id: RunId,
    cancel: CancellationToken,
    /// Somebody wanted the call to be started while this job was going.
    is_wanted: bool,
}

impl Jobs {
    /// Notes a job that begins; nothing if the call has one.
    pub(crate) fn begin(&self, call_id: CallId, run_id: RunId) -> Option<CancellationToken> {
        let mut jobs = self.lock();
        if let Some(job) = jobs.get_mut(&call_id) {
            job.is_wanted = true;
            return None;
        }
        let job = Job {
            run_id,
            cancel: CancellationToken::new(),
            is_wanted: false,
        };
        let cancel = job.cancel.clone();
        jobs.insert(call_id, job);
        Some(cancel)
    }

    /// A job is over; whether somebody wanted the call to be started meanwhile.
    pub(crate) fn end(&self, call_id: CallId) -> bool {
        let ended = self.lock().remove(&call_id);
        ended.is_some_and(|job| job.is_wanted)
    }

    /// Keeps what was looked at until its intent is committed.
    pub(crate) fn park(&self, call_id: CallId, looked: Looked) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.insert(call_id, looked);
    }

    /// Takes it back: to run it, or because it will not be run from here.
    pub(crate) fn unpark(&self, call_id: CallId) -> Option<Looked> {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.remove(&call_id)
    }

    /// Tells every job of a run to end.
    pub(crate) fn halt(&self, run_id: RunId) {
        for job in self.lock().values() {
            if job.run_id == run_id {
                job.cancel.cancel();
            }
        }
    }

    /// Tells every job to end.
    pub(crate) fn halt_all(&self) {
        for job in self.lock().values() {
            job.cancel.cancel();
        }
    }

    /// How many are going.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, Job>> {
        self.by_call.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
