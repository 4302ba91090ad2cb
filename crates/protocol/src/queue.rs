//! The queue: messages that wait for the run that is going.

use serde::{Deserialize, Serialize};

use crate::{AttachmentView, MessageId};

/// A message that waits for its turn. It keeps its id when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueuedMessage {
    /// Its id.
    pub message_id: MessageId,
    /// What it says.
    pub text: String,
    /// What was given along with it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentView>,
    /// When it was written, in milliseconds since 1970.
    pub created_at_ms: u64,
}
