//! What can be read of a run.

use serde::{Deserialize, Serialize};

use crate::{AgentId, RunId, RunStatus, SessionId, UsageTotal};

/// One run, as it can be read by its id at any time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunView {
    /// Its id.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The agent that runs.
    pub agent_id: AgentId,
    /// The model it was started with.
    pub model: String,
    /// Where it stands.
    pub status: RunStatus,
    /// Why it stands there, where that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RunReason>,
    /// What went wrong, for a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// How many of its steps are completed.
    pub steps_completed: u32,
    /// The run that this one tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<RunId>,
    /// Present while it waits to call the model again after an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryView>,
    /// How often the app ended while it ran.
    pub crashes: u32,
    /// What its model calls cost.
    pub usage: UsageTotal,
    /// When it was started, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When its status last changed, in milliseconds since 1970.
    pub updated_at_ms: u64,
}

/// A model call that will be tried again by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetryView {
    /// What went wrong.
    pub error: RunError,
    /// Tries that failed.
    pub failed: u32,
    /// Tries there can be.
    pub of: u32,
    /// When the next one is made, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Why a run stands where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunReason {
    /// The person stopped it.
    StoppedByUser,
    /// The app was closed while it ran.
    AppClosed,
    /// The app ended without closing: a crash, a kill, a power cut.
    AppEnded,
    /// The person sent a new message instead of resuming.
    Superseded,
    /// The person discarded it.
    Discarded,
    /// It used all the steps it may.
    StepLimit,
    /// It worked as long as it may.
    TimeLimit,
    /// It used all the tokens it may.
    TokenLimit,
    /// It cost as much as it may.
    CostLimit,
}

impl RunReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::StoppedByUser,
        Self::AppClosed,
        Self::AppEnded,
        Self::Superseded,
        Self::Discarded,
        Self::StepLimit,
        Self::TimeLimit,
        Self::TokenLimit,
        Self::CostLimit,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StoppedByUser => "stopped_by_user",
            Self::AppClosed => "app_closed",
            Self::AppEnded => "app_ended",
            Self::Superseded => "superseded",
            Self::Discarded => "discarded",
            Self::StepLimit => "step_limit",
            Self::TimeLimit => "time_limit",
            Self::TokenLimit => "token_limit",
            Self::CostLimit => "cost_limit",
        }
    }

    /// Whether a limit was reached: continuing gives a fresh budget.
    pub const fn is_limit(self) -> bool {
        matches!(
            self,
            Self::StepLimit | Self::TimeLimit | Self::TokenLimit | Self::CostLimit
        )
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

/// What went wrong with a step or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunError {
    /// What kind of error.
    pub class: ErrorClass,
    /// One sentence for a person.
    pub message: String,
}

/// The closed classes of errors. What cannot be classified is `internal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The key was refused.
    Auth,
    /// No credit.
    Billing,
    /// Not allowed.
    Permission,
    /// Too many calls.
    RateLimit,
    /// The provider has no capacity.
    Overloaded,
    /// The connection failed.
    Network,
    /// It took too long.
    Timeout,
    /// The provider refused the form of the call.
    InvalidRequest,
    /// More than the model can hold.
    ContextLength,
    /// The model refused the content.
    ContentRefused,
    /// A tool failed.
    Tool,
    /// A fault of ours, or one that cannot be classified.
    Internal,
    /// Ended by the person.
    Cancelled,
    /// Started, outcome unknown.
    InDoubt,
    /// A limit was reached.
    Limit,
}

impl ErrorClass {
    /// Every class.
    pub const ALL: [Self; 15] = [
        Self::Auth,
        Self::Billing,
        Self::Permission,
        Self::RateLimit,
        Self::Overloaded,
        Self::Network,
        Self::Timeout,
        Self::InvalidRequest,
        Self::ContextLength,
        Self::ContentRefused,
        Self::Tool,
        Self::Internal,
        Self::Cancelled,
        Self::InDoubt,
        Self::Limit,
    ];

    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::Permission => "permission",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::InvalidRequest => "invalid_request",
            Self::ContextLength => "context_length",
            Self::ContentRefused => "content_refused",
            Self::Tool => "tool",
            Self::Internal => "internal",
            Self::Cancelled => "cancelled",
            Self::InDoubt => "in_doubt",
            Self::Limit => "limit",
        }
    }

    /// Whether the same call may succeed later by itself: only these are tried again.
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimit | Self::Overloaded | Self::Network | Self::Timeout
        )
    }

    /// Reads the stored form; what is not known is `internal`.
    pub fn parse(text: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .unwrap_or(Self::Internal)
    }
}
