//! Reading messages.

use protocol::{Message, MessageStatus, Role, RunId, SessionId, StepId};
use rusqlite::{Row, params};

use super::Reader;
use super::row::{get, message_id, optional_uuid, unreadable};
use crate::Error;

pub(super) const MESSAGES_BEFORE: &str = "
    SELECT id, position, role, status, blocks, run_id, step_id, attempt, model, created_at_ms
    FROM messages
    WHERE session_id = ?1 AND position < ?2
    ORDER BY position DESC
    LIMIT ?3";

impl Reader<'_> {
    /// The newest messages before a position, oldest first, and whether older ones exist.
    pub fn messages_before(
        &self,
        session_id: SessionId,
        before: u64,
        limit: u32,
    ) -> Result<(Vec<Message>, bool), Error> {
        let mut statement = self.transaction.prepare_cached(MESSAGES_BEFORE)?;
        let mut rows = statement.query(params![session_id.uuid().as_bytes(), before, limit])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(message(row)?);
        }
        found.reverse();
        let has_earlier = found.first().is_some_and(|oldest| oldest.position > 1);
        Ok((found, has_earlier))
    }
}

fn message(row: &Row<'_>) -> Result<Message, Error> {
    let blocks: String = get(row, "blocks")?;
    Ok(Message {
        branch: 0,
        message_id: message_id(row, "id")?,
        position: get(row, "position")?,
        role: role(&get::<String>(row, "role")?)?,
        status: status(&get::<String>(row, "status")?)?,
        blocks: serde_json::from_str(&blocks).map_err(|error| unreadable("message", &error))?,
        run_id: optional_uuid(row, "run_id")?.map(RunId::from_uuid),
        step_id: optional_uuid(row, "step_id")?.map(StepId::from_uuid),
        attempt: get(row, "attempt")?,
        model: get(row, "model")?,
        created_at_ms: get(row, "created_at_ms")?,
    })
}

fn role(text: &str) -> Result<Role, Error> {
    match text {
        "user" => Ok(Role::User),
        "agent" => Ok(Role::Agent),
        other => Err(unreadable("message", &format!("role {other}"))),
    }
}

fn status(text: &str) -> Result<MessageStatus, Error> {
    match text {
        "complete" => Ok(MessageStatus::Complete),
        "partial" => Ok(MessageStatus::Partial),
        other => Err(unreadable("message", &format!("status {other}"))),
    }
}
