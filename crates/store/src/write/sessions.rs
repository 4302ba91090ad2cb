//! The lifecycle of a session's row.

use protocol::{AgentId, SessionId};
use rusqlite::{Connection, params};

use super::statement::{check_text, insert, set, update_one};
use crate::Error;

pub(super) struct New<'a> {
    pub(super) agent_id: AgentId,
    pub(super) title: Option<&'a str>,
    pub(super) workspace: &'a str,
    pub(super) forked_from: Option<SessionId>,
    pub(super) at_ms: u64,
}

/// A session and its first branch, which begins at the beginning.
pub(super) fn create(
    connection: &Connection,
    session_id: SessionId,
    session: &New<'_>,
) -> Result<(), Error> {
    check_text("the title", session.title)?;
    check_text("the name of the workspace", Some(session.workspace))?;
    insert(
        connection,
        "INSERT INTO sessions
             (id, agent_id, title, workspace, forked_from, created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        params![
            session_id.uuid().as_bytes(),
            session.agent_id.uuid().as_bytes(),
            session.title,
            session.workspace,
            session.forked_from.map(|id| id.uuid().into_bytes()),
            session.at_ms
        ],
        "the session exists, or its agent is gone",
    )?;
    insert(
        connection,
        "INSERT INTO branches (session_id, branch, parent, from_position, created_at_ms)
         VALUES (?1, 0, NULL, 1, ?2)",
        params![session_id.uuid().as_bytes(), session.at_ms],
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

/// One that was put away before keeps the time when that was.
pub(super) fn archive(
    connection: &Connection,
    session_id: SessionId,
    archived_at_ms: Option<u64>,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE sessions
         SET archived_at_ms = iif(?2 IS NULL, NULL, coalesce(archived_at_ms, ?2))
         WHERE id = ?1",
        params![session_id.uuid().as_bytes(), archived_at_ms],
        "the session is gone",
    )
}

pub(super) fn delete(
    connection: &Connection,
    session_id: SessionId,
    deleted_at_ms: Option<u64>,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE sessions
         SET deleted_at_ms = ?2
         WHERE id = ?1 AND (deleted_at_ms IS NULL) = (?2 IS NOT NULL)",
        params![session_id.uuid().as_bytes(), deleted_at_ms],
        "the session is gone, or was deleted or taken back before",
    )
}

pub(super) fn set_agent(
    connection: &Connection,
    session_id: SessionId,
    agent_id: AgentId,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE sessions SET agent_id = ?2 WHERE id = ?1",
        params![session_id.uuid().as_bytes(), agent_id.uuid().as_bytes()],
        "the session or the agent is gone",
    )
}

pub(super) fn set_model(
    connection: &Connection,
    session_id: SessionId,
    model: Option<&str>,
) -> Result<(), Error> {
    check_text("the name of the model", model)?;
    update_one(
        connection,
        "UPDATE sessions SET model = ?2 WHERE id = ?1",
        params![session_id.uuid().as_bytes(), set(model)],
        "the session is gone",
    )
}
