//! Agents: named configurations.

use serde::{Deserialize, Serialize};

use crate::AgentId;

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentView {
    /// Its id.
    pub agent_id: AgentId,
    /// What it is.
    pub fields: AgentFields,
    /// True for the one that always exists.
    pub is_default: bool,
    /// Counted up with every edit.
    pub revision: u32,
    /// When it was created, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When it was last edited.
    pub updated_at_ms: u64,
}

/// What a person can set of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AgentFields {
    /// Its name, up to 80 bytes.
    pub name: String,
    /// What the model is told first, up to 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model; the app's own choice when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tools it may use; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// What one run may use.
    #[serde(default, skip_serializing_if = "RunLimits::is_empty")]
    pub limits: RunLimits,
}

/// What one run may use before it stops and asks. Absent means no limit, but for steps and time,
/// which have one of the app's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// Completed steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Seconds of work; waiting for a person does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// Tokens read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
}

impl RunLimits {
    /// Whether it sets none.
    pub const fn is_empty(&self) -> bool {
        self.steps.is_none()
            && self.seconds.is_none()
            && self.tokens.is_none()
            && self.cost_microusd.is_none()
    }
}
