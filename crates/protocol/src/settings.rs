//! Settings: what a person can set for the whole app.

use serde::{Deserialize, Serialize};

/// Every setting, with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What happens at start with runs that the end of the app cut off.
    pub recovery: RecoveryPolicy,
    /// Whether questions that were pending stay so over a restart.
    pub keep_approvals: bool,
    /// Minutes after which an unanswered question counts as denied; never when absent.
    pub approval_minutes: Option<u32>,
    /// Whether the system may be asked to show notifications.
    pub notifications: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            recovery: RecoveryPolicy::Ask,
            keep_approvals: true,
            approval_minutes: None,
            notifications: true,
        }
    }
}

/// What happens at start with interrupted runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecoveryPolicy {
    /// The person decides.
    Ask,
    /// They go on by themselves when nothing is in doubt, unless they ended the app twice.
    Resume,
}
