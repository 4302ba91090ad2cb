//! Rules: what the person has allowed, wants to be asked about, or has denied for good.

use serde::{Deserialize, Serialize};

use crate::{CallId, RuleId, SessionId, Verdict};

/// One rule. Deny wins over ask, ask over allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleView {
    /// Its id.
    pub rule_id: RuleId,
    /// What it answers.
    pub verdict: Verdict,
    /// The tool, or `*` for every tool.
    pub tool: String,
    /// A glob over the call's subject; every call when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Where it holds.
    pub scope: RuleScope,
    /// The call whose approval made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<CallId>,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: u64,
}

/// Where a rule holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum RuleScope {
    /// Everywhere.
    Global {},
    /// In sessions with this workspace.
    Workspace {
        /// The folder.
        workspace: String,
    },
    /// In this session.
    Session {
        /// The session.
        session_id: SessionId,
    },
}
