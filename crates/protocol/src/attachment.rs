//! Attachments: files that a person gives along with a message.

use serde::{Deserialize, Serialize};

use crate::AttachmentId;

/// An attachment without its bytes. What it is was found by looking at them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttachmentView {
    /// Its id.
    pub attachment_id: AttachmentId,
    /// The name of the file, as it was given.
    pub name: String,
    /// What it is.
    pub kind: AttachmentKind,
    /// The same as a media type.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The width of an image in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// The height of an image in pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// The pages of a PDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Bytes of the text that a model gets of it; nothing for an image, which it gets itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_bytes: Option<u64>,
}

/// What an attachment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// A PNG, JPEG, GIF or WebP image. A model gets it itself.
    Image,
    /// Text. A model gets it as text.
    Text,
    /// A PDF. A model gets the text in it.
    Pdf,
}

impl AttachmentKind {
    /// The word for it in rows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Text => "text",
            Self::Pdf => "pdf",
        }
    }
}
