//! A session as a file: what `export_session` writes and `import_session` reads.

use serde::{Deserialize, Serialize};

use crate::{AgentFields, Message, ToolCallView};

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
}

impl SessionExport {
    /// What `kind` says.
    pub const KIND: &'static str = "holdfast_session";
    /// The version that is written.
    pub const VERSION: u32 = 1;
}
