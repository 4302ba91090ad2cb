//! What model calls cost, as far as it was said.

use serde::{Deserialize, Serialize};

/// Usage of one model call. What the provider did not say is absent, never 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Tokens read, those from the provider's cache included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Tokens written to the provider's cache; they are among those read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// Cost in millionths of a dollar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
}

/// Usage of a run or a session: the sums of what is known, and how many calls said nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageTotal {
    /// The sums; a sum is absent when no call said anything of it.
    pub sum: Usage,
    /// Model calls that ended.
    pub calls: u32,
    /// Those of them that did not say what they read or wrote.
    pub calls_unknown: u32,
    /// Those of them whose cost is not known: the sum is then the least that was paid.
    #[serde(default)]
    pub calls_without_cost: u32,
}
