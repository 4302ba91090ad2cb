//! What a run does next, from where its tool calls stand.

use protocol::{CallStatus, EffectClass, Event, RunReason, RunStatus};
use store::{CallRow, Change};

use super::Effect;
use super::draft::Draft;
use super::queue::send_next;
use crate::pin::PinnedLimits;

/// Tool calls of one run that are worked on at once.
const AT_ONCE: usize = 8;

impl Draft<'_> {
    /// Starts what can start; waits for a person when nothing can; asks the model again when all
    /// calls have their results.
    pub(super) fn advance(&mut self) {
        let startable = self.startable();
        let is_running = !self.calls_that(|s| s == CallStatus::Running).is_empty();
        if is_running || !startable.is_empty() {
            self.go_on();
            for call_id in startable {
                let (session_id, run_id) = (self.session_id(), self.run.run_id);
                self.effect(Effect::StartCall {
                    session_id,
                    run_id,
                    call_id,
                });
            }
        } else if !self.calls_that(|s| !s.is_terminal()).is_empty() {
            self.wait();
        } else {
            self.ask_model();
        }
    }

    /// The calls that may start now: calls that touch the same thing keep their order. A later one
    /// that runs already is waited for: edited arguments can touch what nobody foresaw.
    pub(super) fn startable(&self) -> Vec<protocol::CallId> {
        let calls = &self.run.calls;
        let running = self.calls_that(|s| s == CallStatus::Running).len();
        let is_blocked = |index: usize| {
            calls.iter().enumerate().any(|(place, other)| {
                let is_before = place < index && !other.view.status.is_terminal();
                let is_running = other.view.status == CallStatus::Running;
                (is_before || is_running) && conflict(other, &calls[index])
            })
        };
        self.calls_that(|s| s == CallStatus::Ready)
            .into_iter()
            .filter(|index| !is_blocked(*index))
            .take(AT_ONCE.saturating_sub(running))
            .map(|index| calls[index].view.call_id)
            .collect()
    }

    fn go_on(&mut self) {
        if self.run.status == RunStatus::Waiting {
            self.move_run(RunStatus::Running, None, None);
            let run_id = self.run.run_id;
            self.event(Event::RunContinued { run_id });
        }
    }

    fn wait(&mut self) {
        if self.run.status == RunStatus::Running {
            self.move_run(RunStatus::Waiting, None, None);
            let run_id = self.run.run_id;
            self.event(Event::RunWaiting { run_id });
        }
    }

    /// Every call has its result: what they staged is merged, and the model goes on, unless a
    /// limit is reached.
    pub(super) fn ask_model(&mut self) {
        self.merge_state();
        self.go_on();
        self.ask_within_limits();
    }

    /// The model is asked, unless a limit is reached.
    pub(super) fn ask_within_limits(&mut self) {
        if let Some(reason) = self.limit_reached() {
            self.move_run(RunStatus::Stopped, Some(reason), None);
            let run_id = self.run.run_id;
            tracing::info!(name: "engine.run.limited", trace_id = %run_id, reason = reason.as_str());
            self.event(Event::RunStopped { run_id, reason });
            return;
        }
        if let Some(error) = self.repetition() {
            self.end_repetition(error);
            return;
        }
        self.start_model_step();
    }

    /// Goes on if the run does. What the calls of a halted run staged is merged as soon as all of
    /// them are over: what they did is in its history, whatever becomes of it.
    pub(super) fn proceed(&mut self) {
        match self.run.status {
            RunStatus::Running | RunStatus::Waiting => self.advance(),
            RunStatus::Queued
            | RunStatus::Stopped
            | RunStatus::Interrupted
            | RunStatus::Completed
            | RunStatus::Failed
            | RunStatus::Cancelled => self.merge_if_over(),
        }
    }

    pub(super) fn merge_if_over(&mut self) {
        if self.calls_that(|s| !s.is_terminal()).is_empty() {
            self.merge_state();
        }
    }

    fn merge_state(&mut self) {
        if let Some(call) = self.run.calls.first() {
            let (session_id, message_id) = (self.session_id(), call.view.message_id);
            self.change(Change::MergeState {
                session_id,
                message_id,
            });
        }
    }

    /// Its own outcome, never "completed".
    fn limit_reached(&self) -> Option<RunReason> {
        let used = self.run.used;
        let pinned = PinnedLimits::read(self.run.pin.as_deref());
        if used.steps >= pinned.steps() {
            return Some(RunReason::StepLimit);
        }
        if used.ms >= pinned.ms() {
            return Some(RunReason::TimeLimit);
        }
        let limits = pinned.limits;
        if limits.tokens.is_some_and(|limit| used.tokens >= limit) {
            return Some(RunReason::TokenLimit);
        }
        if limits
            .cost_microusd
            .is_some_and(|limit| used.cost_microusd >= limit)
        {
            return Some(RunReason::CostLimit);
        }
        None
    }

    /// The run ended well; the next message that waits is sent in the same breath.
    pub(super) fn complete_run(&mut self) {
        self.move_run(RunStatus::Completed, None, None);
        let run_id = self.run.run_id;
        self.event(Event::RunCompleted { run_id });
        if self.state.doubts.is_empty() {
            send_next(&mut self.decision, &mut self.state, self.given);
        }
    }
}

/// Whether two calls must not run at the same time.
fn conflict(a: &CallRow, b: &CallRow) -> bool {
    let only_read = a.view.effect == EffectClass::Read && b.view.effect == EffectClass::Read;
    !only_read && a.resources.iter().any(|one| b.resources.contains(one))
}
