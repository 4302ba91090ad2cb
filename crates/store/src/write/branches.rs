//! The lifecycle of branches: started from the one that is shown, selected, never removed.

use protocol::{BranchView, SessionId};
use rusqlite::{Connection, params};

use super::statement::{insert, update_one};
use crate::Error;

/// The row of the session is compared first, so that two branches cannot leave the same state.
pub(super) fn start(
    connection: &Connection,
    session_id: SessionId,
    branch: &BranchView,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE sessions
         SET branch = ?2, message_count = ?4 - 1, newest_run_id = NULL
         WHERE id = ?1 AND branch = ?3 AND message_count + 1 >= ?4
           AND ?2 = (SELECT max(branch) + 1 FROM branches WHERE session_id = ?1)",
        params![
            session_id.uuid().as_bytes(),
            branch.branch,
            branch.parent,
            branch.from_position
        ],
        "another branch is shown, or was started first",
    )?;
    insert(
        connection,
        "INSERT INTO branches (session_id, branch, parent, from_position, created_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            session_id.uuid().as_bytes(),
            branch.branch,
            branch.parent,
            branch.from_position,
            branch.created_at_ms
        ],
        "the branch exists",
    )
}

/// A branch that has no message of its own is as long as what it took along.
pub(super) fn select(
    connection: &Connection,
    session_id: SessionId,
    from: u32,
    to: u32,
) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE sessions
         SET branch = ?3,
             message_count = coalesce(
                 (SELECT max(position) FROM messages WHERE session_id = ?1 AND branch = ?3),
                 (SELECT from_position - 1 FROM branches WHERE session_id = ?1 AND branch = ?3)),
             newest_run_id = (SELECT id FROM runs
                              WHERE session_id = ?1 AND branch = ?3
                              ORDER BY created_at_ms DESC, id DESC
                              LIMIT 1)
         WHERE id = ?1 AND branch = ?2
           AND EXISTS (SELECT 1 FROM branches WHERE session_id = ?1 AND branch = ?3)",
        params![session_id.uuid().as_bytes(), from, to],
        "another branch is shown",
    )
}
