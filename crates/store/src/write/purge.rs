//! The end of a session: every row of it, and what was kept for it alone.

use protocol::SessionId;
use rusqlite::{Connection, params};

use super::attachments::{let_go, remove_blob};
use super::statement::{execute, update_one};
use crate::Error;

/// Removes a session that is marked as deleted. What it shares with another session by its hash
/// stays there; what outlives it no longer names it.
pub(super) fn session(connection: &Connection, session_id: SessionId) -> Result<(), Error> {
    let id = session_id.uuid().into_bytes();
    let blobs = hashes(
        connection,
        "SELECT DISTINCT checkpoints.before
         FROM tool_calls JOIN checkpoints ON checkpoints.call_id = tool_calls.id
         WHERE tool_calls.session_id = ?1 AND checkpoints.before IS NOT NULL",
        id,
    )?;
    let pins = hashes(
        connection,
        "SELECT DISTINCT pin FROM runs WHERE session_id = ?1 AND pin IS NOT NULL",
        id,
    )?;
    for sql in [
        "UPDATE rules
         SET made_by = NULL
         WHERE made_by IN (SELECT id FROM tool_calls WHERE session_id = ?1)",
        "UPDATE sessions SET forked_from = NULL WHERE forked_from = ?1",
    ] {
        execute(connection, sql, params![id], "the session changed")?;
    }
    let_go(connection, session_id)?;
    // The rows of every other table go with it by their foreign keys.
    update_one(
        connection,
        "DELETE FROM sessions WHERE id = ?1 AND deleted_at_ms IS NOT NULL",
        params![id],
        "the session is gone, or was taken back",
    )?;
    for hash in blobs {
        remove_blob(connection, &hash)?;
    }
    for hash in pins {
        execute(
            connection,
            "DELETE FROM pins
             WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE pin = ?1)",
            params![hash],
            "what was pinned is needed again",
        )?;
    }
    Ok(())
}

fn hashes(connection: &Connection, sql: &str, id: [u8; 16]) -> Result<Vec<Vec<u8>>, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_map(params![id], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}
