//! What is due at a time, and when something will be.

use protocol::{CallId, RunId, SessionId};
use rusqlite::params;

use super::Reader;
use super::row::{call_id, get, run_id, session_id};
use crate::Error;

/// Something whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// A question that nobody answered in time.
    Approval {
        /// The session.
        session_id: SessionId,
        /// The call.
        call_id: CallId,
    },
    /// A model call that is to be made again.
    Retry {
        /// The session.
        session_id: SessionId,
        /// The run.
        run_id: RunId,
    },
    /// A call in doubt that is to be looked at again.
    Check {
        /// The session.
        session_id: SessionId,
        /// The call.
        call_id: CallId,
    },
    /// Attachments that no message was sent with in time.
    Attachments,
    /// A deleted session whose undo time is over.
    Purge {
        /// The session.
        session_id: SessionId,
    },
}

/// The earliest of each kind, each along the index of its times.
pub(super) const NEXT_DUE: &str = "
    SELECT (SELECT expires_at_ms FROM approvals
            WHERE status = 'pending' AND expires_at_ms IS NOT NULL
            ORDER BY expires_at_ms LIMIT 1) AS approval,
           (SELECT retry_at_ms FROM runs
            WHERE retry_at_ms IS NOT NULL
            ORDER BY retry_at_ms LIMIT 1) AS retry,
           (SELECT next_check_at_ms FROM tool_calls
            WHERE next_check_at_ms IS NOT NULL
            ORDER BY next_check_at_ms LIMIT 1) AS \"check\",
           (SELECT deleted_at_ms FROM sessions
            WHERE deleted_at_ms IS NOT NULL
            ORDER BY deleted_at_ms LIMIT 1) AS deleted,
           (SELECT expires_at_ms FROM attachments
            WHERE expires_at_ms IS NOT NULL
            ORDER BY expires_at_ms LIMIT 1) AS attachments";

pub(super) const DUE_APPROVALS: &str = "
    SELECT tool_calls.session_id, approvals.call_id
    FROM approvals
    CROSS JOIN tool_calls ON tool_calls.id = approvals.call_id
    WHERE approvals.status = 'pending' AND approvals.expires_at_ms IS NOT NULL
      AND approvals.expires_at_ms <= ?1
    ORDER BY approvals.expires_at_ms";

pub(super) const DUE_RETRIES: &str = "
    SELECT session_id, id FROM runs
    WHERE retry_at_ms IS NOT NULL AND retry_at_ms <= ?1
    ORDER BY retry_at_ms";

pub(super) const DUE_CHECKS: &str = "
    SELECT session_id, id FROM tool_calls
    WHERE next_check_at_ms IS NOT NULL AND next_check_at_ms <= ?1
    ORDER BY next_check_at_ms";

pub(super) const DUE_ATTACHMENTS: &str = "
    SELECT 1 FROM attachments
    WHERE expires_at_ms IS NOT NULL AND expires_at_ms <= ?1
    LIMIT 1";

pub(super) const DUE_PURGES: &str = "
    SELECT id FROM sessions
    WHERE deleted_at_ms IS NOT NULL AND deleted_at_ms <= ?1
    ORDER BY deleted_at_ms";

impl Reader<'_> {
    /// When something is due next. A session that is deleted can be taken back for `undo_ms`.
    pub fn next_due(&self, undo_ms: u64) -> Result<Option<u64>, Error> {
        let found = self.one(NEXT_DUE, [], |row| {
            let deleted: Option<u64> = get(row, "deleted")?;
            let times: [Option<u64>; 5] = [
                get(row, "approval")?,
                get(row, "retry")?,
                get(row, "check")?,
                deleted.map(|at_ms| at_ms.saturating_add(undo_ms)),
                get(row, "attachments")?,
            ];
            Ok(times.into_iter().flatten().min())
        })?;
        Ok(found.flatten())
    }

    /// What is due now, each kind in the order of its times.
    pub fn due(&self, now_ms: u64, undo_ms: u64) -> Result<Vec<Due>, Error> {
        let mut found = self.all(DUE_APPROVALS, params![now_ms], |row| {
            Ok(Due::Approval {
                session_id: session_id(row, "session_id")?,
                call_id: call_id(row, "call_id")?,
            })
        })?;
        found.extend(self.all(DUE_RETRIES, params![now_ms], |row| {
            Ok(Due::Retry {
                session_id: session_id(row, "session_id")?,
                run_id: run_id(row, "id")?,
            })
        })?);
        found.extend(self.all(DUE_CHECKS, params![now_ms], |row| {
            Ok(Due::Check {
                session_id: session_id(row, "session_id")?,
                call_id: call_id(row, "id")?,
            })
        })?);
        found.extend(self.one(DUE_ATTACHMENTS, params![now_ms], |_| Ok(Due::Attachments))?);
        if let Some(deleted_until) = now_ms.checked_sub(undo_ms) {
            found.extend(self.all(DUE_PURGES, params![deleted_until], |row| {
                Ok(Due::Purge {
                    session_id: session_id(row, "id")?,
                })
            })?);
        }
        Ok(found)
    }
}
