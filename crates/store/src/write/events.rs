//! The event log: append-only, `seq` dense from 1.

use protocol::{Event, SessionId};
use rusqlite::{Connection, params};

use super::messages::MESSAGE_BYTES;
use super::statement::{check_size, insert, update_one};
use crate::{Change, Error, event_codec};

/// An event holds at most one message, whose every byte may be stored as an escape of six.
const EVENT_BYTES: usize = 6 * MESSAGE_BYTES + 8 * 1024 * 1024;

/// The places of a transition's events in their sessions: a session's head moves once, by as many
/// as there are, when the first of them is appended.
pub(super) struct Places<'a> {
    changes: &'a [Change],
    next: Vec<(SessionId, u64)>,
}

impl<'a> Places<'a> {
    pub(super) const fn of(changes: &'a [Change]) -> Self {
        let next = Vec::new();
        Self { changes, next }
    }

    /// The seq of a session's next event.
    fn take(&mut self, connection: &Connection, session_id: SessionId) -> Result<u64, Error> {
        if let Some((_, next)) = self.next.iter_mut().find(|(of, _)| *of == session_id) {
            *next += 1;
            return Ok(*next);
        }
        let times = self.changes.iter().filter_map(|change| {
            let Change::AppendEvent {
                session_id: of,
                at_ms,
                ..
            } = change
            else {
                return None;
            };
            (*of == session_id).then_some(*at_ms)
        });
        let (count, at_ms) =
            times.fold((0, 0), |(count, last), at_ms| (count + 1, at_ms.max(last)));
        let first = move_head(connection, session_id, count, at_ms)? - count + 1;
        self.next.push((session_id, first));
        Ok(first)
    }
}

/// The head after it has moved.
fn move_head(
    connection: &Connection,
    session_id: SessionId,
    count: u64,
    at_ms: u64,
) -> Result<u64, Error> {
    // A clock that jumps back must not make a session look older than it is.
    update_one(
        connection,
        "UPDATE sessions
         SET head_seq = head_seq + ?3, updated_at_ms = max(updated_at_ms, ?2)
         WHERE id = ?1",
        params![session_id.uuid().as_bytes(), at_ms, count],
        "the session is gone",
    )?;
    let head = connection
        .prepare_cached("SELECT head_seq FROM sessions WHERE id = ?1")?
        .query_row(params![session_id.uuid().as_bytes()], |row| row.get(0))?;
    Ok(head)
}

pub(super) fn append(
    connection: &Connection,
    places: &mut Places<'_>,
    session_id: SessionId,
    at_ms: u64,
    event: &Event,
) -> Result<(), Error> {
    let stored = event_codec::encode(event)?;
    check_size("the event", stored.body.len(), EVENT_BYTES)?;
    let seq = places.take(connection, session_id)?;
    insert(
        connection,
        "INSERT INTO events (session_id, seq, at_ms, v, kind, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            session_id.uuid().as_bytes(),
            seq,
            at_ms,
            event_codec::VERSION,
            stored.kind,
            stored.body
        ],
        "that seq is taken",
    )
}
