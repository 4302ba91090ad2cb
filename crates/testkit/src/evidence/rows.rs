//! The rows of a database, read by nobody's code but SQLite's own.

use std::collections::HashMap;

use protocol::Block;
use rusqlite::{Connection, Row};

pub(super) type Id = [u8; 16];

/// Everything that facts are held against.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) sessions: HashMap<Id, u64>,
    pub(super) messages: HashMap<Id, MessageRow>,
    pub(super) queue: HashMap<Id, String>,
    pub(super) runs: HashMap<Id, RunRow>,
    pub(super) calls: HashMap<Id, CallRow>,
    pub(super) approvals: HashMap<(Id, u32), ApprovalRow>,
    pub(super) events: HashMap<(Id, u64), (String, u64)>,
    /// Streamed text by step, attempt and block, in the order of its offsets.
    pub(super) deltas: HashMap<(Id, u32, u32), String>,
    /// The message of a step's attempt.
    pub(super) by_attempt: HashMap<(Id, u32), Id>,
    /// How often a model was about to be asked.
    pub(super) model_attempts: u64,
}

#[derive(Debug)]
pub(super) struct MessageRow {
    pub(super) is_agent: bool,
    pub(super) is_complete: bool,
    pub(super) blocks: Vec<Block>,
    pub(super) has_step: bool,
}

#[derive(Debug)]
pub(super) struct RunRow {
    pub(super) status: String,
}

#[derive(Debug)]
pub(super) struct CallRow {
    pub(super) tool: String,
    pub(super) effect: String,
    pub(super) status: String,
    pub(super) verdict: Option<String>,
    pub(super) bodies: u64,
    pub(super) argument_hash: String,
    pub(super) result: Option<String>,
    /// A fork has the calls of its history, and none of them happened for it.
    pub(super) is_copy: bool,
}

#[derive(Debug)]
pub(super) struct ApprovalRow {
    pub(super) status: String,
    pub(super) digest: String,
    pub(super) is_consumed: bool,
}

impl Rows {
    pub(super) fn load(database: &Connection) -> rusqlite::Result<Self> {
        let mut rows = Self::default();
        rows.load_sessions(database)?;
        rows.load_messages(database)?;
        rows.load_calls(database)?;
        rows.load_events(database)?;
        rows.load_deltas(database)?;
        Ok(rows)
    }

    fn load_sessions(&mut self, database: &Connection) -> rusqlite::Result<()> {
        each(database, "SELECT id, head_seq FROM sessions", |row| {
            self.sessions.insert(row.get(0)?, row.get(1)?);
            Ok(())
        })?;
        each(database, "SELECT message_id, text FROM queue", |row| {
            self.queue.insert(row.get(0)?, row.get(1)?);
            Ok(())
        })?;
        each(database, "SELECT id, status FROM runs", |row| {
            let run = RunRow {
                status: row.get(1)?,
            };
            self.runs.insert(row.get(0)?, run);
            Ok(())
        })
    }

    fn load_messages(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let sql = "SELECT id, role, status, blocks, step_id, attempt FROM messages";
        each(database, sql, |row| {
            let id: Id = row.get(0)?;
            let (role, status): (String, String) = (row.get(1)?, row.get(2)?);
            let blocks: String = row.get(3)?;
            let step: Option<Id> = row.get(4)?;
            let attempt: Option<u32> = row.get(5)?;
            if let (Some(step), Some(attempt)) = (step, attempt) {
                self.by_attempt.insert((step, attempt), id);
            }
            let message = MessageRow {
                is_agent: role == "agent",
                is_complete: status == "complete",
                blocks: serde_json::from_str(&blocks).unwrap_or_default(),
                has_step: step.is_some(),
            };
            self.messages.insert(id, message);
            Ok(())
        })
    }

    fn load_calls(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let sql =
            "SELECT id, tool, effect, status, verdict, bodies, lower(hex(argument_hash)), result,
                          step_id IS NULL AND (SELECT forked_from IS NOT NULL FROM sessions
                                          WHERE id = tool_calls.session_id)
                   FROM tool_calls";
        each(database, sql, |row| {
            let call = CallRow {
                tool: row.get(1)?,
                effect: row.get(2)?,
                status: row.get(3)?,
                verdict: row.get(4)?,
                bodies: row.get(5)?,
                argument_hash: row.get(6)?,
                result: row.get(7)?,
                is_copy: row.get(8)?,
            };
            self.calls.insert(row.get(0)?, call);
            Ok(())
        })?;
        let sql = "SELECT call_id, round, status, lower(hex(digest)), consumed_at_ms IS NOT NULL
                   FROM approvals";
        each(database, sql, |row| {
            let approval = ApprovalRow {
                status: row.get(2)?,
                digest: row.get(3)?,
                is_consumed: row.get(4)?,
            };
            self.approvals.insert((row.get(0)?, row.get(1)?), approval);
            Ok(())
        })
    }

    fn load_events(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let sql = "SELECT session_id, seq, kind, at_ms FROM events";
        each(database, sql, |row| {
            let key = (row.get(0)?, row.get(1)?);
            self.events.insert(key, (row.get(2)?, row.get(3)?));
            Ok(())
        })
    }

    fn load_deltas(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let sql = "SELECT step_id, attempt, block, body FROM deltas
                   ORDER BY step_id, attempt, block, \"offset\"";
        each(database, sql, |row| {
            let key = (row.get(0)?, row.get(1)?, row.get(2)?);
            let body: String = row.get(3)?;
            self.deltas.entry(key).or_default().push_str(&body);
            Ok(())
        })?;
        let sql = "SELECT count(*) FROM attempts JOIN steps ON steps.id = attempts.step_id
                   WHERE steps.kind = 'model_call'";
        self.model_attempts = database.query_row(sql, [], |row| row.get(0))?;
        Ok(())
    }

    /// The newest question about a call.
    pub(super) fn newest_approval(&self, call: Id) -> Option<(u32, &ApprovalRow)> {
        (1..)
            .map_while(|round| self.approvals.get(&(call, round)).map(|one| (round, one)))
            .last()
    }
}

fn each(
    database: &Connection,
    sql: &str,
    mut then: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let mut statement = database.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        then(row)?;
    }
    Ok(())
}
