//! A session as a file: what `export_session` writes and `import_session` reads.

use serde::{Deserialize, Serialize};

use crate::{AgentFields, AttachmentId, Message, MessageId, Native, SummaryView, ToolCallView};

/// The form that a session is exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Everything, to be imported again.
    Json,
    /// To be read.
    Markdown,
}

/// A whole session. Ids are those it had; importing gives it new ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SessionExport {
    /// Always `holdfast_session`.
    pub kind: String,
    /// The version of this form.
    pub version: u32,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The agent it was with.
    pub agent: AgentFields,
    /// When it was created, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// Its messages, oldest first.
    pub messages: Vec<Message>,
    /// The tool calls of those messages.
    pub calls: Vec<ToolCallView>,
    /// What providers said in their own words, for the messages of which that was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub natives: Vec<NativeOf>,
    /// What models are told in the place of older messages, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<SummaryView>,
    /// What was given along with those messages, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<ExportedAttachment>,
}

/// The bytes of an attachment that messages name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExportedAttachment {
    /// Its id.
    pub attachment_id: AttachmentId,
    /// Its bytes, in Base64.
    pub data: String,
}

/// What a provider said in its own words in one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NativeOf {
    /// The message.
    pub message_id: MessageId,
    /// What was said.
    pub native: Native,
    /// The provider's ids of the message's calls, in order: what was said names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub call_ids: Vec<String>,
}

impl SessionExport {
    /// What `kind` says.
    pub const KIND: &'static str = "holdfast_session";
    /// The version that is written.
    pub const VERSION: u32 = 3;
}
