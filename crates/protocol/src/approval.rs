//! Approvals: the question to the person about one tool call, and the answer.

use serde::{Deserialize, Serialize};

use crate::{CallId, CommandError, UnknownStatus};

/// Where an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Not answered.
    Pending,
    /// The person allowed it.
    Allowed,
    /// The person denied it.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// A new message came instead of an answer.
    Superseded,
    /// Its run was halted.
    Closed,
}

impl ApprovalStatus {
    /// Every status, for tests that walk the whole table.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Allowed,
        Self::Denied,
        Self::Expired,
        Self::Superseded,
        Self::Closed,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
            Self::Closed => "closed",
        }
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Result<Self, UnknownStatus> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| UnknownStatus(text.to_owned()))
    }

    /// Whether an approval may move from this status to `next`: once answered, it stands.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(self, Self::Pending) && !matches!(next, Self::Pending)
    }
}

/// The question about one tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalView {
    /// Counted from 1: a call whose circumstances changed is asked about again.
    pub round: u32,
    /// Where it stands.
    pub status: ApprovalStatus,
    /// The hash of exactly what would run, in hexadecimal. A decision names it.
    pub digest: String,
    /// Since when it is asked, in milliseconds since 1970.
    pub asked_at_ms: u64,
    /// Until when it can be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// The answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionView>,
    /// When the call that it allowed was started: an answer is used once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed_at_ms: Option<u64>,
}

/// An answer as it was recorded: the first one stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionView {
    /// What was answered.
    pub decision: Decision,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// From where: a window's name, "headless".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What a person can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// This one call.
    AllowOnce {},
    /// This call, and in this session every call of this tool that fits the pattern.
    AllowInSession {
        /// A glob over the call's subject; exactly this subject when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// This call, and from now on every call of this tool that fits the pattern.
    AllowAlways {
        /// A glob over the call's subject; exactly this subject when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// This one call, with other arguments.
    EditAndAllow {
        /// The arguments, as JSON text.
        arguments: String,
    },
    /// Not this call.
    Deny {
        /// Why, for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// One decision of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CallDecision {
    /// The call.
    pub call_id: CallId,
    /// The digest of what was shown.
    pub digest: String,
    /// The answer.
    pub decision: Decision,
}

/// What became of one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecidedCall {
    /// The call.
    pub call_id: CallId,
    /// The approval as it stands now: with this decision, or with the one that came first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalView>,
    /// Why the decision was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CommandError>,
}
