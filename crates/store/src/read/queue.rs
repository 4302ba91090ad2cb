//! Reading messages that wait, and requests that were answered with one.

use protocol::{MessageId, QueuedMessage, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::{get, message_id, session_id};
use crate::Error;

impl Reader<'_> {
    /// The messages of a session that wait, in order.
    pub fn queue(&self, session_id: SessionId) -> Result<Vec<QueuedMessage>, Error> {
        let mut queue = self.all(
            "SELECT message_id, text, created_at_ms
             FROM queue
             WHERE session_id = ?1
             ORDER BY position",
            params![session_id.uuid().as_bytes()],
            |row| {
                Ok(QueuedMessage {
                    message_id: message_id(row, "message_id")?,
                    text: get(row, "text")?,
                    attachments: Vec::new(),
                    created_at_ms: get(row, "created_at_ms")?,
                })
            },
        )?;
        if !queue.is_empty() {
            let mut attachments = self.attachments_of_session(session_id)?;
            for message in &mut queue {
                message.attachments = attachments.remove(&message.message_id).unwrap_or_default();
            }
        }
        Ok(queue)
    }

    /// The session in whose queue a message waits, if it waits.
    pub fn queued_message(&self, message_id: MessageId) -> Result<Option<SessionId>, Error> {
        self.one(
            "SELECT session_id FROM queue WHERE message_id = ?1",
            params![message_id.uuid().as_bytes()],
            |row| session_id(row, "session_id"),
        )
    }

    /// What a request was answered with, if it was not a run of its own.
    pub fn request(&self, request_key: &str) -> Result<Option<(SessionId, MessageId)>, Error> {
        self.one(
            "SELECT session_id, message_id FROM requests WHERE request_key = ?1",
            params![request_key],
            |row| {
                Ok((
                    session_id(row, "session_id")?,
                    message_id(row, "message_id")?,
                ))
            },
        )
    }
}
