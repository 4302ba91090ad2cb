//! Summaries: added, never changed.

use protocol::{SessionId, SummaryView, limits};
use rusqlite::{Connection, params};

use super::statement::{check_size, update_one};
use crate::Error;

pub(super) fn add(
    connection: &Connection,
    session_id: SessionId,
    summary: &SummaryView,
) -> Result<(), Error> {
    check_size("the summary", summary.text.len(), limits::SUMMARY_BYTES)?;
    update_one(
        connection,
        "INSERT INTO summaries (session_id, branch, position, kept, model, created_at_ms, body)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
         WHERE EXISTS (SELECT 1 FROM messages
                       WHERE session_id = ?1 AND branch = ?2 AND position = ?3)",
        params![
            session_id.uuid().as_bytes(),
            summary.branch,
            summary.position,
            summary.kept,
            summary.model,
            summary.created_at_ms,
            summary.text,
        ],
        "there is such a summary, or its message is gone",
    )
}
