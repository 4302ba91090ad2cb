//! Small facts about how a session stands.

use protocol::{RunId, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::{call_id, get};
use crate::{CallRow, Error};

pub(super) const RUNNING_CALLS: &str = "
    SELECT id FROM tool_calls
    WHERE session_id = ?1
      AND status = 'running'
    ORDER BY id";

impl Reader<'_> {
    /// Every call of a session that runs, whatever has become of its run.
    pub fn running_calls(&self, session_id: SessionId) -> Result<Vec<CallRow>, Error> {
        let values = [session_id.uuid().into_bytes()];
        let ids = self.all(RUNNING_CALLS, values, |row| call_id(row, "id"))?;
        let mut calls = Vec::with_capacity(ids.len());
        for id in ids {
            calls.extend(self.call(id)?);
        }
        Ok(calls)
    }

    /// Whether the person has seen that a run failed.
    pub fn is_dismissed(&self, run_id: RunId) -> Result<bool, Error> {
        let sql = "SELECT dismissed_at_ms IS NOT NULL AS seen FROM runs WHERE id = ?1";
        let seen = self.one(sql, params![run_id.uuid().as_bytes()], |row| {
            get(row, "seen")
        })?;
        Ok(seen.unwrap_or(false))
    }

    /// The branch that a session shows, and the name of its workspace.
    pub fn branch_and_workspace(&self, id: SessionId) -> Result<Option<(u32, String)>, Error> {
        let sql = "SELECT branch, workspace FROM sessions WHERE id = ?1";
        self.one(sql, params![id.uuid().as_bytes()], |row| {
            Ok((get(row, "branch")?, get(row, "workspace")?))
        })
    }
}
