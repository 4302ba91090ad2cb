//! What a command is answered with when it succeeds.

use serde::{Deserialize, Serialize};

use crate::{
    AppInfo, Message, MessageId, RunId, RunStatus, RunView, SessionId, SessionSnapshot,
    SessionSummary,
};

/// The answer to a command that succeeded. What it says is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// To `get_app`.
    App(AppInfo),
    /// To `list_sessions`.
    Sessions {
        /// Newest first.
        sessions: Vec<SessionSummary>,
        /// Whether older ones exist beyond the limit.
        has_more: bool,
    },
    /// To `create_session` and `rename_session`.
    Session(SessionSummary),
    /// To `get_session`.
    Snapshot(SessionSnapshot),
    /// To `list_messages`.
    Messages {
        /// Oldest first.
        messages: Vec<Message>,
        /// Whether older ones exist.
        has_earlier: bool,
    },
    /// To `start_run`.
    RunStarted {
        /// The session, which may be new.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
        /// The run, which may have been started before by the same request key.
        run_id: RunId,
    },
    /// To `get_run`.
    Run(RunView),
    /// To `stop_run`, `resume_run` and `cancel_run`.
    RunMoved {
        /// The run.
        run_id: RunId,
        /// Where it stands now.
        status: RunStatus,
    },
    /// To `subscribe`.
    Subscribed {
        /// The session.
        session_id: SessionId,
        /// The newest seq at this moment.
        head_seq: u64,
    },
    /// To `unsubscribe`.
    Unsubscribed {
        /// The session.
        session_id: SessionId,
    },
    /// To `watch_sessions`.
    Watching {},
}
