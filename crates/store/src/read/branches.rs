//! Reading branches, and the way from the one that is shown back to the beginning.

use protocol::{BranchView, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::get;
use crate::Error;

/// The own messages of one branch that are part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) branch: u32,
    /// Only those before this position.
    pub(super) before: u64,
}

impl Reader<'_> {
    /// Every branch of a session, in order.
    pub fn branches(&self, session_id: SessionId) -> Result<Vec<BranchView>, Error> {
        self.all(
            "SELECT branch, parent, from_position, created_at_ms
             FROM branches
             WHERE session_id = ?1
             ORDER BY branch",
            params![session_id.uuid().as_bytes()],
            |row| {
                Ok(BranchView {
                    branch: get(row, "branch")?,
                    parent: get(row, "parent")?,
                    from_position: get(row, "from_position")?,
                    created_at_ms: get(row, "created_at_ms")?,
                })
            },
        )
    }

    /// The branch that is shown, or nothing if there is no such session.
    pub fn shown_branch(&self, session_id: SessionId) -> Result<Option<u32>, Error> {
        self.one(
            "SELECT branch FROM sessions WHERE id = ?1",
            params![session_id.uuid().as_bytes()],
            |row| get(row, "branch"),
        )
    }

    /// The path of the branch that is shown, newest part first. A branch may have been left before
    /// its own beginning: then nothing of it is in the path, and less of its parent.
    pub(super) fn shown_path(&self, session_id: SessionId) -> Result<Vec<Segment>, Error> {
        let id = session_id.uuid().into_bytes();
        let shown = self.shown_branch(session_id)?;
        let mut path: Vec<Segment> = Vec::new();
        let (mut next, mut before) = (shown, i64::MAX.unsigned_abs());
        while let Some(branch) = next {
            // Parents have smaller numbers; damage must not make this walk for ever.
            if path.last().is_some_and(|last| branch >= last.branch) {
                tracing::error!(name: "store.branch.parent_not_before", %session_id, branch);
                break;
            }
            path.push(Segment { branch, before });
            let found: Option<(Option<u32>, u64)> = self.one(
                "SELECT parent, from_position
                 FROM branches
                 WHERE session_id = ?1 AND branch = ?2",
                params![id, branch],
                |row| Ok((get(row, "parent")?, get(row, "from_position")?)),
            )?;
            let (parent, from_position) = found.unwrap_or((None, 1));
            before = before.min(from_position);
            next = parent;
        }
        Ok(path)
    }
}
