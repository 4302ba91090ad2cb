//! Reading who uses which workspace, and which sessions are marked as deleted.

use std::collections::HashSet;

use protocol::SessionId;
use rusqlite::params;

use super::Reader;
use super::row::{get, session_id};
use crate::Error;

pub(super) const WORKSPACE_USERS: &str =
    "SELECT count(*) AS users FROM sessions WHERE workspace = ?1";

pub(super) const DELETED_SESSIONS: &str = "
    SELECT id FROM sessions WHERE deleted_at_ms IS NOT NULL ORDER BY deleted_at_ms, id";

impl Reader<'_> {
    /// The name of a session's workspace, or nothing if there is no such session.
    pub fn workspace_of(&self, session_id: SessionId) -> Result<Option<String>, Error> {
        self.one(
            "SELECT workspace FROM sessions WHERE id = ?1",
            params![session_id.uuid().as_bytes()],
            |row| get(row, "workspace"),
        )
    }

    /// How many sessions use a workspace. One that is marked as deleted may be taken back.
    pub fn workspace_users(&self, name: &str) -> Result<u32, Error> {
        let found = self.one(WORKSPACE_USERS, params![name], |row| get(row, "users"))?;
        Ok(found.unwrap_or(0))
    }

    /// The names of all workspaces that are in use.
    pub fn workspaces(&self) -> Result<HashSet<String>, Error> {
        let found = self.all("SELECT DISTINCT workspace FROM sessions", [], |row| {
            get(row, "workspace")
        })?;
        Ok(found.into_iter().collect())
    }

    /// The sessions that are marked as deleted, the first one first.
    pub fn deleted_sessions(&self) -> Result<Vec<SessionId>, Error> {
        self.all(DELETED_SESSIONS, [], |row| session_id(row, "id"))
    }
}
