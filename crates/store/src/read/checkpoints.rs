//! Reading the ways back from file changes.

use protocol::{CallId, FileChange, RunId};
use rusqlite::params;

use super::Reader;
use super::row::{Row, call_id, get, hex, unreadable};
use crate::{Checkpoint, Error};

pub(super) const CHECKPOINTS_OF_RUN: &str = "
    SELECT tool_calls.id, checkpoints.path, checkpoints.before, blobs.body, checkpoints.after,
           checkpoints.undone_at_ms
    FROM tool_calls
    CROSS JOIN checkpoints ON checkpoints.call_id = tool_calls.id
    LEFT JOIN blobs ON blobs.hash = checkpoints.before
    WHERE tool_calls.run_id = ?1
    ORDER BY coalesce(tool_calls.started_at_ms, tool_calls.created_at_ms) DESC,
             tool_calls.created_at_ms DESC, tool_calls.ordinal DESC, tool_calls.id DESC,
             checkpoints.path";

impl Reader<'_> {
    /// The ways back from the file changes of a call.
    pub fn checkpoints_of_call(&self, call_id: CallId) -> Result<Vec<Checkpoint>, Error> {
        self.all(
            "SELECT checkpoints.path, checkpoints.before, blobs.body, checkpoints.after,
                    checkpoints.undone_at_ms
             FROM checkpoints LEFT JOIN blobs ON blobs.hash = checkpoints.before
             WHERE checkpoints.call_id = ?1
             ORDER BY checkpoints.path",
            params![call_id.uuid().as_bytes()],
            checkpoint,
        )
    }

    /// The ways back from all file changes of a run: the call that was started last comes first.
    pub fn checkpoints_of_run(&self, run_id: RunId) -> Result<Vec<(CallId, Checkpoint)>, Error> {
        let values = [run_id.uuid().into_bytes()];
        self.all(CHECKPOINTS_OF_RUN, values, |row| {
            Ok((call_id(row, "id")?, checkpoint(row)?))
        })
    }

    /// The files that a call changed, without what they held.
    pub(super) fn files_of(&self, call_id: CallId) -> Result<Vec<FileChange>, Error> {
        self.all(
            "SELECT path, before, after, undone_at_ms
             FROM checkpoints
             WHERE call_id = ?1
             ORDER BY path",
            params![call_id.uuid().as_bytes()],
            |row| {
                Ok(FileChange {
                    path: get(row, "path")?,
                    before: get::<Option<_>>(row, "before")?.map(hex),
                    after: hex(get(row, "after")?),
                    undone_at_ms: get(row, "undone_at_ms")?,
                })
            },
        )
    }
}

/// What a file held that is gone must not look like a file that did not exist: undoing that would
/// remove it.
fn checkpoint(row: &Row<'_>) -> Result<Checkpoint, Error> {
    let hash: Option<Vec<u8>> = get(row, "before")?;
    let before: Option<Vec<u8>> = get(row, "body")?;
    if hash.is_some() && before.is_none() {
        return Err(unreadable("checkpoint", &"what the file held is gone"));
    }
    Ok(Checkpoint {
        path: get(row, "path")?,
        before,
        after: get(row, "after")?,
        undone_at_ms: get(row, "undone_at_ms")?,
    })
}
