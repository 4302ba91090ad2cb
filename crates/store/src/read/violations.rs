//! What must be true of a session's rows and is not. Told, never repaired.

use protocol::SessionId;
use rusqlite::params;

use super::Reader;
use super::row::get;
use crate::Error;

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// What, in one sentence.
    pub what: String,
    /// Where.
    pub session_id: Option<SessionId>,
}

/// Each finds a row where something is wrong with session ?1, and nothing where all is well. All go
/// along the keys of the one session, or begin with what is staged, which is only what is under way.
pub(super) const CHECKS: [(&str, &str); 10] = [
    (
        "It has more than one live run.",
        "SELECT 1 FROM runs
         WHERE session_id = ?1 AND status IN ('queued', 'running', 'waiting')
         GROUP BY session_id
         HAVING count(*) > 1",
    ),
    (
        "Its newest run is gone or belongs to another session.",
        "SELECT 1 FROM sessions
         WHERE id = ?1 AND newest_run_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM runs
                           WHERE runs.id = sessions.newest_run_id AND runs.session_id = ?1)",
    ),
    (
        "Its events are not dense, or its newest seq is another than it says.",
        "SELECT 1 FROM sessions
         WHERE id = ?1
           AND (head_seq <> (SELECT coalesce(max(seq), 0) FROM events WHERE session_id = ?1)
                OR head_seq <> (SELECT count(*) FROM events WHERE session_id = ?1))",
    ),
    (
        "A call is running without a running attempt.",
        "SELECT 1 FROM tool_calls
         WHERE session_id = ?1
           AND status = 'running'
           AND NOT EXISTS (SELECT 1 FROM attempts
                           WHERE attempts.step_id = tool_calls.step_id
                             AND attempts.status = 'running')",
    ),
    (
        "An attempt is running without a running call.",
        "SELECT 1
         FROM runs
         CROSS JOIN steps ON steps.run_id = runs.id AND steps.kind = 'tool_call'
         CROSS JOIN attempts ON attempts.step_id = steps.id AND attempts.status = 'running'
         WHERE runs.session_id = ?1
           AND NOT EXISTS (SELECT 1 FROM tool_calls
                           WHERE tool_calls.session_id = ?1
                             AND tool_calls.status = 'running'
                             AND tool_calls.step_id = steps.id)",
    ),
    (
        "A question is pending for a call that does not wait.",
        "SELECT 1
         FROM tool_calls AS ids
         CROSS JOIN approvals ON approvals.call_id = ids.id AND approvals.status = 'pending'
         CROSS JOIN tool_calls ON tool_calls.id = ids.id AND tool_calls.status <> 'waiting'
         WHERE ids.session_id = ?1",
    ),
    (
        "A call waits for a decision that nobody is asked for.",
        "SELECT 1 FROM tool_calls
         WHERE session_id = ?1
           AND status = 'waiting'
           AND NOT EXISTS (SELECT 1 FROM approvals
                           WHERE approvals.call_id = tool_calls.id
                             AND approvals.status = 'pending')",
    ),
    (
        "What calls staged was not merged though all calls of their message are over.",
        "SELECT 1
         FROM staged_state
         CROSS JOIN tool_calls ON tool_calls.id = staged_state.call_id
         WHERE tool_calls.session_id = ?1
           AND NOT EXISTS (SELECT 1 FROM tool_calls AS others
                           WHERE others.message_id = tool_calls.message_id
                             AND others.status IN (
                                 'proposed', 'waiting', 'ready', 'running', 'in_doubt'))",
    ),
    (
        "A message that waits was written before.",
        "SELECT 1
         FROM queue CROSS JOIN messages ON messages.id = queue.message_id
         WHERE queue.session_id = ?1",
    ),
    (
        "A message that waits has no place in the queue.",
        "SELECT 1 FROM queue WHERE session_id = ?1 AND position < 1",
    ),
];

impl Reader<'_> {
    /// What is wrong with these sessions.
    pub fn violations(&self, sessions: &[SessionId]) -> Result<Vec<Violation>, Error> {
        let mut found = Vec::new();
        for session_id in sessions {
            let mut note = |what: String| {
                found.push(Violation {
                    what,
                    session_id: Some(*session_id),
                });
            };
            for (what, sql) in CHECKS {
                let values = [session_id.uuid().into_bytes()];
                if self.one(sql, values, |_| Ok(()))?.is_some() {
                    note(what.to_owned());
                }
            }
            let (said, real) = self.message_counts(*session_id)?;
            if said != real {
                note(format!(
                    "It says that it has {said} messages, and has {real}."
                ));
            }
        }
        Ok(found)
    }

    /// How many messages a session says that its shown branch has, and how many there are.
    fn message_counts(&self, session_id: SessionId) -> Result<(u64, u64), Error> {
        let id = session_id.uuid().into_bytes();
        let said = self.one(
            "SELECT message_count FROM sessions WHERE id = ?1",
            params![id],
            |row| get(row, "message_count"),
        )?;
        let mut real = 0;
        for segment in self.shown_path(session_id)? {
            let count: Option<u64> = self.one(
                "SELECT count(*) AS messages FROM messages
                 WHERE session_id = ?1 AND branch = ?2 AND position < ?3",
                params![id, segment.branch, segment.before],
                |row| get(row, "messages"),
            )?;
            real += count.unwrap_or(0);
        }
        Ok((said.unwrap_or(0), real))
    }
}
