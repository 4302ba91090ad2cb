//! What a command is answered with when it fails.

use serde::{Deserialize, Serialize};

use crate::{ApprovalView, RunId};

/// A failed command: a code for programs, a sentence and a hint for people. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct CommandError {
    /// What kind of failure.
    pub code: ErrorCode,
    /// What went wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The run in question, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The approval as it stands, where a decision came too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Box<ApprovalView>>,
}

impl CommandError {
    /// An error without a run or an approval.
    pub fn new(code: ErrorCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint.into(),
            run_id: None,
            approval: None,
        }
    }

    /// A fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message, "The log says more.")
    }

    /// The same error, with the decision that stands.
    #[must_use]
    pub fn with_approval(mut self, approval: ApprovalView) -> Self {
        self.approval = Some(Box::new(approval));
        self
    }

    /// The same error, about this run.
    #[must_use]
    pub fn about_run(mut self, run_id: RunId) -> Self {
        self.run_id = Some(run_id);
        self
    }
}

/// The closed list of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// Not a command, a field is missing, or a value has the wrong type.
    InvalidCommand,
    /// A value has the right type and cannot be used.
    InvalidValue,
    /// Larger than its cap.
    TooLarge,
    /// The model that would answer cannot take this.
    Unsupported,
    /// No such session, run, message, branch, call, rule or agent.
    NotFound,
    /// The session has a live run; `run_id` names it.
    AlreadyRunning,
    /// The run, call or approval cannot make this move from where it stands.
    NotActionable,
    /// What would run is not what was shown; look again and decide anew.
    WrongDigest,
    /// A cursor beyond what exists; take a new snapshot.
    InvalidCursor,
    /// A cursor below what is kept; take a new snapshot.
    Truncated,
    /// The state changed meanwhile, again and again; try again.
    Conflict,
    /// The disk refused; nothing was written.
    StorageFailed,
    /// Another process owns the data folder.
    DataFolderInUse,
    /// The database was written by a newer version.
    NewerDatabase,
    /// The database is damaged; nothing was overwritten.
    DamagedDatabase,
    /// The engine is closing or was replaced.
    Unavailable,
    /// A fault of ours.
    Internal,
}
