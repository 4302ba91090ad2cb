//! The lifecycle of messages that wait: added at the end, changed, taken.

use protocol::{MessageId, QueuedMessage, SessionId};
use rusqlite::{Connection, params};

use super::attachments::{link, unlink};
use super::statement::{check_text, insert, update_one};
use crate::Error;

pub(super) fn enqueue(
    connection: &Connection,
    session_id: SessionId,
    message: &QueuedMessage,
) -> Result<(), Error> {
    check_text("the message", Some(&message.text))?;
    insert(
        connection,
        "INSERT INTO queue (message_id, session_id, position, text, created_at_ms)
         VALUES (?1, ?2,
                 (SELECT coalesce(max(position), 0) + 1 FROM queue WHERE session_id = ?2),
                 ?3, ?4)",
        params![
            message.message_id.uuid().as_bytes(),
            session_id.uuid().as_bytes(),
            message.text,
            message.created_at_ms
        ],
        "the message waits already, or the session is gone",
    )?;
    link(
        connection,
        session_id,
        message.message_id,
        &message.attachments,
    )
}

pub(super) fn edit(
    connection: &Connection,
    message_id: MessageId,
    text: &str,
) -> Result<(), Error> {
    check_text("the message", Some(text))?;
    update_one(
        connection,
        "UPDATE queue SET text = ?2 WHERE message_id = ?1",
        params![message_id.uuid().as_bytes(), text],
        "the message no longer waits",
    )
}

pub(super) fn dequeue(connection: &Connection, message_id: MessageId) -> Result<(), Error> {
    unlink(connection, message_id)?;
    update_one(
        connection,
        "DELETE FROM queue WHERE message_id = ?1",
        params![message_id.uuid().as_bytes()],
        "the message no longer waits",
    )
}
