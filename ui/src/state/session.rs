//! The open session: its messages, its run, what is being streamed.

use std::sync::Arc;

use protocol::{
    AgentId, BranchView, CallId, ErrorCode, Fill, Message, MessageStatus, QueuedMessage, RetryView,
    RunError, RunId, RunReason, RunStatus, RunView, SessionId, SummaryView, ToolCallView,
    UsageTotal,
};
use reactive_stores::Store;

use super::live::{LiveHead, LiveKey, LiveText};

/// The session in the middle of the window.
#[derive(Debug, Clone, Default, Store)]
pub(crate) struct SessionState {
    /// Which one; `None` while it is a new session that nothing was sent to.
    pub(crate) session_id: Option<SessionId>,
    /// Whether a snapshot has arrived.
    pub(crate) is_loaded: bool,
    /// The last event that was taken.
    pub(crate) seq: u64,
    /// The newest messages, oldest first.
    pub(crate) messages: Vec<MessageRow>,
    /// Whether older ones can be read.
    pub(crate) has_earlier: bool,
    /// The tool calls of those messages. A call that changes wakes its own card and no other.
    #[store(key: CallId = |call| call.call_id)]
    pub(crate) calls: Vec<ToolCallView>,
    /// Messages that wait for the run that is going.
    pub(crate) queue: Vec<QueuedMessage>,
    /// The branch that is shown.
    pub(crate) branch: u32,
    /// Every branch; empty while there is only one.
    pub(crate) branches: Vec<BranchView>,
    /// The folder that its tools are confined to.
    pub(crate) workspace: String,
    /// What its model calls cost.
    pub(crate) usage: UsageTotal,
    /// How full the model's window was after the newest reply.
    pub(crate) fill: Option<Fill>,
    /// What the model is told in the place of older messages, the oldest first.
    pub(crate) summaries: Vec<SummaryView>,
    /// The agent it is with.
    pub(crate) agent_id: Option<AgentId>,
    /// The newest run.
    pub(crate) run: Option<RunState>,
    /// The step that streams, without its text: a delta does not wake what reads this.
    pub(crate) live: Option<LiveHead>,
    /// The text of that step's blocks.
    #[store(key: LiveKey = |text| text.key)]
    pub(crate) live_texts: Vec<LiveText>,
    /// Whether this still follows the engine.
    pub(crate) sync: SyncState,
}

/// Whether a part of the state follows the engine, or what it takes to follow again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SyncState {
    #[default]
    Current,
    /// Events are missing: subscribe again from the last seq.
    Resubscribe,
    /// Text is missing: take a new snapshot.
    Snapshot,
}

impl SyncState {
    /// What it takes after a subscription ended with this error.
    pub(crate) const fn after(code: ErrorCode) -> Self {
        match code {
            // The cursor is beyond what exists, or below what is kept.
            ErrorCode::InvalidCursor | ErrorCode::Truncated => Self::Snapshot,
            ErrorCode::InvalidCommand
            | ErrorCode::InvalidValue
            | ErrorCode::TooLarge
            | ErrorCode::Unsupported
            | ErrorCode::NotFound
            | ErrorCode::AlreadyRunning
            | ErrorCode::NotActionable
            | ErrorCode::WrongDigest
            | ErrorCode::Conflict
            | ErrorCode::StorageFailed
            | ErrorCode::DataFolderInUse
            | ErrorCode::NewerDatabase
            | ErrorCode::DamagedDatabase
            | ErrorCode::Unavailable
            | ErrorCode::Internal => Self::Resubscribe,
        }
    }
}

/// A message as the transcript shows it. It never changes but for `cut`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageRow {
    pub(crate) message: Arc<Message>,
    pub(crate) cut: Cut,
}

/// Why a message ends where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cut {
    /// It is whole.
    Whole,
    /// It is partial, and it is not known any more why.
    Unknown,
    Stopped,
    Interrupted,
    Failed,
}

/// Where the newest run of a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunState {
    pub(crate) run_id: RunId,
    pub(crate) status: RunStatus,
    pub(crate) reason: Option<RunReason>,
    pub(crate) error: Option<RunError>,
    /// Present while it waits to call the model again after an error.
    pub(crate) retry: Option<RetryView>,
    /// When it got into this status, in milliseconds since 1970.
    pub(crate) since_ms: u64,
}

impl MessageRow {
    pub(crate) fn new(message: Message, run: Option<&RunState>) -> Self {
        let cut = match message.status {
            MessageStatus::Complete | MessageStatus::Unreadable => Cut::Whole,
            MessageStatus::Partial => run
                .filter(|run| message.run_id == Some(run.run_id))
                .map_or(Cut::Unknown, RunState::cut),
        };
        Self {
            message: Arc::new(message),
            cut,
        }
    }
}

impl RunState {
    pub(crate) fn new(run_id: RunId, status: RunStatus, since_ms: u64) -> Self {
        Self {
            run_id,
            status,
            reason: None,
            error: None,
            retry: None,
            since_ms,
        }
    }

    pub(crate) fn from_view(view: RunView) -> Self {
        Self {
            run_id: view.run_id,
            status: view.status,
            reason: view.reason,
            error: view.error,
            retry: view.retry,
            since_ms: view.updated_at_ms,
        }
    }

    /// Why a message that this run cut off ends where it ends.
    pub(crate) fn cut(&self) -> Cut {
        match self.reason {
            Some(
                RunReason::StoppedByUser
                | RunReason::StepLimit
                | RunReason::TimeLimit
                | RunReason::TokenLimit
                | RunReason::CostLimit,
            ) => Cut::Stopped,
            Some(RunReason::AppClosed | RunReason::AppEnded) => Cut::Interrupted,
            Some(RunReason::Superseded | RunReason::Discarded) => Cut::Unknown,
            None if self.status == RunStatus::Failed => Cut::Failed,
            None => Cut::Unknown,
        }
    }
}
