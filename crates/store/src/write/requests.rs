//! Requests that were answered with something else than a run of their own.

use protocol::{MessageId, SessionId};
use rusqlite::{Connection, params};

use super::statement::{check_text, update_one};
use crate::Error;

/// One key has one answer, here or as a run.
pub(super) fn note(
    connection: &Connection,
    request_key: &str,
    session_id: SessionId,
    message_id: MessageId,
) -> Result<(), Error> {
    check_text("the request key", Some(request_key))?;
    update_one(
        connection,
        "INSERT INTO requests (request_key, session_id, message_id)
         SELECT ?1, ?2, ?3
         WHERE NOT EXISTS (SELECT 1 FROM runs WHERE request_key = ?1)",
        params![
            request_key,
            session_id.uuid().as_bytes(),
            message_id.uuid().as_bytes()
        ],
        "the request was made before, or the session is gone",
    )
}
