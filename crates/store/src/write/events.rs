//! The event log: append-only, `seq` dense from 1.

use protocol::{Event, SessionId};
use rusqlite::{Connection, params};

use super::messages::MESSAGE_BYTES;
use super::statement::{check_size, insert, update_one};
use crate::{Error, event_codec};

/// An event holds at most one message, whose every byte may be stored as an escape of six.
const EVENT_BYTES: usize = 6 * MESSAGE_BYTES + 8 * 1024 * 1024;

pub(super) fn append(
    connection: &Connection,
    session_id: SessionId,
    at_ms: u64,
    event: &Event,
) -> Result<(), Error> {
    let stored = event_codec::encode(event)?;
    check_size("the event", stored.body.len(), EVENT_BYTES)?;
    // A clock that jumps back must not make a session look older than it is.
    update_one(
        connection,
        "UPDATE sessions
         SET head_seq = head_seq + 1, updated_at_ms = max(updated_at_ms, ?2)
         WHERE id = ?1",
        params![session_id.uuid().as_bytes(), at_ms],
        "the session is gone",
    )?;
    insert(
        connection,
        "INSERT INTO events (session_id, seq, at_ms, v, kind, body)
         SELECT id, head_seq, ?2, ?3, ?4, ?5 FROM sessions WHERE id = ?1",
        params![
            session_id.uuid().as_bytes(),
            at_ms,
            event_codec::VERSION,
            stored.kind,
            stored.body
        ],
        "that seq is taken",
    )
}
