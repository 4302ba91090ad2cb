//! Reading the event log.

use protocol::{Envelope, SessionId};
use rusqlite::{OptionalExtension, params};

use super::Reader;
use super::row::get;
use crate::{Error, event_codec};

pub(super) const EVENTS_AFTER: &str = "
    SELECT seq, at_ms, v, kind, body
    FROM events
    WHERE session_id = ?1 AND seq > ?2
    ORDER BY seq
    LIMIT ?3";

impl Reader<'_> {
    /// The newest seq of a session, or nothing if there is no such session.
    pub fn head_seq(&self, session_id: SessionId) -> Result<Option<u64>, Error> {
        let found = self
            .transaction
            .prepare_cached("SELECT head_seq FROM sessions WHERE id = ?1")?
            .query_row(params![session_id.uuid().as_bytes()], |row| row.get(0))
            .optional()?;
        Ok(found)
    }

    /// The oldest seq of a session that is kept, or nothing if none is.
    pub fn first_seq(&self, session_id: SessionId) -> Result<Option<u64>, Error> {
        let found = self
            .transaction
            .prepare_cached("SELECT min(seq) FROM events WHERE session_id = ?1")?
            .query_row(params![session_id.uuid().as_bytes()], |row| row.get(0))?;
        Ok(found)
    }

    /// The events after a seq, in order, at most `limit` of them.
    pub fn events_after(
        &self,
        session_id: SessionId,
        after_seq: u64,
        limit: u32,
    ) -> Result<Vec<Envelope>, Error> {
        let id = session_id.uuid();
        let values = params![id.as_bytes(), after_seq, limit];
        self.all(EVENTS_AFTER, values, |row| {
            let (seq, at_ms) = (get(row, "seq")?, get(row, "at_ms")?);
            let version = get(row, "v")?;
            let kind: String = get(row, "kind")?;
            let body: String = get(row, "body")?;
            Ok(Envelope {
                session_id,
                seq,
                at_ms,
                event: event_codec::decode(&kind, version, &body),
            })
        })
    }
}
