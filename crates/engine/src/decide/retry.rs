//! A model call failed: it is tried again later by itself, or the run fails.

use protocol::{Event, RetryView, RunError, RunId, RunStatus, StepStatus};
use store::{Change, Retry, SessionState};

use super::draft::Draft;
use super::{Decision, Given};

/// Tries of one model call.
pub(crate) const MAX_TRIES: u32 = 5;
/// The wait after the first failure; it doubles with every further one.
const FIRST_WAIT_MS: u64 = 1_000;
const LONGEST_WAIT_MS: u64 = 60_000;
/// A provider that asks for more than this is asked again then all the same.
const LONGEST_ASKED_MS: u64 = 60 * 60 * 1_000;
/// A call that waits for its provider looks again after so long, if nobody told it to before.
const HELD_MS: u64 = 60 * 60 * 1_000;

impl Draft<'_> {
    /// What is transient is tried again, as long as there are tries left.
    pub(super) fn model_failed(&mut self, error: &RunError, retry_after_ms: Option<u64>) {
        let failed = self.run.retry_failed + 1;
        let run_id = self.run.run_id;
        if error.class.is_transient() && failed < MAX_TRIES {
            let wait_ms = self.wait_ms(failed, retry_after_ms);
            self.try_later(error, failed, wait_ms);
            return;
        }
        tracing::warn!(
            name: "engine.model.given_up",
            trace_id = %run_id,
            session_id = %self.session_id(),
            class = error.class.as_str(),
            tries = failed,
            of = MAX_TRIES,
        );
        self.end_model_call(StepStatus::Failed, Some(error.clone()));
        self.move_run(RunStatus::Failed, None, Some(error.clone()));
        self.event(Event::RunFailed {
            run_id,
            error: error.clone(),
        });
    }

    /// Nothing was sent, so it is no try that failed: it waits for the person.
    pub(super) fn model_held(&mut self, error: &RunError) {
        self.try_later(error, self.run.retry_failed, HELD_MS);
    }

    fn try_later(&mut self, error: &RunError, failed: u32, wait_ms: u64) {
        let run_id = self.run.run_id;
        self.end_model_call(StepStatus::Interrupted, Some(error.clone()));
        let retry = Retry {
            at_ms: self.given.at_ms + wait_ms,
            failed,
            error: error.clone(),
        };
        self.change(Change::SetRetry {
            run_id,
            retry: Some(retry.clone()),
        });
        self.run.retry_failed = failed;
        let event = Event::RetryScheduled {
            run_id,
            retry: RetryView {
                error: retry.error.clone(),
                failed,
                of: MAX_TRIES,
                at_ms: retry.at_ms,
            },
        };
        self.run.retry = Some(retry);
        self.event(event);
    }

    /// Doubling, with jitter so that many sessions do not come back at once; never earlier than
    /// the provider asked for.
    fn wait_ms(&self, failed: u32, retry_after_ms: Option<u64>) -> u64 {
        let doubled = FIRST_WAIT_MS.saturating_mul(1 << (failed - 1).min(16));
        let base = doubled.min(LONGEST_WAIT_MS);
        // The random end of a fresh id: deciding has no randomness of its own.
        let random = u64::from(self.given.new_id().as_bytes()[15]);
        let jittered = base / 2 + base * random / 510;
        jittered.max(retry_after_ms.unwrap_or(0).min(LONGEST_ASKED_MS))
    }

    /// It no longer waits for its next try.
    pub(super) fn clear_retry(&mut self) {
        if self.run.retry.take().is_some() {
            let run_id = self.run.run_id;
            self.change(Change::SetRetry {
                run_id,
                retry: None,
            });
        }
    }
}

/// It is time for the next try. One that is no longer waited for changes nothing.
pub(crate) fn retry_model(state: &SessionState, run_id: RunId, given: &Given<'_>) -> Decision {
    try_again(state, run_id, given, |retry| retry.at_ms <= given.at_ms)
}

/// The provider was mended: a call that waits for that is made. One that waits for something else
/// goes on waiting.
pub(crate) fn release_model(state: &SessionState, run_id: RunId, given: &Given<'_>) -> Decision {
    try_again(state, run_id, given, |retry| {
        !retry.error.class.is_transient()
    })
}

/// The person does not want to wait: the next try is made now, if one is waited for.
pub(super) fn try_now(state: &SessionState, run_id: RunId, given: &Given<'_>) -> Option<Decision> {
    let decision = try_again(state, run_id, given, |_| true);
    (!decision.changes.is_empty()).then_some(decision)
}

fn try_again(
    state: &SessionState,
    run_id: RunId,
    given: &Given<'_>,
    is_due: impl Fn(&Retry) -> bool,
) -> Decision {
    let waits = |draft: &Draft<'_>| {
        draft.run.status == RunStatus::Running && draft.run.retry.as_ref().is_some_and(&is_due)
    };
    let Some(mut draft) = Draft::of_run(state, run_id, given).filter(waits) else {
        return Decision::nothing();
    };
    draft.clear_retry();
    draft.start_model_attempt();
    draft.decision
}
