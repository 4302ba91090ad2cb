//! A session's state: staged by its calls, merged in their order.

use std::collections::BTreeMap;

use protocol::{CallId, MessageId, SessionId};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::statement::{check_size, execute, insert, json};
use crate::{Error, StateChange};

/// What one key may hold.
const VALUE_BYTES: usize = 1024 * 1024;
/// What one change may bring.
const CHANGE_BYTES: usize = 1024 * 1024;

/// A call stages once, with its outcome: what it staged before is somebody else's outcome.
pub(super) fn stage(
    connection: &Connection,
    call_id: CallId,
    changes: &[StateChange],
) -> Result<(), Error> {
    for (ordinal, change) in changes.iter().enumerate() {
        let change = json("state", change)?;
        check_size("the change of the state", change.len(), CHANGE_BYTES)?;
        insert(
            connection,
            "INSERT INTO staged_state (call_id, ordinal, change) VALUES (?1, ?2, ?3)",
            params![call_id.uuid().as_bytes(), ordinal, change],
            "the call is gone, or has staged before",
        )?;
    }
    Ok(())
}

/// Only keys that changed are written, so that what a merge does not touch cannot be lost by it.
pub(super) fn merge(
    connection: &Connection,
    session_id: SessionId,
    message_id: MessageId,
) -> Result<(), Error> {
    let staged = staged(connection, session_id, message_id)?;
    if staged.is_empty() {
        return Ok(());
    }
    let before = current(connection, session_id)?;
    let mut after = before.clone();
    for change in staged {
        change.apply(&mut after);
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        execute(
            connection,
            "DELETE FROM state WHERE session_id = ?1 AND key = ?2",
            params![session_id.uuid().as_bytes(), key],
            "the session is gone",
        )?;
    }
    for (key, value) in after {
        if before.get(&key) == Some(&value) {
            continue;
        }
        let value = json("state", &value)?;
        check_size("a value of the state", value.len(), VALUE_BYTES)?;
        insert(
            connection,
            "INSERT INTO state (session_id, key, value) VALUES (?1, ?2, ?3)
             ON CONFLICT (session_id, key) DO UPDATE SET value = excluded.value",
            params![session_id.uuid().as_bytes(), key, value],
            "the session is gone",
        )?;
    }
    execute(
        connection,
        "DELETE FROM staged_state
         WHERE call_id IN (SELECT id FROM tool_calls WHERE message_id = ?1 AND session_id = ?2)",
        params![message_id.uuid().as_bytes(), session_id.uuid().as_bytes()],
        "the call is gone",
    )?;
    Ok(())
}

fn staged(
    connection: &Connection,
    session_id: SessionId,
    message_id: MessageId,
) -> Result<Vec<StateChange>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT staged_state.change
         FROM tool_calls JOIN staged_state ON staged_state.call_id = tool_calls.id
         WHERE tool_calls.message_id = ?1 AND tool_calls.session_id = ?2
         ORDER BY tool_calls.ordinal, staged_state.ordinal",
    )?;
    let mut rows = statement.query(params![
        message_id.uuid().as_bytes(),
        session_id.uuid().as_bytes()
    ])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        match serde_json::from_str(&row.get::<_, String>(0)?) {
            Ok(change) => found.push(change),
            Err(error) => {
                let error = error.classify();
                tracing::error!(name: "store.state.unreadable_change", %session_id, ?error);
            }
        }
    }
    Ok(found)
}

fn current(
    connection: &Connection,
    session_id: SessionId,
) -> Result<BTreeMap<String, Value>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT key, value FROM state WHERE session_id = ?1")?;
    let mut rows = statement.query(params![session_id.uuid().as_bytes()])?;
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let text: String = row.get(1)?;
        // Nothing to add to: a value that cannot be read is replaced by what comes.
        let value = serde_json::from_str(&text).unwrap_or(Value::Null);
        found.insert(row.get(0)?, value);
    }
    Ok(found)
}
