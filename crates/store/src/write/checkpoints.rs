//! The ways back from file changes: noted before the change, undone once.

use protocol::CallId;
use rusqlite::{Connection, params};

use super::statement::{check_size, check_text, execute, insert, update_one};
use crate::{Checkpoint, Error};

/// What a file may hold that is kept as a way back.
const BLOB_BYTES: usize = 32 * 1024 * 1024;

/// A call whose body is started again finds its own change in the file: what was noted first is
/// what it held.
pub(super) fn add(
    connection: &Connection,
    call_id: CallId,
    checkpoint: &Checkpoint,
) -> Result<(), Error> {
    check_text("the path", Some(&checkpoint.path))?;
    let is_there = connection
        .prepare_cached("SELECT 1 FROM checkpoints WHERE call_id = ?1 AND path = ?2")?
        .exists(params![call_id.uuid().as_bytes(), checkpoint.path])?;
    if is_there {
        return Ok(());
    }
    let before = checkpoint
        .before
        .as_deref()
        .map(|body| blob(connection, body))
        .transpose()?;
    insert(
        connection,
        "INSERT INTO checkpoints (call_id, path, before, after, undone_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            call_id.uuid().as_bytes(),
            checkpoint.path,
            before,
            checkpoint.after,
            checkpoint.undone_at_ms
        ],
        "the call is gone",
    )
}

/// Files that held the same share it.
pub(super) fn blob(connection: &Connection, body: &[u8]) -> Result<[u8; 32], Error> {
    check_size("what the file held", body.len(), BLOB_BYTES)?;
    let hash: [u8; 32] = blake3::hash(body).into();
    execute(
        connection,
        "INSERT INTO blobs (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING",
        params![hash, body],
        "what the file held changed",
    )?;
    Ok(hash)
}

pub(super) fn mark_undone(
    connection: &Connection,
    call_id: CallId,
    path: &str,
    at_ms: u64,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE checkpoints
         SET undone_at_ms = ?3
         WHERE call_id = ?1 AND path = ?2 AND undone_at_ms IS NULL",
        params![call_id.uuid().as_bytes(), path, at_ms],
        "the change was undone before",
    )
}
