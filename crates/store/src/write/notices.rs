//! Notifications that were shown: one per run and kind, over restarts.

use protocol::{AttentionKind, RunId};
use rusqlite::{Connection, params};

use super::statement::insert;
use crate::Error;

pub(super) fn note(
    connection: &Connection,
    run_id: RunId,
    kind: AttentionKind,
    at_ms: u64,
) -> Result<(), Error> {
    insert(
        connection,
        "INSERT INTO notices (run_id, kind, shown_at_ms) VALUES (?1, ?2, ?3)
         ON CONFLICT (run_id, kind) DO NOTHING",
        params![run_id.uuid().as_bytes(), stored_kind(kind), at_ms],
        "the run is gone",
    )
}

/// The stored form, also for whoever looks it up.
pub(crate) const fn stored_kind(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Interrupted => "interrupted",
        AttentionKind::Waiting => "waiting",
        AttentionKind::InDoubt => "in_doubt",
        AttentionKind::Stopped => "stopped",
        AttentionKind::Failed => "failed",
    }
}
