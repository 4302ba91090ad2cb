//! Messages: the authored pieces of content of a session.

use serde::{Deserialize, Serialize};

use crate::{AttachmentView, BlockKind, MessageId, RunId, StepId};

/// One authored piece of content in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Its id.
    pub message_id: MessageId,
    /// Its place in its branch of the session, dense from 1.
    pub position: u64,
    /// The branch it was written in. The first one is 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub branch: u32,
    /// Who wrote it.
    pub role: Role,
    /// Whether it is whole.
    pub status: MessageStatus,
    /// What it says, in order.
    pub blocks: Vec<Block>,
    /// What the person gave along with it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
    /// The run that it started or came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The step it came from, for a message by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<StepId>,
    /// The attempt at that step, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The model that wrote it, for a message by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why it ended, for a message by the agent.
    #[serde(default, skip_serializing_if = "Ending::is_complete")]
    pub ending: Ending,
    /// When it was written, in milliseconds since 1970.
    pub created_at_ms: u64,
}

/// Why a reply that can be kept ended. One that was refused, filtered or cut off in the middle of a
/// tool call cannot: its run has an error instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The model was done.
    #[default]
    Complete,
    /// It reached its length limit, or the model's window was full.
    Length,
    /// The provider paused: asked again, it goes on.
    Paused,
}

impl Ending {
    /// Whether the model was done.
    pub const fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_first(branch: &u32) -> bool {
    *branch == 0
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Agent,
}

/// Whether a message is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// All of it is there.
    Complete,
    /// Cut off by a stop or an interruption; what had arrived is kept.
    Partial,
    /// Stored, and cannot be read. It keeps its place; its one block says why.
    Unreadable,
}

/// One block of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Block {
    /// What kind of text this is.
    pub kind: BlockKind,
    /// The text, exactly as it came.
    pub text: String,
}

impl Message {
    /// The text of all text blocks, joined: what a person would copy.
    pub fn text(&self) -> String {
        Self::text_of(&self.blocks)
    }

    /// The same for blocks that are not in a message yet.
    pub fn text_of(blocks: &[Block]) -> String {
        let texts: Vec<&str> = blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Text)
            .map(|block| block.text.as_str())
            .collect();
        texts.join("\n\n")
    }
}
