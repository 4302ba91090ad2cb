//! The one question: what is this, and what does a model get of it?

use protocol::{AttachmentKind, CommandError, ErrorCode, limits};

use crate::{image, pdf, text};

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// What it is.
    pub kind: AttachmentKind,
    /// The same as a media type.
    pub media_type: &'static str,
    /// The width and height of an image.
    pub size: Option<(u32, u32)>,
    /// The pages of a PDF.
    pub pages: Option<u32>,
    /// The text that a model gets; nothing for an image.
    pub text: Option<String>,
}

/// Looks at a file. This may take as long as [`pdf::WITHIN`] and belongs on a thread that may wait.
pub fn look(bytes: &[u8]) -> Result<Looked, CommandError> {
    if bytes.is_empty() {
        return Err(refused(
            "The file is empty.",
            "Choose a file that holds something.",
        ));
    }
    if bytes.len() > limits::ATTACHMENT_BYTES {
        return Err(too_large(format!(
            "The file is larger than {}.",
            mib(limits::ATTACHMENT_BYTES)
        )));
    }
    if let Some(found) = image::look(bytes) {
        return found;
    }
    if pdf::is_one(bytes) {
        return pdf::look(bytes);
    }
    text::look(bytes)
}

pub(crate) fn refused(message: impl Into<String>, hint: &str) -> CommandError {
    CommandError::new(ErrorCode::InvalidValue, message, hint)
}

pub(crate) fn too_large(message: impl Into<String>) -> CommandError {
    CommandError::new(
        ErrorCode::TooLarge,
        message,
        "Attach a smaller part of it, or a smaller version.",
    )
}

pub(crate) fn mib(bytes: usize) -> String {
    format!("{} MB", bytes / (1024 * 1024))
}

/// Text that is too long for a model to be given is refused, not cut: whoever attached it would not
/// know what is missing.
pub(crate) fn fitting(text: String) -> Result<String, CommandError> {
    if text.len() > limits::ATTACHMENT_TEXT_BYTES {
        return Err(too_long());
    }
    Ok(text)
}

pub(crate) fn too_long() -> CommandError {
    too_large(format!(
        "The text in the file is longer than {}.",
        mib(limits::ATTACHMENT_TEXT_BYTES)
    ))
}
