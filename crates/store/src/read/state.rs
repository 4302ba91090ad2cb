//! Reading a session's state, kept by its tools.

use std::collections::BTreeMap;

use protocol::SessionId;
use rusqlite::params;
use serde_json::Value;

use super::Reader;
use super::row::{get, json_or_drop};
use crate::Error;

impl Reader<'_> {
    /// The state of a session. A value that cannot be read is left out.
    pub fn state(&self, session_id: SessionId) -> Result<BTreeMap<String, Value>, Error> {
        let found = self.all(
            "SELECT key, value FROM state WHERE session_id = ?1",
            params![session_id.uuid().as_bytes()],
            |row| Ok((get(row, "key")?, json_or_drop(row, "value"))),
        )?;
        let readable = found
            .into_iter()
            .filter_map(|(key, value)| value.map(|value| (key, value)));
        Ok(readable.collect())
    }
}
