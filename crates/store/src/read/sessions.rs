//! Reading sessions as the list shows them.

use protocol::{AgentId, RunView, SessionId};
use rusqlite::{Params, params};

use super::Reader;
use super::row::{Row, agent_id, get, get_or_drop, session_id, unreadable, uuid_or_drop, why};
use super::runs::{VIEW_COLUMNS, run_view};
use crate::Error;
use crate::schema::DEFAULT_AGENT;

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_id: AgentId,
    /// The model that was chosen for it.
    pub model: Option<String>,
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

/// Those that are not put away.
pub(super) const SHOWN: &str = "sessions.archived_at_ms IS NULL AND sessions.deleted_at_ms IS NULL";
/// Those that are.
pub(super) const ARCHIVED: &str =
    "sessions.archived_at_ms IS NOT NULL AND sessions.deleted_at_ms IS NULL";

/// The whole list.
pub(super) const FROM_THE_TOP: &str = "";

/// What stands after one session in the list.
pub(super) const AFTER_ONE: &str = "
    AND (sessions.updated_at_ms, sessions.id) <
        (SELECT updated_at_ms, id FROM sessions WHERE id = ?2)";

/// What a row of the list is made of. The conditions are those of the indexes.
fn rows_sql(condition: &str) -> String {
    format!(
        "SELECT sessions.id, sessions.agent_id, sessions.model AS chosen_model, sessions.title,
                sessions.archived_at_ms,
                sessions.forked_from, sessions.newest_run_id, sessions.created_at_ms,
                sessions.updated_at_ms,
                (SELECT count(*) FROM queue WHERE queue.session_id = sessions.id) AS queued,
                EXISTS (SELECT 1 FROM tool_calls
                        WHERE tool_calls.session_id = sessions.id
                          AND tool_calls.status IN (
                              'proposed', 'waiting', 'ready', 'running', 'in_doubt')
                          AND tool_calls.status = 'in_doubt') AS has_doubt,
                {VIEW_COLUMNS}
         FROM sessions LEFT JOIN runs ON runs.id = sessions.newest_run_id
         WHERE {condition}"
    )
}

/// The list, read along the index of its order.
pub(super) fn session_rows_sql(which: &str, condition: &str) -> String {
    format!(
        "{} {condition}
         ORDER BY sessions.updated_at_ms DESC, sessions.id DESC
         LIMIT ?1",
        rows_sql(which)
    )
}

const fn which(archived: bool) -> &'static str {
    if archived { ARCHIVED } else { SHOWN }
}

impl Reader<'_> {
    /// The sessions, newest first: those that are put away, or those that are not.
    pub fn session_rows(&self, limit: u32, archived: bool) -> Result<Vec<SessionRow>, Error> {
        let sql = session_rows_sql(which(archived), FROM_THE_TOP);
        self.listed(&sql, params![limit])
    }

    /// The sessions that stand after one of them in the list, newest first.
    pub fn session_rows_after(
        &self,
        after: SessionId,
        limit: u32,
        archived: bool,
    ) -> Result<Vec<SessionRow>, Error> {
        let sql = session_rows_sql(which(archived), AFTER_ONE);
        self.listed(&sql, params![limit, after.uuid().as_bytes()])
    }

    /// One session as the list shows it; nothing for one that is marked as deleted.
    pub fn session_row(&self, id: SessionId) -> Result<Option<SessionRow>, Error> {
        let sql = rows_sql("sessions.id = ?1 AND sessions.deleted_at_ms IS NULL");
        let found = self.listed(&sql, params![id.uuid().as_bytes()])?;
        Ok(found.into_iter().next())
    }

    fn listed(&self, sql: &str, values: impl Params) -> Result<Vec<SessionRow>, Error> {
        let mut rows = self.all(sql, values, session_row)?;
        for row in &mut rows {
            row.run = row.run.take().map(|run| self.with_usage(run)).transpose()?;
        }
        Ok(rows)
    }
}

/// A row that cannot be read whole keeps its place and says what is missing.
fn session_row(row: &Row<'_>) -> Result<SessionRow, Error> {
    let session_id = session_id(row, "id")?;
    let mut problem = None;
    let mut note = |what: &str, detail: String| {
        tracing::error!(name: "store.session.unreadable", %session_id, what, detail);
        problem.get_or_insert(format!("{what} cannot be read: {detail}."));
    };
    let run = match newest_run(row) {
        Ok(run) => run,
        Err(error) => {
            note("Its newest run", why(&error));
            None
        }
    };
    let agent_id = agent_id(row, "agent_id").unwrap_or_else(|error| {
        note("Its agent", why(&error));
        DEFAULT_AGENT
    });
    let title = get(row, "title").unwrap_or_else(|error| {
        note("Its title", why(&error));
        None
    });
    Ok(SessionRow {
        session_id,
        agent_id,
        model: get_or_drop(row, "chosen_model"),
        title,
        is_archived: get_or_drop::<i64>(row, "archived_at_ms").is_some(),
        forked_from: uuid_or_drop(row, "forked_from").map(SessionId::from_uuid),
        queued: get(row, "queued")?,
        run,
        has_doubt: get(row, "has_doubt")?,
        problem,
        created_at_ms: get(row, "created_at_ms").unwrap_or(0),
        updated_at_ms: get(row, "updated_at_ms").unwrap_or(0),
    })
}

fn newest_run(row: &Row<'_>) -> Result<Option<RunView>, Error> {
    let (named, found): (Option<Vec<u8>>, Option<Vec<u8>>) =
        (get(row, "newest_run_id")?, get(row, "run_id")?);
    match (named, found) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => run_view(row).map(Some),
        (Some(_), None) => Err(unreadable("run", &"it is gone")),
    }
}
