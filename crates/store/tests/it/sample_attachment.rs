//! Attachments of every kind: of a message that waits, removed, and purged.

use std::sync::Arc;

use protocol::{AttachmentId, AttachmentKind, AttachmentView, MessageId, SessionId};
use store::{AttachmentChange, Change, NewAttachment};
use uuid::Uuid;

use crate::sample::message_id;
use crate::sample_whole::queued;

pub(crate) const IMAGE: &[u8] = b"an image of a tide";
pub(crate) const PDF: &[u8] = b"a document about tides";

pub(crate) fn attachment_id(number: u64) -> AttachmentId {
    AttachmentId::from_uuid(Uuid::from_u128(
        (0x0192_0000_0000_7000_8000_u128 << 48) | (9 << 40) | u128::from(number),
    ))
}

pub(crate) fn image(number: u64) -> NewAttachment {
    NewAttachment {
        view: AttachmentView {
            attachment_id: attachment_id(number),
            name: format!("tide {number}.png"),
            kind: AttachmentKind::Image,
            media_type: "image/png".to_owned(),
            bytes: IMAGE.len() as u64,
            width: Some(800),
            height: Some(600),
            pages: None,
            text_bytes: None,
        },
        body: IMAGE.into(),
        text: None,
        at_ms: 30,
        expires_at_ms: 1_000,
    }
}

pub(crate) fn pdf(number: u64) -> NewAttachment {
    let text: Arc<str> = "High water at noon.".into();
    NewAttachment {
        view: AttachmentView {
            attachment_id: attachment_id(number),
            name: format!("tides {number}.pdf"),
            kind: AttachmentKind::Pdf,
            media_type: "application/pdf".to_owned(),
            bytes: PDF.len() as u64,
            width: None,
            height: None,
            pages: Some(3),
            text_bytes: Some(text.len() as u64),
        },
        body: PDF.into(),
        text: Some(text),
        at_ms: 30,
        expires_at_ms: 1_000,
    }
}

pub(crate) fn add(attachment: NewAttachment) -> Change {
    Change::Attachment(AttachmentChange::Add(attachment))
}

/// A message that waits, with these.
pub(crate) fn enqueue_with(
    session_id: SessionId,
    id: MessageId,
    attachments: Vec<AttachmentView>,
) -> Change {
    let mut message = queued(id, "What is this?");
    message.attachments = attachments;
    Change::Enqueue {
        session_id,
        message,
    }
}

/// Everything that can happen to attachments.
pub(crate) fn attached(number: u64, session: SessionId) -> Vec<Change> {
    let first = number * 100;
    let along = vec![image(first).view, pdf(first + 1).view];
    vec![
        add(image(first)),
        add(pdf(first + 1)),
        enqueue_with(session, message_id(first + 53), along),
        add(image(first + 2)),
        Change::Attachment(AttachmentChange::Remove {
            attachment_id: attachment_id(first + 2),
            at_ms: 36,
        }),
        Change::Attachment(AttachmentChange::Purge { at_ms: 36 }),
    ]
}
