//! The lifecycle of a session's row.

use protocol::{AgentId, SessionId};
use rusqlite::{Connection, params};

use super::{check_text, insert, update_one};
use crate::Error;

pub(super) fn create(
    connection: &Connection,
    session_id: SessionId,
    agent_id: AgentId,
    title: Option<&str>,
    at_ms: u64,
) -> Result<(), Error> {
    check_text("the title", title)?;
    insert(
        connection,
        "INSERT INTO sessions (id, agent_id, title, created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?4)",
        params![
            session_id.uuid().as_bytes(),
            agent_id.uuid().as_bytes(),
            title,
            at_ms
        ],
        "the session exists",
    )
}

pub(super) fn rename(
    connection: &Connection,
    session_id: SessionId,
    title: &str,
    at_ms: u64,
) -> Result<(), Error> {
    check_text("the title", Some(title))?;
    update_one(
        connection,
        "UPDATE sessions
         SET title = ?2, updated_at_ms = max(updated_at_ms, ?3)
         WHERE id = ?1",
        params![session_id.uuid().as_bytes(), title, at_ms],
        "the session is gone",
    )
}
