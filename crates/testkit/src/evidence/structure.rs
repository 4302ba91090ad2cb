//! I6, I7, I8, I12, I13: what must be true of the rows among themselves.

use anyhow::{Result, ensure};
use rusqlite::Connection;

/// Each finds what must not be.
const NEVER: [(&str, &str); 10] = [
    (
        "I6: events are not dense, or the head is not the newest",
        "SELECT count(*) FROM sessions
         LEFT JOIN (SELECT session_id, count(*) AS number, max(seq) AS newest FROM events
                    GROUP BY session_id) AS log ON log.session_id = sessions.id
         WHERE head_seq <> coalesce(number, 0) OR head_seq <> coalesce(newest, 0)",
    ),
    (
        "I6: two live runs",
        "SELECT count(*) FROM (SELECT session_id FROM runs
             WHERE status IN ('queued', 'running', 'waiting')
             GROUP BY session_id HAVING count(*) > 1)",
    ),
    (
        "I7: streamed text that outlived its attempt",
        "SELECT count(*) FROM deltas LEFT JOIN attempts USING (step_id, attempt)
         WHERE attempts.status IS NOT 'running'",
    ),
    (
        "I7: streamed text with a gap",
        "SELECT count(*) FROM (SELECT \"offset\", coalesce(sum(length(CAST(body AS BLOB))) OVER (
                 PARTITION BY step_id, attempt, block ORDER BY \"offset\"
                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM deltas)
         WHERE \"offset\" <> before",
    ),
    (
        "I8: a run with two ends",
        "SELECT count(*) FROM (SELECT body ->> 'run_id' AS run FROM events
             WHERE kind IN ('run_completed', 'run_failed', 'run_cancelled')
             GROUP BY run HAVING count(*) > 1)",
    ),
    (
        "I8: a run that ended and goes on",
        "SELECT count(*) FROM events JOIN runs
             ON runs.id = unhex(replace(events.body ->> 'run_id', '-', ''))
         WHERE kind IN ('run_completed', 'run_failed', 'run_cancelled')
           AND 'run_' || runs.status <> kind",
    ),
    (
        "I9: a pending question of a call that does not wait, or the reverse",
        "SELECT count(*) FROM tool_calls
         WHERE (status = 'waiting') <> EXISTS (SELECT 1 FROM approvals
             WHERE call_id = tool_calls.id AND status = 'pending')",
    ),
    (
        "I11: an open call of a run that completed",
        "SELECT count(*) FROM tool_calls JOIN runs ON runs.id = tool_calls.run_id
         WHERE runs.status = 'completed' AND tool_calls.status IN
             ('proposed', 'waiting', 'ready', 'running', 'in_doubt')",
    ),
    (
        "I12: a step with two outcomes",
        "SELECT count(*) FROM (SELECT step_id FROM attempts
             WHERE status IN ('running', 'completed') GROUP BY step_id HAVING count(*) > 1)",
    ),
    (
        "I13: a question that expired early, or a model that was asked again early",
        "SELECT (SELECT count(*) FROM approvals JOIN tool_calls ON tool_calls.id = approvals.call_id
                 WHERE approvals.status = 'expired' AND ended_at_ms < expires_at_ms)
              + (SELECT count(*) FROM events AS planned JOIN events AS next
                     ON next.session_id = planned.session_id AND next.seq =
                        (SELECT min(seq) FROM events
                         WHERE session_id = planned.session_id AND seq > planned.seq
                           AND kind IN ('step_started', 'run_resumed', 'run_stopped',
                                        'run_interrupted', 'run_cancelled'))
                 WHERE planned.kind = 'retry_scheduled' AND next.kind = 'step_started'
                   AND next.at_ms < planned.body ->> '$.retry.at_ms')",
    ),
];

pub(super) fn check(database: &Connection) -> Result<()> {
    let mut sound = database.prepare_cached("PRAGMA quick_check")?;
    let sound: String = sound.query_row([], |row| row.get(0))?;
    ensure!(sound == "ok", "I12: quick_check says {sound}");
    let mut keys = database.prepare_cached("PRAGMA foreign_key_check")?;
    ensure!(!keys.exists([])?, "I12: a foreign key leads nowhere");
    for (what, sql) in NEVER {
        let found: u64 = database
            .prepare_cached(sql)?
            .query_row([], |row| row.get(0))?;
        ensure!(found == 0, "{what}: {found}");
    }
    Ok(())
}

/// What recovery leaves, as lines that can be compared (I10): everything that has a status, without
/// what starts by itself afterwards.
pub fn recovered_state(database: &Connection) -> Result<Vec<String>> {
    let sql = "
        SELECT 'run ' || hex(id) || ' ' || status || ' ' || coalesce(reason, '-') || ' ' || crashes
        FROM runs WHERE session_id NOT IN (SELECT session_id FROM queue)
        UNION ALL
        SELECT 'call ' || hex(id) || ' ' || status || ' ' || bodies FROM tool_calls
        UNION ALL
        SELECT 'approval ' || hex(call_id) || ' ' || round || ' ' || status FROM approvals
        UNION ALL
        SELECT 'message ' || hex(id) || ' ' || status || ' ' || blocks FROM messages
        UNION ALL
        SELECT 'delta ' || hex(step_id) || ' ' || attempt || ' ' || body FROM deltas
        ORDER BY 1";
    let mut statement = database.prepare(sql)?;
    let lines = statement.query_map([], |row| row.get(0))?;
    Ok(lines.collect::<rusqlite::Result<_>>()?)
}
