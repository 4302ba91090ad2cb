//! Tool calls as a person meets them: what stage each is at, and which wait for an answer.

use leptos::prelude::Read;
use protocol::{ApprovalStatus, CallId, CallStatus, MessageId, ToolCallView};
use reactive_stores::Store;

use super::session::{RunState, SessionStateStoreFields};
use super::{AppState, AppStateStoreFields};

/// Which card a call is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CallStage {
    /// On its way.
    Working,
    /// Asks the person.
    Asking,
    /// Asked once, and nobody can answer any more.
    Late,
    /// Started, outcome unknown.
    InDoubt,
    /// Over, with a result of its own.
    Done,
    /// Over without having run.
    NotRun,
}

impl CallStage {
    /// A question of a run that ended, or that another run took the place of, is dead.
    pub(crate) fn of(call: &ToolCallView, run: Option<&RunState>) -> Self {
        let is_open = run.is_some_and(|run| run.run_id == call.run_id && !run.status.is_terminal());
        match call.status {
            CallStatus::Proposed | CallStatus::Ready | CallStatus::Running => Self::Working,
            CallStatus::Waiting => match call.approval.as_ref().map(|approval| approval.status) {
                Some(ApprovalStatus::Pending) if is_open => Self::Asking,
                // Answered; the call is about to move.
                Some(ApprovalStatus::Allowed | ApprovalStatus::Denied) => Self::Working,
                Some(
                    ApprovalStatus::Pending
                    | ApprovalStatus::Expired
                    | ApprovalStatus::Superseded
                    | ApprovalStatus::Closed,
                )
                | None => Self::Late,
            },
            CallStatus::InDoubt => Self::InDoubt,
            CallStatus::Completed | CallStatus::Failed => Self::Done,
            CallStatus::Denied | CallStatus::Skipped | CallStatus::Cancelled => Self::NotRun,
        }
    }

    /// Whether the run waits for the person because of it.
    pub(crate) const fn is_pending(self) -> bool {
        matches!(self, Self::Asking | Self::InDoubt)
    }
}

/// The calls that one message asked for, in order.
pub(crate) fn calls_of(store: Store<AppState>, message_id: MessageId) -> Vec<CallId> {
    let calls = store.session().calls().read();
    let mut found: Vec<(u32, CallId)> = calls
        .iter()
        .filter(|call| call.message_id == message_id)
        .map(|call| (call.ordinal, call.call_id))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, call_id)| call_id).collect()
}

/// The calls that wait for the person, in the order of the transcript.
pub(crate) fn pending_calls(store: Store<AppState>) -> Vec<ToolCallView> {
    let session = store.session();
    let run = session.run().read();
    let messages = session.messages().read();
    let place = |call: &ToolCallView| {
        let message = messages
            .iter()
            .position(|row| row.message.message_id == call.message_id);
        (message, call.ordinal)
    };
    let mut pending: Vec<ToolCallView> = session
        .calls()
        .read()
        .iter()
        .filter(|call| CallStage::of(call, run.as_ref()).is_pending())
        .cloned()
        .collect();
    pending.sort_by_key(place);
    pending
}
