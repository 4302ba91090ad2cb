//! What a model's window holds: how full it is, and what was summarised to make room.

use serde::{Deserialize, Serialize};

/// How full a model's window was after a call: what was asked and what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fill {
    /// The tokens in it.
    pub tokens: u64,
    /// How many it can hold; absent when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// The provider did not count them: it is an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_estimated: bool,
}

/// What models are told in the place of older messages. Those stay where they are, to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryView {
    /// The position of the last message that it stands for; it stands for all before that, too.
    pub position: u64,
    /// The branch of that message. It holds in every branch that has the message.
    #[serde(default, skip_serializing_if = "is_first")]
    pub branch: u32,
    /// The position of the person's message among them that models are told as it is: the one
    /// that was being answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u64>,
    /// What it says.
    pub text: String,
    /// The model that wrote it.
    pub model: String,
    /// When it was written, in milliseconds since 1970.
    pub created_at_ms: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_first(branch: &u32) -> bool {
    *branch == 0
}
