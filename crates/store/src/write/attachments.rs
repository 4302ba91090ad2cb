//! The lifecycle of attachments: kept, held by messages, let go, removed with what only they held.

use protocol::{AttachmentId, AttachmentView, MessageId, SessionId, limits};
use rusqlite::{Connection, params};

use super::checkpoints::blob;
use super::statement::{check_size, check_text, execute, insert, update_one};
use crate::{AttachmentChange, Error, NewAttachment};

/// Kept for nobody: removed the next time that anybody looks.
const AT_ONCE: u64 = 0;

pub(super) fn apply(connection: &Connection, change: &AttachmentChange) -> Result<(), Error> {
    match change {
        AttachmentChange::Add(attachment) => add(connection, attachment),
        AttachmentChange::Remove {
            attachment_id,
            at_ms: _,
        } => remove(connection, *attachment_id),
        AttachmentChange::Purge { at_ms } => purge(connection, *at_ms),
    }
}

fn add(connection: &Connection, attachment: &NewAttachment) -> Result<(), Error> {
    let view = &attachment.view;
    check_text("the name", Some(&view.name))?;
    let text = attachment.text.as_deref();
    let text_bytes = text.map_or(0, str::len);
    check_size(
        "the text of the file",
        text_bytes,
        limits::ATTACHMENT_TEXT_BYTES,
    )?;
    check_size("the file", attachment.body.len(), limits::ATTACHMENT_BYTES)?;
    let hash = blob(connection, &attachment.body)?;
    insert(
        connection,
        "INSERT INTO attachments
             (id, hash, name, kind, media_type, bytes, width, height, pages, text_bytes,
              created_at_ms, expires_at_ms, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            view.attachment_id.uuid().as_bytes(),
            hash,
            view.name,
            view.kind.as_str(),
            view.media_type,
            view.bytes,
            view.width,
            view.height,
            view.pages,
            view.text_bytes,
            attachment.at_ms,
            attachment.expires_at_ms,
            text,
        ],
        "there is an attachment with this id",
    )
}

/// A message has these from now on. One that is gone is a conflict.
pub(super) fn link(
    connection: &Connection,
    session_id: SessionId,
    message_id: MessageId,
    attachments: &[AttachmentView],
) -> Result<(), Error> {
    for (attachment, ordinal) in attachments.iter().zip(0_u32..) {
        let id = attachment.attachment_id.uuid().into_bytes();
        insert(
            connection,
            "INSERT INTO message_attachments (message_id, ordinal, session_id, attachment_id)
             VALUES (?1, ?2, ?3, ?4)",
            params![
                message_id.uuid().as_bytes(),
                ordinal,
                session_id.uuid().as_bytes(),
                id
            ],
            "an attachment is gone",
        )?;
        update_one(
            connection,
            "UPDATE attachments SET expires_at_ms = NULL WHERE id = ?1",
            params![id],
            "an attachment is gone",
        )?;
    }
    Ok(())
}

/// A message has none any more. What nobody else has is removed soon, unless somebody takes it up
/// in the same transition.
pub(super) fn unlink(connection: &Connection, message_id: MessageId) -> Result<(), Error> {
    let id = message_id.uuid().into_bytes();
    execute(
        connection,
        "UPDATE attachments
         SET expires_at_ms = ?2
         WHERE id IN (SELECT attachment_id FROM message_attachments WHERE message_id = ?1)
           AND NOT EXISTS (SELECT 1 FROM message_attachments AS other
                           WHERE other.attachment_id = attachments.id
                             AND other.message_id <> ?1)",
        params![id, AT_ONCE],
        "an attachment is in use",
    )?;
    execute(
        connection,
        "DELETE FROM message_attachments WHERE message_id = ?1",
        params![id],
        "an attachment is in use",
    )?;
    Ok(())
}

/// Before a session goes: what it alone has goes with it.
pub(super) fn let_go(connection: &Connection, session_id: SessionId) -> Result<(), Error> {
    let id = session_id.uuid().into_bytes();
    execute(
        connection,
        "UPDATE attachments
         SET expires_at_ms = ?2
         WHERE id IN (SELECT attachment_id FROM message_attachments WHERE session_id = ?1)
           AND NOT EXISTS (SELECT 1 FROM message_attachments AS other
                           WHERE other.attachment_id = attachments.id
                             AND other.session_id <> ?1)",
        params![id, AT_ONCE],
        "an attachment is in use",
    )?;
    execute(
        connection,
        "DELETE FROM message_attachments WHERE session_id = ?1",
        params![id],
        "an attachment is in use",
    )?;
    purge(connection, AT_ONCE)
}

fn remove(connection: &Connection, attachment_id: AttachmentId) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE attachments SET expires_at_ms = ?2 WHERE id = ?1 AND expires_at_ms IS NOT NULL",
        params![attachment_id.uuid().as_bytes(), AT_ONCE],
        "the attachment is gone, or a message has it",
    )?;
    purge(connection, AT_ONCE)
}

/// Removes what is over, and what it held if nothing else holds the same.
fn purge(connection: &Connection, at_ms: u64) -> Result<(), Error> {
    let hashes: Vec<Vec<u8>> = {
        let mut statement = connection.prepare_cached(
            "SELECT DISTINCT hash FROM attachments
             WHERE expires_at_ms IS NOT NULL AND expires_at_ms <= ?1",
        )?;
        let found = statement.query_map(params![at_ms], |row| row.get(0))?;
        found.collect::<Result<_, _>>()?
    };
    execute(
        connection,
        "DELETE FROM attachments WHERE expires_at_ms IS NOT NULL AND expires_at_ms <= ?1",
        params![at_ms],
        "an attachment is in use",
    )?;
    for hash in hashes {
        remove_blob(connection, &hash)?;
    }
    Ok(())
}

/// What a file held, if nothing needs it any more.
pub(super) fn remove_blob(connection: &Connection, hash: &[u8]) -> Result<(), Error> {
    execute(
        connection,
        "DELETE FROM blobs
         WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE before = ?1)
           AND NOT EXISTS (SELECT 1 FROM attachments WHERE hash = ?1)",
        params![hash],
        "what a file held is needed again",
    )?;
    Ok(())
}
