//! Which sessions recovery must look at, and which ones a person must.

use protocol::{AttentionKind, RunId, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::session_id;
use crate::Error;
use crate::write::stored_kind;

/// A live run; a body that was going, whatever became of its run; messages that wait though nothing
/// is in their way. The lists of statuses are those of the indexes.
pub(super) const LIVE_SESSIONS: &str = "
    SELECT session_id FROM runs
    WHERE status IN ('queued', 'running', 'waiting')
    UNION
    SELECT session_id FROM tool_calls
    WHERE status = 'running'
    UNION
    SELECT queue.session_id
    FROM queue
    CROSS JOIN sessions ON sessions.id = queue.session_id
    CROSS JOIN runs ON runs.id = sessions.newest_run_id AND runs.status = 'completed'
    ORDER BY session_id";

/// The newest run waits for a person, or a call is in doubt.
pub(super) const ATTENTION_SESSIONS: &str = "
    SELECT sessions.id AS session_id, runs.updated_at_ms AS since_ms
    FROM runs
    CROSS JOIN sessions ON sessions.id = runs.session_id
         AND sessions.newest_run_id = runs.id
    WHERE (runs.status IN ('waiting', 'stopped', 'interrupted')
           OR (runs.status = 'failed' AND runs.dismissed_at_ms IS NULL))
      AND sessions.archived_at_ms IS NULL AND sessions.deleted_at_ms IS NULL
    UNION
    SELECT sessions.id AS session_id,
           coalesce(runs.updated_at_ms, sessions.updated_at_ms) AS since_ms
    FROM tool_calls
    CROSS JOIN sessions ON sessions.id = tool_calls.session_id
    LEFT JOIN runs ON runs.id = sessions.newest_run_id
    WHERE tool_calls.status = 'in_doubt'
      AND sessions.archived_at_ms IS NULL AND sessions.deleted_at_ms IS NULL
    ORDER BY since_ms, session_id";

impl Reader<'_> {
    /// The sessions that recovery must look at, whatever their state.
    pub fn live_sessions(&self) -> Result<Vec<SessionId>, Error> {
        self.all(LIVE_SESSIONS, [], |row| session_id(row, "session_id"))
    }

    /// The sessions that need a person, the oldest need first.
    pub fn attention_sessions(&self) -> Result<Vec<SessionId>, Error> {
        self.all(ATTENTION_SESSIONS, [], |row| session_id(row, "session_id"))
    }

    /// Whether a notification about this was shown before.
    pub fn notice_shown(&self, run_id: RunId, kind: AttentionKind) -> Result<bool, Error> {
        let found = self.one(
            "SELECT 1 FROM notices WHERE run_id = ?1 AND kind = ?2",
            params![run_id.uuid().as_bytes(), stored_kind(kind)],
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }
}
