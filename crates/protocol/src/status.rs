//! The closed tables of statuses: which exist, and which move may follow which.

use serde::{Deserialize, Serialize};

/// A stored status that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown status {0:?}")]
pub struct UnknownStatus(pub String);

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Waiting for its place.
    Queued,
    /// A step is being worked on.
    Running,
    /// Waiting for a person.
    Waiting,
    /// Halted by the person; can be resumed.
    Stopped,
    /// Halted because the app ended; can be resumed.
    Interrupted,
    /// Ended well.
    Completed,
    /// Ended with an error.
    Failed,
    /// Ended for good by the person.
    Cancelled,
}

impl RunStatus {
    /// Every status, for tests that walk the whole table.
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Running,
        Self::Waiting,
        Self::Stopped,
        Self::Interrupted,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Completed => "completed",
            Self::Failed => "failed",
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

    /// A session has at most one live run.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Waiting)
    }

    /// Halted, and can go on.
    pub const fn is_resumable(self) -> bool {
        matches!(self, Self::Stopped | Self::Interrupted)
    }

    /// Over: no move leads out of it.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Whether a run may move from this status to `next`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Queued => {
                matches!(
                    next,
                    Self::Running | Self::Stopped | Self::Interrupted | Self::Cancelled
                )
            }
            Self::Running => matches!(
                next,
                Self::Waiting
                    | Self::Stopped
                    | Self::Interrupted
                    | Self::Completed
                    | Self::Failed
                    | Self::Cancelled
            ),
            Self::Waiting => {
                matches!(
                    next,
                    Self::Running | Self::Stopped | Self::Failed | Self::Cancelled
                )
            }
            Self::Stopped | Self::Interrupted => matches!(next, Self::Running | Self::Cancelled),
            Self::Completed | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// Where a step, or one attempt at it, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Decided, not started.
    Planned,
    /// Being worked on.
    Running,
    /// Ended well.
    Completed,
    /// Ended with an error.
    Failed,
    /// Cut off; another attempt may follow.
    Interrupted,
    /// Given up.
    Cancelled,
}

impl StepStatus {
    /// Every status, for tests that walk the whole table.
    pub const ALL: [Self; 6] = [
        Self::Planned,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::Interrupted,
        Self::Cancelled,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
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

    /// Whether a step may move from this status to `next`. An attempt never leaves a status it
    /// ended in: each try is a row of its own.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Planned => matches!(next, Self::Running | Self::Cancelled),
            Self::Running => matches!(
                next,
                Self::Completed | Self::Failed | Self::Interrupted | Self::Cancelled
            ),
            Self::Interrupted => matches!(next, Self::Running | Self::Cancelled),
            Self::Completed | Self::Failed | Self::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RUN-7: the whole table, written out.
    #[test]
    fn runs_move_along_a_closed_table() {
        let table: Vec<String> = RunStatus::ALL
            .into_iter()
            .map(|from| {
                let next: Vec<&str> = RunStatus::ALL
                    .into_iter()
                    .filter(|next| from.may_become(*next))
                    .map(RunStatus::as_str)
                    .collect();
                format!("{} -> {}", from.as_str(), next.join(" "))
            })
            .collect();
        assert_eq!(
            table,
            [
                "queued -> running stopped interrupted cancelled",
                "running -> waiting stopped interrupted completed failed cancelled",
                "waiting -> running stopped failed cancelled",
                "stopped -> running cancelled",
                "interrupted -> running cancelled",
                "completed -> ",
                "failed -> ",
                "cancelled -> ",
            ]
        );
    }

    #[test]
    fn every_status_is_exactly_one_of_live_resumable_terminal() {
        for status in RunStatus::ALL {
            let kinds = [
                status.is_live(),
                status.is_resumable(),
                status.is_terminal(),
            ];
            assert_eq!(
                kinds.into_iter().filter(|kind| *kind).count(),
                1,
                "{status:?}"
            );
        }
    }

    #[test]
    fn stored_forms_equal_wire_forms_and_read_back() {
        for status in RunStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
            assert_eq!(RunStatus::parse(status.as_str()), Ok(status));
        }
        for status in StepStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
            assert_eq!(StepStatus::parse(status.as_str()), Ok(status));
        }
        assert!(RunStatus::parse("lost").is_err());
        assert!(StepStatus::parse("").is_err());
    }
}
