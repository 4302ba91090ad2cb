//! Deciding: from what is stored and what was asked to what is written and what is done next.
//!
//! Everything here is pure: times and ids come in, a [`Decision`] comes out. One file per
//! transition.

mod cancel_run;
mod create_session;
mod halt;
mod interrupt;
mod outcome;
mod rename_session;
mod resume_run;
mod start_run;
mod stop_run;
#[cfg(test)]
mod tests;

use protocol::{Event, RunId, SessionId, StepId};
use store::{Change, Sync, Transition};

pub(crate) use cancel_run::cancel_run;
pub(crate) use create_session::create_session;
pub(crate) use interrupt::interrupt;
pub(crate) use outcome::{Outcome, outcome};
pub(crate) use rename_session::rename_session;
pub(crate) use resume_run::resume_run;
pub(crate) use start_run::{StartRun, start_run};
pub(crate) use stop_run::stop_run;

/// What is written in one transaction, and what is done once it is committed.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    pub(crate) changes: Vec<Change>,
    pub(crate) effects: Vec<Effect>,
}

/// What is done after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Call the model for this attempt.
    CallModel {
        session_id: SessionId,
        run_id: RunId,
        step_id: StepId,
        attempt: u32,
    },
    /// End the model call of this run, if one is going.
    HaltModel {
        session_id: SessionId,
        run_id: RunId,
    },
}

impl Decision {
    /// A decision that writes nothing, and so shows nothing.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    pub(crate) fn into_transition(self) -> (Option<Transition>, Vec<Effect>) {
        let transition = (!self.changes.is_empty()).then_some(Transition {
            sync: Sync::Barrier,
            changes: self.changes,
        });
        (transition, self.effects)
    }

    fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    fn event(&mut self, session_id: SessionId, at_ms: u64, event: Event) {
        self.changes.push(Change::AppendEvent {
            session_id,
            at_ms,
            event,
        });
    }
}
