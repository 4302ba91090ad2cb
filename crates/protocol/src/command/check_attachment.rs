//! What is checked of attachments before anybody looks at their bytes.

use std::collections::HashSet;

use super::check::{check_line, invalid_value, too_large};
use crate::{AttachmentId, CommandError, ErrorCode, limits};

pub(super) fn check_attachment(name: &str, data: &str) -> Result<(), CommandError> {
    check_line("The name", name, limits::ATTACHMENT_NAME_BYTES)?;
    if data.trim().is_empty() {
        return Err(invalid_value(
            "The file is empty.",
            "Choose a file that holds something.",
        ));
    }
    if data.len() > limits::ATTACHMENT_DATA_BYTES {
        return Err(too_large("The file", limits::ATTACHMENT_BYTES));
    }
    Ok(())
}

pub(super) fn check_attachments(ids: &[AttachmentId]) -> Result<(), CommandError> {
    if ids.len() > limits::ATTACHMENTS {
        let most = limits::ATTACHMENTS;
        return Err(CommandError::new(
            ErrorCode::TooLarge,
            format!("A message takes at most {most} attachments."),
            "Send the others with another message.",
        ));
    }
    let mut seen = HashSet::new();
    if ids.iter().all(|id| seen.insert(id)) {
        return Ok(());
    }
    Err(invalid_value(
        "The same attachment is named twice.",
        "Name each attachment once.",
    ))
}
