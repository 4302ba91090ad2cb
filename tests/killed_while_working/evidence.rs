//! What the database and the ledger say, read by nobody's code but SQLite's own.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use testkit::{Ledger, Phase};

use super::driver::Acknowledged;

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Effects that must not be repeated.
    pub(super) once: u64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the file is read from outside the store's door"
)]
fn open(data: &Path) -> Result<Connection> {
    let path = data.join("holdfast.db");
    Ok(Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?)
}

/// Every acknowledged row is there, and the rows agree with each other.
pub(super) fn check_rows(data: &Path, acknowledged: &Acknowledged) -> Result<()> {
    let database = open(data)?;
    let sound: String = database.query_row("PRAGMA quick_check", [], |row| row.get(0))?;
    ensure!(sound == "ok", "quick_check: {sound}");
    for message_id in &acknowledged.messages {
        let found: bool = database.query_row(
            "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1
                            UNION ALL SELECT 1 FROM queue WHERE message_id = ?1)",
            params![message_id.uuid().as_bytes()],
            |row| row.get(0),
        )?;
        ensure!(
            found,
            "the message {message_id} was acknowledged and is lost"
        );
    }
    for (call_id, status) in &acknowledged.decided {
        let found: Option<String> = database
            .query_row(
                "SELECT status FROM approvals WHERE call_id = ?1 ORDER BY round DESC LIMIT 1",
                params![call_id.uuid().as_bytes()],
                |row| row.get(0),
            )
            .optional()?;
        let is_same = found.as_deref() == Some(status.as_str());
        ensure!(
            is_same,
            "{call_id} was {} and is {found:?}",
            status.as_str()
        );
    }
    for (call_id, status) in &acknowledged.settled {
        let found: String = database.query_row(
            "SELECT status FROM tool_calls WHERE id = ?1",
            params![call_id.uuid().as_bytes()],
            |row| row.get(0),
        )?;
        ensure!(
            found == status.as_str(),
            "{call_id} was settled and is {found}"
        );
    }
    check_agreement(&database)
}

/// Dense events, at most one live run, no call that goes on without its run.
fn check_agreement(database: &Connection) -> Result<()> {
    for (what, sql) in [
        (
            "events are not dense",
            "SELECT count(*) FROM sessions WHERE head_seq <>
                 (SELECT count(*) FROM events WHERE session_id = sessions.id)
              OR head_seq <> (SELECT max(seq) FROM events WHERE session_id = sessions.id)",
        ),
        (
            "two live runs",
            "SELECT count(*) FROM (SELECT session_id FROM runs
                 WHERE status IN ('queued', 'running', 'waiting')
                 GROUP BY session_id HAVING count(*) > 1)",
        ),
        (
            "an open call of a run that completed",
            "SELECT count(*) FROM tool_calls JOIN runs ON runs.id = tool_calls.run_id
             WHERE runs.status = 'completed' AND tool_calls.status IN
                 ('proposed', 'waiting', 'ready', 'running', 'in_doubt')",
        ),
        (
            "a pending question of a call that does not wait",
            "SELECT count(*) FROM approvals JOIN tool_calls ON tool_calls.id = approvals.call_id
             WHERE approvals.status = 'pending' AND tool_calls.status <> 'waiting'",
        ),
        (
            "a run with two ends",
            "SELECT count(*) FROM (SELECT body ->> 'run_id' AS run FROM events
                 WHERE kind IN ('run_completed', 'run_failed', 'run_cancelled')
                 GROUP BY run HAVING count(*) > 1)",
        ),
    ] {
        let found: u64 = database.query_row(sql, [], |row| row.get(0))?;
        ensure!(found == 0, "{what}: {found}");
    }
    Ok(())
}

/// What really happened against what the rows say of it.
pub(super) fn check_ledger(data: &Path, ledger: &Ledger) -> Result<Counts> {
    let database = open(data)?;
    let mut effects: HashMap<String, u64> = HashMap::new();
    for entry in ledger.entries()? {
        if entry.phase == Phase::Effect {
            *effects.entry(entry.effect_key).or_default() += 1;
        }
    }
    let mut counts = Counts::default();
    let mut statement = database.prepare(
        "SELECT effect_key, effect, status, bodies,
                (SELECT status FROM approvals WHERE call_id = tool_calls.id
                 ORDER BY round DESC LIMIT 1),
                verdict
         FROM tool_calls",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (key, effect): (String, String) = (row.get(0)?, row.get(1)?);
        let (status, bodies): (String, u64) = (row.get(2)?, row.get(3)?);
        let (approval, verdict): (Option<String>, Option<String>) = (row.get(4)?, row.get(5)?);
        let done = effects.remove(&key).unwrap_or(0);
        ensure!(done <= bodies, "{key}: {done} effects of {bodies} bodies");
        if effect == "once" {
            ensure!(
                done <= 1,
                "{key} must not be repeated and happened {done} times"
            );
            counts.once += done;
        }
        // Settled as "it happened" by the driver, it may or may not have.
        if status == "completed" && effect != "once" {
            ensure!(done >= 1, "{key} is completed and never happened");
        }
        let was_asked = verdict.as_deref() == Some("ask");
        if done > 0 && was_asked && approval.as_deref() != Some("allowed") {
            bail!("{key} happened without being allowed: {approval:?}");
        }
        if matches!(status.as_str(), "denied" | "waiting") {
            ensure!(done == 0, "{key} is {status} and happened");
        }
    }
    ensure!(effects.is_empty(), "effects without an intent: {effects:?}");
    Ok(counts)
}
