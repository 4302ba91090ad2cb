//! Reading tool calls, each with its newest question, its files and its newest attempt.

mod call_row;

use std::collections::HashSet;
use std::sync::LazyLock;

use protocol::{CallId, MessageId, RunId, SessionId, ToolCallView};
use rusqlite::{Params, params};

pub(super) use self::call_row::result;
use self::call_row::{COLUMNS, call_row, has_files};
use super::Reader;
use super::row::{Row, call_id, get};
use crate::{CallRow, Error};

/// The statuses of the index of open calls, as SQLite must see them to take it where more than one is
/// wanted.
const OPEN: &str = "
    (tool_calls.status = 'proposed' OR tool_calls.status = 'waiting' OR tool_calls.status = 'ready'
     OR tool_calls.status = 'running' OR tool_calls.status = 'in_doubt')";

/// What comes with a call, looked up by its id.
const BESIDE: &str = "
    LEFT JOIN approvals ON approvals.call_id = tool_calls.id
         AND approvals.round = (SELECT max(round) FROM approvals AS rounds
                                WHERE rounds.call_id = tool_calls.id)";

/// The order of calls that wait for somebody.
const OLDEST_FIRST: &str = "tool_calls.created_at_ms, tool_calls.ordinal, tool_calls.id";

pub(super) fn calls_of_message_sql() -> String {
    format!(
        "SELECT {COLUMNS} FROM tool_calls {BESIDE}
         WHERE tool_calls.message_id = ?1
         ORDER BY tool_calls.ordinal"
    )
}

pub(super) fn calls_of_messages_sql() -> String {
    format!(
        "SELECT {COLUMNS}
         FROM json_each(?2) AS wanted
         CROSS JOIN messages ON messages.id = unhex(wanted.value)
         CROSS JOIN tool_calls ON tool_calls.message_id = messages.id
         {BESIDE}
         WHERE tool_calls.session_id = ?1
         ORDER BY messages.position, messages.id, tool_calls.ordinal"
    )
}

pub(super) fn calls_of_segment_sql() -> String {
    format!(
        "SELECT {COLUMNS}
         FROM messages
         CROSS JOIN tool_calls ON tool_calls.message_id = messages.id
         {BESIDE}
         WHERE messages.session_id = ?1 AND messages.branch = ?2 AND messages.position < ?3
           AND messages.position > ?4
         ORDER BY messages.position, tool_calls.ordinal"
    )
}

pub(super) const OF_ALL: &str = "";
pub(super) const OF_ONE: &str = "AND tool_calls.session_id = ?1";

pub(super) fn open_calls_sql(condition: &str) -> String {
    format!(
        "SELECT {COLUMNS}
         FROM tool_calls
         CROSS JOIN sessions ON sessions.id = tool_calls.session_id
              AND sessions.deleted_at_ms IS NULL
         {BESIDE}
         WHERE {OPEN} AND tool_calls.status IN ('waiting', 'in_doubt') {condition}
         ORDER BY {OLDEST_FIRST}"
    )
}

pub(super) fn doubts_sql() -> String {
    format!(
        "SELECT id FROM tool_calls
         WHERE session_id = ?1 AND status = 'in_doubt'
         ORDER BY {OLDEST_FIRST}"
    )
}

/// Backwards along the messages of a run, to the first that has calls.
pub(super) const NEWEST_MESSAGE_WITH_CALLS: &str = "
    SELECT id FROM messages
    WHERE run_id = ?1
      AND EXISTS (SELECT 1 FROM tool_calls WHERE tool_calls.message_id = messages.id)
    ORDER BY position DESC
    LIMIT 1";

pub(super) const PROVIDER_IDS: &str = "
    SELECT provider_id FROM tool_calls WHERE session_id = ?1 AND provider_id = ?2 LIMIT 1";

// Put together once: every step asks these.
static CALL: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {COLUMNS} FROM tool_calls {BESIDE} WHERE tool_calls.id = ?1"));
static CALLS_OF_MESSAGE: LazyLock<String> = LazyLock::new(calls_of_message_sql);
static CALLS_OF_SEGMENT: LazyLock<String> = LazyLock::new(calls_of_segment_sql);
static DOUBTS: LazyLock<String> = LazyLock::new(doubts_sql);

