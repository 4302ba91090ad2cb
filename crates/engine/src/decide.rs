//! Deciding: from what is stored and what was asked to what is written and what is done next.
//!
//! Everything here is pure: the time and a source of ids come in, a [`Decision`] comes out. One
//! file per transition.

mod advance;
mod approval;
mod branch;
mod call_outcome;
mod call_start;
mod compaction;
mod copy;
mod create_session;
mod delete_session;
mod doubt;
mod draft;
mod halt;
mod model_outcome;
mod queue;
mod rename_session;
mod repetition;
mod resume_run;
mod retry;
mod send_message;
mod start_run;
mod sweep;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use protocol::{CallId, Event, RunId, SessionId, StepId};
use store::{Change, Sync, Transition};
use uuid::Uuid;

pub(crate) use approval::{Answer, DecideCall, decide_call, expire};
pub(crate) use branch::{Again, edit_message, regenerate, retry_run, select_branch};
pub(crate) use call_outcome::{CallEnd, RESULT_BYTES, call_outcome};
pub(crate) use call_start::{StartCall, refuse_call, start_call, start_ready};
pub(crate) use copy::{Copied, copy_session};
pub(crate) use create_session::create_session;
pub(crate) use delete_session::{
    archive_session, delete_session, restore_session, set_agent, set_model,
};
pub(crate) use doubt::{Settle, checked_in_vain, settle_doubt};
pub(crate) use halt::{cancel_run, dismiss_run, interrupt, stop_run};
pub(crate) use model_outcome::{Outcome, PlannedCall, Said, model_outcome};
pub(crate) use queue::{edit_queued, remove_queued, send_queued};
pub(crate) use rename_session::rename_session;
pub(crate) use resume_run::resume_run;
pub(crate) use retry::{MAX_TRIES, release_model, retry_model};
pub(crate) use send_message::{SendMessage, send_message};
pub(crate) use start_run::{StartRun, chosen_model, start_run};
pub(crate) use sweep::{Checkable, follow_up, sweep};

use crate::ids::Ids;
use crate::tool::ToolSpec;

/// What every decision is given beside the state: the time, ids, and what a new run begins with.
#[derive(Debug, Clone)]
pub(crate) struct Given<'a> {
    pub(crate) at_ms: u64,
    pub(crate) ids: &'a dyn Ids,
    pub(crate) default_model: Arc<str>,
    pub(crate) tools: &'a [ToolSpec],
}

impl Given<'_> {
    fn new_id(&self) -> Uuid {
        self.ids.next(self.at_ms)
    }
}

/// What is written in one transaction, and what is done once it is committed.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    pub(crate) changes: Vec<Change>,
    pub(crate) effects: Vec<Effect>,
    /// Nothing that was acknowledged depends on it: it need not be on disk at once.
    pub(crate) is_relaxed: bool,
}

/// What a model is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// To go on with the session.
    Answer,
    /// The same, right after older messages were summarised: there is no more room to be made.
    AnswerAtLast,
    /// To summarise older messages.
    Summary,
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
        asking: Asking,
    },
    /// End the model call of this run, if one is going.
    HaltModel {
        session_id: SessionId,
        run_id: RunId,
    },
    /// Start this tool call, unless it is being started already.
    StartCall {
        session_id: SessionId,
        run_id: RunId,
        call_id: CallId,
    },
    /// Run the body of this tool call: its intent is written already.
    RunCall {
        session_id: SessionId,
        run_id: RunId,
        call_id: CallId,
        step_id: StepId,
        attempt: u32,
    },
    /// End the tool calls of this run that are going.
    HaltCalls { run_id: RunId },
}

impl Decision {
    /// A decision that writes nothing, and so shows nothing.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    pub(crate) fn into_transition(self) -> (Option<Transition>, Vec<Effect>) {
        let sync = if self.is_relaxed {
            Sync::Relaxed
        } else {
            Sync::Barrier
        };
        let transition = (!self.changes.is_empty()).then_some(Transition {
            sync,
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
