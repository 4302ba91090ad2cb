//! Attachments that come and go. Which messages have them is said with the messages.

use std::sync::Arc;

use protocol::{AttachmentId, AttachmentView};

/// What becomes of attachments.
#[derive(Debug, Clone)]
pub enum AttachmentChange {
    /// A file that was given. One with this id is a conflict.
    Add(NewAttachment),
    /// Takes an attachment away that no message has; one that is gone or in use is a conflict.
    Remove {
        /// The attachment.
        attachment_id: AttachmentId,
        /// When.
        at_ms: u64,
    },
    /// Takes every attachment away that no message has and whose time is over.
    Purge {
        /// Now.
        at_ms: u64,
    },
}

/// A file that was given, with what was found by looking at it.
#[derive(Debug, Clone)]
pub struct NewAttachment {
    /// What it is.
    pub view: AttachmentView,
    /// What it holds.
    pub body: Arc<[u8]>,
    /// What a model gets of it, where that is not the file itself.
    pub text: Option<Arc<str>>,
    /// When it was given.
    pub at_ms: u64,
    /// When it is removed if no message has it then.
    pub expires_at_ms: u64,
}