impl Reader<'_> {
    /// One call by its id.
    pub fn call(&self, id: CallId) -> Result<Option<CallRow>, Error> {
        let found = self.call_rows(&CALL, params![id.uuid().as_bytes()])?;
        Ok(found.into_iter().next())
    }

    /// The calls of some messages of a session, in the order of the messages.
    pub fn calls_of(
        &self,
        session_id: SessionId,
        messages: &[MessageId],
    ) -> Result<Vec<ToolCallView>, Error> {
        let wanted: Vec<String> = messages
            .iter()
            .map(|id| id.uuid().simple().to_string())
            .collect();
        let wanted = serde_json::Value::from(wanted).to_string();
        let found = self.call_rows(
            &calls_of_messages_sql(),
            params![session_id.uuid().as_bytes(), wanted],
        )?;
        Ok(found.into_iter().map(|call| call.view).collect())
    }

    /// Every call of the branch that is shown, in order.
    pub fn call_rows_of_path(&self, session_id: SessionId) -> Result<Vec<CallRow>, Error> {
        self.call_rows_after(session_id, 0)
    }

    /// The same, of the messages after a position.
    pub fn call_rows_after(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> Result<Vec<CallRow>, Error> {
        let (sql, id) = (&CALLS_OF_SEGMENT, session_id.uuid());
        let mut found = Vec::new();
        for segment in self.shown_path(session_id)?.into_iter().rev() {
            let values = params![id.as_bytes(), segment.branch, segment.before, after];
            found.extend(self.call_rows(sql, values)?);
        }
        Ok(found)
    }

    /// The calls that wait for a decision or are in doubt, the oldest first: of one session, or of
    /// all that are not deleted.
    pub fn open_calls(&self, session_id: Option<SessionId>) -> Result<Vec<ToolCallView>, Error> {
        let found = match session_id {
            Some(id) => self.call_rows(&open_calls_sql(OF_ONE), params![id.uuid().as_bytes()])?,
            None => self.call_rows(&open_calls_sql(OF_ALL), [])?,
        };
        Ok(found.into_iter().map(|call| call.view).collect())
    }

    /// Which of these ids of a provider's are taken by calls of a session.
    pub fn provider_ids(
        &self,
        session_id: SessionId,
        among: &[String],
    ) -> Result<HashSet<String>, Error> {
        let id = session_id.uuid().into_bytes();
        let mut taken = HashSet::new();
        for wanted in among {
            let read = |row: &Row<'_>| get(row, "provider_id");
            taken.extend(self.one::<String>(PROVIDER_IDS, params![id, wanted], read)?);
        }
        Ok(taken)
    }

    /// The calls of the newest message of a run that has any.
    pub(super) fn newest_calls(&self, run_id: RunId) -> Result<Vec<CallRow>, Error> {
        let values = [run_id.uuid().into_bytes()];
        let newest: Option<[u8; 16]> =
            self.one(NEWEST_MESSAGE_WITH_CALLS, values, |row| get(row, "id"))?;
        newest.map_or_else(
            || Ok(Vec::new()),
            |id| self.call_rows(&CALLS_OF_MESSAGE, params![id]),
        )
    }

    /// The calls of a session that are in doubt.
    pub(super) fn doubts(&self, session_id: SessionId) -> Result<Vec<CallId>, Error> {
        let values = [session_id.uuid().into_bytes()];
        self.all(&DOUBTS, values, |row| call_id(row, "id"))
    }

    fn call_rows(&self, sql: &str, values: impl Params) -> Result<Vec<CallRow>, Error> {
        let found = self.all(sql, values, |row| Ok((call_row(row)?, has_files(row)?)))?;
        let with_files = found.into_iter().map(|(mut call, has_files)| {
            if has_files {
                call.view.files = self.files_of(call.view.call_id)?;
            }
            Ok(call)
        });
        with_files.collect()
    }
}
