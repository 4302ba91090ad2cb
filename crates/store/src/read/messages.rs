//! Reading messages, along the branch that is shown.

use std::sync::Arc;

use protocol::{
    Block, BlockKind, Ending, Message, MessageId, MessageStatus, Native, Role, RunId, SessionId,
    StepId,
};
use rusqlite::params;

use super::Reader;
use super::attachments::Content;
use super::row::{
    Row, get, get_or_drop, json_or_drop, message_id, session_id, unreadable, uuid_or_drop, why,
};
use crate::Error;

pub(super) const MESSAGES_BEFORE: &str = "
    SELECT id, branch, position, role, status, blocks, run_id, step_id, attempt, model,
           created_at_ms, ending
    FROM messages
    WHERE session_id = ?1 AND branch = ?2 AND position < ?3
    ORDER BY position DESC
    LIMIT ?4";

pub(super) const MESSAGES_AFTER: &str = "
    SELECT id, branch, position, role, status, blocks, run_id, step_id, attempt, model,
           created_at_ms, ending, native
    FROM messages
    WHERE session_id = ?1 AND branch = ?2 AND position < ?3 AND position > ?4
    ORDER BY position";

/// A message with what is kept beside it for models, and never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// What a person reads.
    pub message: Message,
    /// What the provider said in its own words, where that was kept.
    pub native: Option<Arc<Native>>,
    /// What a model gets of its attachments, in their order; nothing where that is gone.
    pub contents: Vec<Option<Content>>,
}

impl Reader<'_> {
    /// Every message after a position, oldest first, with what is kept beside it.
    pub fn messages_after(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> Result<Vec<MessageRow>, Error> {
        let id = session_id.uuid();
        let mut found = Vec::new();
        for segment in self.shown_path(session_id)?.into_iter().rev() {
            let values = params![id.as_bytes(), segment.branch, segment.before, after];
            found.extend(self.all(MESSAGES_AFTER, values, message_row)?);
        }
        self.attach_rows(session_id, &mut found)?;
        Ok(found)
    }

    /// The newest messages before a position, oldest first, and whether older ones exist.
    pub fn messages_before(
        &self,
        session_id: SessionId,
        before: u64,
        limit: u32,
    ) -> Result<(Vec<Message>, bool), Error> {
        let id = session_id.uuid();
        let mut found: Vec<Message> = Vec::new();
        for segment in self.shown_path(session_id)? {
            let left = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
            if left == 0 {
                break;
            }
            let before = segment.before.min(before);
            let values = params![id.as_bytes(), segment.branch, before, left];
            found.extend(self.all(MESSAGES_BEFORE, values, message)?);
        }
        found.reverse();
        self.attach(session_id, &mut found)?;
        let has_earlier = found.first().is_some_and(|oldest| oldest.position > 1);
        Ok((found, has_earlier))
    }

    /// One message by its id, with its session.
    pub fn message(&self, id: MessageId) -> Result<Option<(SessionId, Message)>, Error> {
        let found = self.one(
            "SELECT session_id, id, branch, position, role, status, blocks, run_id, step_id,
                    attempt, model, created_at_ms, ending
             FROM messages
             WHERE id = ?1",
            params![id.uuid().as_bytes()],
            |row| Ok((session_id(row, "session_id")?, message(row)?)),
        )?;
        let Some((session_id, mut message)) = found else {
            return Ok(None);
        };
        self.attach(session_id, std::slice::from_mut(&mut message))?;
        Ok(Some((session_id, message)))
    }

    /// What was given along with messages, and what a model gets of that.
    pub(super) fn attach_rows(
        &self,
        session_id: SessionId,
        rows: &mut [MessageRow],
    ) -> Result<(), Error> {
        let mut attachments = self.attachments_of_session(session_id)?;
        for row in rows {
            let message = &mut row.message;
            message.attachments = attachments.remove(&message.message_id).unwrap_or_default();
            let ids = message.attachments.iter().map(|one| one.attachment_id);
            let contents = ids.map(|id| self.attachment_content(id));
            row.contents = contents.collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    fn attach(&self, session_id: SessionId, messages: &mut [Message]) -> Result<(), Error> {
        let mut attachments = self.attachments_of_session(session_id)?;
        for message in messages {
            message.attachments = attachments.remove(&message.message_id).unwrap_or_default();
        }
        Ok(())
    }
}

pub(super) fn message_row(row: &Row<'_>) -> Result<MessageRow, Error> {
    Ok(MessageRow {
        message: message(row)?,
        // Without it the message is told in our words.
        native: json_or_drop(row, "native").map(Arc::new),
        contents: Vec::new(),
    })
}

/// A message that cannot be read keeps its place and says why.
fn message(row: &Row<'_>) -> Result<Message, Error> {
    let (message_id, position) = (message_id(row, "id")?, get(row, "position")?);
    let content = content(row);
    let (role, status, blocks) = content.unwrap_or_else(|error| {
        // What the parser met is for the person, not for the log.
        tracing::error!(name: "store.message.unreadable", %message_id);
        let block = Block {
            kind: BlockKind::Text,
            text: format!("This message cannot be read: {}.", why(&error)),
        };
        let role = get::<String>(row, "role").and_then(|text| role(&text));
        (
            role.unwrap_or(Role::Agent),
            MessageStatus::Unreadable,
            vec![block],
        )
    });
    Ok(Message {
        message_id,
        position,
        branch: get(row, "branch")?,
        role,
        status,
        blocks,
        attachments: Vec::new(),
        run_id: uuid_or_drop(row, "run_id").map(RunId::from_uuid),
        step_id: uuid_or_drop(row, "step_id").map(StepId::from_uuid),
        attempt: get_or_drop(row, "attempt"),
        model: get_or_drop(row, "model"),
        created_at_ms: get_or_drop(row, "created_at_ms").unwrap_or(0),
        ending: ending(get_or_drop::<String>(row, "ending").as_deref()),
    })
}

fn content(row: &Row<'_>) -> Result<(Role, MessageStatus, Vec<Block>), Error> {
    let blocks: String = get(row, "blocks")?;
    Ok((
        role(&get::<String>(row, "role")?)?,
        status(&get::<String>(row, "status")?)?,
        serde_json::from_str(&blocks).map_err(|error| unreadable("message", &error))?,
    ))
}

fn role(text: &str) -> Result<Role, Error> {
    match text {
        "user" => Ok(Role::User),
        "agent" => Ok(Role::Agent),
        other => Err(unreadable("message", &format!("role {other}"))),
    }
}

/// Nothing else is stored; what is damaged has nothing to say.
fn ending(text: Option<&str>) -> Ending {
    match text {
        Some("length") => Ending::Length,
        Some("paused") => Ending::Paused,
        Some(_) | None => Ending::Complete,
    }
}

fn status(text: &str) -> Result<MessageStatus, Error> {
    match text {
        "complete" => Ok(MessageStatus::Complete),
        "partial" => Ok(MessageStatus::Partial),
        other => Err(unreadable("message", &format!("status {other}"))),
    }
}
