//! Reading sessions as the list shows them.

use protocol::{RunView, SessionId};
use rusqlite::{OptionalExtension, Row, params};

use super::Reader;
use super::row::{get, optional_uuid, session_id};
use super::runs::{VIEW_COLUMNS, run_view};
use crate::Error;

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_id: AgentId,
    /// Its title.
    pub title: Option<String>,
    /// Whether it is put away.
    pub is_archived: bool,
    /// Where it was forked from.
    pub forked_from: Option<SessionId>,
    /// Messages that wait.
    pub queued: u32,
    /// Its newest run, if it can be read.
    pub run: Option<RunView>,
    /// Whether any of its calls is in doubt.
    pub has_doubt: bool,
    /// What cannot be read of it.
    pub problem: Option<String>,
    /// When it was created.
    pub created_at_ms: u64,
    /// When something last happened in it.
    pub updated_at_ms: u64,
}

/// The whole list.
pub(super) const FROM_THE_TOP: &str = "";

/// What stands after one session in the list.
pub(super) const AFTER_ONE: &str = "
    WHERE (sessions.updated_at_ms, sessions.id) <
          (SELECT updated_at_ms, id FROM sessions WHERE id = ?2)";

/// The list, read along the index of its order.
pub(super) fn session_rows_sql(condition: &str) -> String {
    format!(
        "SELECT sessions.id, sessions.title, sessions.created_at_ms, sessions.updated_at_ms,
                {VIEW_COLUMNS}
         FROM sessions LEFT JOIN runs ON runs.id = sessions.newest_run_id
         {condition}
         ORDER BY sessions.updated_at_ms DESC, sessions.id DESC
         LIMIT ?1"
    )
}

pub(super) const LIVE_SESSIONS: &str = "
    SELECT session_id FROM runs
    WHERE status IN ('queued', 'running', 'waiting')
    ORDER BY id";

impl Reader<'_> {
    /// The sessions, newest first.
    pub fn session_rows(&self, limit: u32) -> Result<Vec<SessionRow>, Error> {
        self.rows(FROM_THE_TOP, params![limit])
    }

    /// The sessions that stand after one of them in the list, newest first.
    pub fn session_rows_after(
        &self,
        after: SessionId,
        limit: u32,
    ) -> Result<Vec<SessionRow>, Error> {
        self.rows(AFTER_ONE, params![limit, after.uuid().as_bytes()])
    }

    fn rows(
        &self,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<SessionRow>, Error> {
        let mut statement = self
            .transaction
            .prepare_cached(&session_rows_sql(condition))?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(session_row(row)?);
        }
        Ok(found)
    }

    /// One session as the list shows it.
    pub fn session_row(&self, id: SessionId) -> Result<Option<SessionRow>, Error> {
        let sql = format!(
            "SELECT sessions.id, sessions.title, sessions.created_at_ms, sessions.updated_at_ms,
                    {VIEW_COLUMNS}
             FROM sessions LEFT JOIN runs ON runs.id = sessions.newest_run_id
             WHERE sessions.id = ?1"
        );
        self.transaction
            .prepare_cached(&sql)?
            .query_row(params![id.uuid().as_bytes()], |row| Ok(session_row(row)))
            .optional()?
            .transpose()
    }

    /// The sessions that have a live run: what recovery takes up.
    pub fn live_sessions(&self) -> Result<Vec<SessionId>, Error> {
        let mut statement = self.transaction.prepare_cached(LIVE_SESSIONS)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(session_id(row, "session_id")?);
        }
        Ok(found)
    }
}

fn session_row(row: &Row<'_>) -> Result<SessionRow, Error> {
    let run = optional_uuid(row, "run_id")?
        .map(|_| run_view(row))
        .transpose()?;
    Ok(SessionRow {
        session_id: session_id(row, "id")?,
        title: get(row, "title")?,
        run,
        created_at_ms: get(row, "created_at_ms")?,
        updated_at_ms: get(row, "updated_at_ms")?,
    })
}
