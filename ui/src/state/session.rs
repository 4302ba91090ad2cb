//! The open session: its messages, its run, what is being streamed.

use std::sync::Arc;

use protocol::{Message, MessageStatus, RunError, RunId, RunReason, RunStatus, RunView, SessionId};
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
    /// When it got into this status, in milliseconds since 1970.
    pub(crate) since_ms: u64,
}

impl MessageRow {
    pub(crate) fn new(message: Message, run: Option<&RunState>) -> Self {
        let cut = match message.status {
            MessageStatus::Complete => Cut::Whole,
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
            since_ms,
        }
    }

    pub(crate) fn from_view(view: RunView) -> Self {
        Self {
            run_id: view.run_id,
            status: view.status,
            reason: view.reason,
            error: view.error,
            since_ms: view.updated_at_ms,
        }
    }

    /// Why a message that this run cut off ends where it ends.
    pub(crate) fn cut(&self) -> Cut {
        match self.reason {
            Some(RunReason::StoppedByUser) => Cut::Stopped,
            Some(RunReason::AppClosed | RunReason::AppEnded) => Cut::Interrupted,
            Some(RunReason::Superseded | RunReason::Discarded) => Cut::Unknown,
            None if self.status == RunStatus::Failed => Cut::Failed,
            None => Cut::Unknown,
        }
    }
}
