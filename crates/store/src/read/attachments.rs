//! Reading attachments: what they are, what they hold, what a model gets of them.

use std::collections::HashMap;

use protocol::{AttachmentId, AttachmentKind, AttachmentView, MessageId, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::{Row, attachment_id, get, get_or_drop, message_id, unreadable};
use crate::Error;

/// An attachment, and until when it is kept while no message has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentRow {
    /// What it is.
    pub view: AttachmentView,
    /// When it is removed; nothing while a message has it.
    pub expires_at_ms: Option<u64>,
}

/// What a model gets of an attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// The image itself.
    Image(Vec<u8>),
}

pub(super) const ATTACHMENTS_OF_SESSION: &str = "
    SELECT message_attachments.message_id, attachments.id, attachments.name, attachments.kind,
           attachments.media_type, attachments.bytes, attachments.width, attachments.height,
           attachments.pages, attachments.text_bytes
    FROM message_attachments
    CROSS JOIN attachments ON attachments.id = message_attachments.attachment_id
    WHERE message_attachments.session_id = ?1
    ORDER BY message_attachments.message_id, message_attachments.ordinal";

impl Reader<'_> {
    /// One attachment.
    pub fn attachment(&self, id: AttachmentId) -> Result<Option<AttachmentRow>, Error> {
        self.one(
            "SELECT id, name, kind, media_type, bytes, width, height, pages, text_bytes,
                    expires_at_ms
             FROM attachments
             WHERE id = ?1",
            params![id.uuid().as_bytes()],
            |row| {
                Ok(AttachmentRow {
                    view: view(row)?,
                    expires_at_ms: get(row, "expires_at_ms")?,
                })
            },
        )
    }

    /// A piece of what an attachment holds; the first byte is 0.
    pub fn attachment_piece(
        &self,
        id: AttachmentId,
        offset: u64,
        bytes: usize,
    ) -> Result<Option<Vec<u8>>, Error> {
        // `substr` counts from 1.
        self.one(
            "SELECT substr(blobs.body, ?2 + 1, ?3) AS piece
             FROM attachments JOIN blobs ON blobs.hash = attachments.hash
             WHERE attachments.id = ?1",
            params![id.uuid().as_bytes(), offset, bytes],
            |row| get(row, "piece"),
        )
    }

    /// What a model gets of an attachment; nothing if it is gone.
    pub fn attachment_content(&self, id: AttachmentId) -> Result<Option<Content>, Error> {
        let found = self.one(
            "SELECT attachments.kind,
                    CASE WHEN attachments.text IS NULL THEN blobs.body END AS body,
                    attachments.text
             FROM attachments JOIN blobs ON blobs.hash = attachments.hash
             WHERE attachments.id = ?1",
            params![id.uuid().as_bytes()],
            |row| {
                let kind = kind(&get::<String>(row, "kind")?)?;
                let body: Option<Vec<u8>> = get(row, "body")?;
                let text: Option<String> = get(row, "text")?;
                Ok((kind, body.unwrap_or_default(), text))
            },
        )?;
        Ok(found.map(|(kind, body, text)| match (kind, text) {
            (AttachmentKind::Image, _) => Content::Image(body),
            (AttachmentKind::Text | AttachmentKind::Pdf, Some(text)) => Content::Text(text),
            (AttachmentKind::Text | AttachmentKind::Pdf, None) => {
                Content::Text(String::from_utf8_lossy(&body).into_owned())
            }
        }))
    }

    /// The attachments of a session's messages, also of those that wait, each in order.
    pub(super) fn attachments_of_session(
        &self,
        session_id: SessionId,
    ) -> Result<HashMap<MessageId, Vec<AttachmentView>>, Error> {
        let values = [session_id.uuid().into_bytes()];
        let found = self.all(ATTACHMENTS_OF_SESSION, values, |row| {
            // One that is damaged must not take its session along.
            let message_id = message_id(row, "message_id")?;
            let view = view(row).inspect_err(|_| {
                tracing::error!(name: "store.attachment.unreadable", %message_id);
            });
            Ok((message_id, view.ok()))
        })?;
        let mut by_message: HashMap<MessageId, Vec<AttachmentView>> = HashMap::new();
        for (message_id, view) in found {
            by_message.entry(message_id).or_default().extend(view);
        }
        Ok(by_message)
    }
}

fn view(row: &Row<'_>) -> Result<AttachmentView, Error> {
    Ok(AttachmentView {
        attachment_id: attachment_id(row, "id")?,
        name: get(row, "name")?,
        kind: kind(&get::<String>(row, "kind")?)?,
        media_type: get(row, "media_type")?,
        bytes: get(row, "bytes")?,
        width: get_or_drop(row, "width"),
        height: get_or_drop(row, "height"),
        pages: get_or_drop(row, "pages"),
        text_bytes: get_or_drop(row, "text_bytes"),
    })
}

fn kind(text: &str) -> Result<AttachmentKind, Error> {
    match text {
        "image" => Ok(AttachmentKind::Image),
        "text" => Ok(AttachmentKind::Text),
        "pdf" => Ok(AttachmentKind::Pdf),
        other => Err(unreadable("attachment", &format!("kind {other}"))),
    }
}
