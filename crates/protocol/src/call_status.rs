//! The closed table of a tool call's statuses: which exist, and which move may follow which.

use serde::{Deserialize, Serialize};

use crate::UnknownStatus;

/// Where a tool call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Asked for by the model, not yet judged.
    Proposed,
    /// Waiting for a decision.
    Waiting,
    /// May start.
    Ready,
    /// Its body has started.
    Running,
    /// Ended, with a result.
    Completed,
    /// Ended, with an error as its result.
    Failed,
    /// Refused by the person or by a rule.
    Denied,
    /// Given up by the person after its outcome was unknown.
    Skipped,
    /// Started, outcome unknown.
    InDoubt,
    /// Not run, because its run was halted.
    Cancelled,
}

impl CallStatus {
    /// Every status, for tests that walk the whole table.
    pub const ALL: [Self; 10] = [
        Self::Proposed,
        Self::Waiting,
        Self::Ready,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Denied,
        Self::Skipped,
        Self::InDoubt,
        Self::Cancelled,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Skipped => "skipped",
            Self::InDoubt => "in_doubt",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }

    /// Over: it has its result, and no move leads out of it.
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Denied | Self::Skipped | Self::Cancelled
        )
    }

    /// Whether a call may move from this status to `next`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Proposed => matches!(
                next,
                Self::Waiting | Self::Ready | Self::Failed | Self::Denied | Self::Cancelled
            ),
            Self::Waiting => matches!(
                next,
                Self::Ready | Self::Failed | Self::Denied | Self::Cancelled
            ),
            // Back to waiting: what would run is no longer what was allowed.
            Self::Ready => matches!(
                next,
                Self::Running | Self::Waiting | Self::Failed | Self::Denied | Self::Cancelled
            ),
            // Back to ready: the app ended inside a call that may be run again.
            Self::Running => matches!(
                next,
                Self::Completed | Self::Failed | Self::InDoubt | Self::Ready | Self::Cancelled
            ),
            // Ready again: the person says that it did not happen.
            Self::InDoubt => matches!(next, Self::Completed | Self::Ready | Self::Skipped),
            Self::Completed | Self::Failed | Self::Denied | Self::Skipped | Self::Cancelled => {
                false
            }
        }
    }
}
