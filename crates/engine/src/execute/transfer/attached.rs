//! What was given along with messages, out to an export and back in.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use protocol::{AttachmentId, AttachmentView, CommandError, ExportedAttachment, Message, limits};
use store::{MessageRow, NewAttachment, Reader};

use super::super::attachments::understood;
use super::not_an_export;

/// Each attachment of these messages once, whole.
pub(super) fn exported(
    reader: &Reader<'_>,
    messages: &[MessageRow],
) -> Result<Vec<ExportedAttachment>, store::Error> {
    let mut seen = HashSet::new();
    let mut exported = Vec::new();
    let views = messages.iter().flat_map(|row| &row.message.attachments);
    for AttachmentView { attachment_id, .. } in views {
        if !seen.insert(*attachment_id) {
            continue;
        }
        let body = reader.attachment_piece(*attachment_id, 0, limits::ATTACHMENT_BYTES)?;
        if let Some(body) = body {
            exported.push(ExportedAttachment {
                attachment_id: *attachment_id,
                data: STANDARD.encode(body),
            });
        }
    }
    Ok(exported)
}

/// What an export names is looked at as if it had just been given: what the file says of it does
/// not count. The messages name the new ones afterwards.
pub(super) fn taken_in(
    exported: Vec<ExportedAttachment>,
    messages: &mut [Message],
    mut new_id: impl FnMut() -> AttachmentId,
) -> Result<Vec<NewAttachment>, CommandError> {
    let mut data: HashMap<AttachmentId, String> = HashMap::new();
    for one in exported {
        data.insert(one.attachment_id, one.data);
    }
    let mut views: HashMap<AttachmentId, AttachmentView> = HashMap::new();
    let mut added = Vec::new();
    for message in messages {
        if message.attachments.len() > limits::ATTACHMENTS {
            return Err(not_an_export("a message has too many attachments"));
        }
        for view in &mut message.attachments {
            let before = view.attachment_id;
            if let Some(known) = views.get(&before) {
                view.clone_from(known);
                continue;
            }
            if !is_name(&view.name) {
                return Err(not_an_export("the name of an attachment cannot be used"));
            }
            let data = data.remove(&before);
            let data = data.ok_or_else(|| not_an_export("an attachment is missing"))?;
            let new = understood(new_id(), view.name.clone(), &data)?;
            view.clone_from(&new.view);
            views.insert(before, new.view.clone());
            added.push(new);
        }
    }
    Ok(added)
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.len() <= limits::ATTACHMENT_NAME_BYTES
        && !name.chars().any(char::is_control)
}
