//! The lifecycle of messages: added at the end, never changed.

use protocol::{Ending, Message, MessageStatus, Native, Role, SessionId, limits};
use rusqlite::{Connection, params};

use super::attachments::link;
use super::statement::{check_size, insert, json, update_one};
use crate::Error;

/// No message is larger than this: what the model wrote in one step, or a person in one go. It is
/// the text that counts, not its stored form: escapes must not make a reply that was streamed
/// whole too large to be kept.
pub(super) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;

pub(super) fn add(
    connection: &Connection,
    session_id: SessionId,
    message: &Message,
    native: Option<&Native>,
) -> Result<(), Error> {
    let bytes = message.blocks.iter().map(|block| block.text.len()).sum();
    check_size("the message", bytes, MESSAGE_BYTES)?;
    let blocks = json("message", &message.blocks)?;
    let native = match native {
        Some(native) => {
            check_size("the reply", native.items.len(), limits::NATIVE_BYTES)?;
            Some(json("message", native)?)
        }
        None => None,
    };
    // The count is compared, not read: two messages for one position cannot both be next.
    update_one(
        connection,
        "UPDATE sessions
         SET message_count = message_count + 1
         WHERE id = ?1 AND message_count + 1 = ?2 AND branch = ?3",
        params![
            session_id.uuid().as_bytes(),
            message.position,
            message.branch
        ],
        "another message came first, or another branch is shown",
    )?;
    insert(
        connection,
        "INSERT INTO messages
             (id, session_id, branch, position, role, status, blocks, run_id, step_id, attempt,
              model, created_at_ms, ending, native)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            message.message_id.uuid().as_bytes(),
            session_id.uuid().as_bytes(),
            message.branch,
            message.position,
            role(message.role),
            status(message.status),
            blocks,
            message.run_id.map(|id| id.uuid().into_bytes()),
            message.step_id.map(|id| id.uuid().into_bytes()),
            message.attempt,
            message.model,
            message.created_at_ms,
            ending(message.ending),
            native,
        ],
        "the message exists",
    )?;
    link(
        connection,
        session_id,
        message.message_id,
        &message.attachments,
    )
}

/// The run that a message names exists.
pub(super) fn check_run(connection: &Connection, message: &Message) -> Result<(), Error> {
    let Some(run_id) = message.run_id else {
        return Ok(());
    };
    let exists = connection
        .prepare_cached("SELECT 1 FROM runs WHERE id = ?1")?
        .exists(params![run_id.uuid().as_bytes()])?;
    if exists {
        Ok(())
    } else {
        Err(Error::Conflict("the run is gone"))
    }
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Agent => "agent",
    }
}

/// Only what a person must be told.
const fn ending(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::Complete => None,
        Ending::Length => Some("length"),
        Ending::Paused => Some("paused"),
    }
}

const fn status(status: MessageStatus) -> &'static str {
    match status {
        MessageStatus::Complete => "complete",
        MessageStatus::Partial | MessageStatus::Unreadable => "partial",
    }
}
