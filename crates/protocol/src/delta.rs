//! Deltas: the pieces of streamed content.

use serde::{Deserialize, Serialize};

use crate::{SessionId, StepId};

/// A piece of streamed content. Pieces of one block follow each other without gap: the next
/// `offset` is this one plus the bytes of `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Delta {
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The step that streams.
    pub step_id: StepId,
    /// The attempt at that step, counted from 1. Attempts never mix.
    pub attempt: u32,
    /// Which block of the attempt, counted from 0.
    pub block: u32,
    /// What the block holds.
    pub kind: BlockKind,
    /// Where in the block `text` begins, in bytes of UTF-8.
    pub offset: u64,
    /// The piece itself.
    pub text: String,
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Text for the person, in Markdown.
    Text,
    /// What the model thought on its way.
    Reasoning,
    /// The arguments of a tool call while the model writes them.
    Arguments,
}

impl BlockKind {
    /// The stored form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Arguments => "arguments",
        }
    }

    /// Reads the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Text, Self::Reasoning, Self::Arguments]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}
