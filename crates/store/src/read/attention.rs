//! What a person must know about a run that waits for them.

use protocol::{CallId, Message, RunId};
use rusqlite::params;

use super::Reader;
use super::row::{call_id, get};
use crate::Error;

/// Facts about a halted run, for the resume panel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionFacts {
    /// The text of the message that started the run.
    pub asked: String,
    /// What the last call that ended well did, in words.
    pub last_done: Option<String>,
    /// Calls whose outcome is unknown, in words.
    pub unknown: Vec<(CallId, String)>,
    /// Calls that have not started, in words, and whether they wait for a decision.
    pub not_started: Vec<(CallId, String, bool)>,
    /// Steps that were cut off.
    pub steps_interrupted: u32,
    /// Characters kept of the newest partial reply.
    pub partial_chars: u64,
}

/// A call in words: the line of its preview, or else the name of the tool.
const SUMMARY: &str = "
    coalesce(CASE WHEN json_valid(preview)
                  THEN CAST(json_extract(preview, '$.summary') AS TEXT) END, tool) AS summary";

pub(super) fn last_done_sql() -> String {
    format!(
        "SELECT {SUMMARY} FROM tool_calls
         WHERE run_id = ?1 AND status = 'completed'
         ORDER BY ended_at_ms DESC
         LIMIT 1"
    )
}

pub(super) fn open_of_run_sql() -> String {
    format!(
        "SELECT id, status, {SUMMARY} FROM tool_calls
         WHERE run_id = ?1 AND status IN ('proposed', 'waiting', 'ready', 'in_doubt')
         ORDER BY created_at_ms, ordinal, id"
    )
}

impl Reader<'_> {
    /// Facts about a halted run. What cannot be read is left out.
    pub fn attention_facts(&self, run_id: RunId) -> Result<AttentionFacts, Error> {
        let id = run_id.uuid().into_bytes();
        let asked = self.one(
            "SELECT messages.blocks
             FROM runs JOIN messages ON messages.id = runs.message_id
             WHERE runs.id = ?1",
            params![id],
            |row| get(row, "blocks"),
        )?;
        let interrupted = self.one(
            "SELECT count(*) AS steps FROM steps WHERE run_id = ?1 AND status = 'interrupted'",
            params![id],
            |row| get(row, "steps"),
        )?;
        let partial = self.one(
            "SELECT blocks FROM messages
             WHERE run_id = ?1 AND status = 'partial'
             ORDER BY position DESC LIMIT 1",
            params![id],
            |row| get(row, "blocks"),
        )?;
        let mut facts = AttentionFacts {
            asked: text_of(run_id, asked),
            last_done: self.one(&last_done_sql(), params![id], |row| get(row, "summary"))?,
            steps_interrupted: interrupted.unwrap_or(0),
            partial_chars: text_of(run_id, partial).chars().count() as u64,
            ..AttentionFacts::default()
        };
        let open = self.all(&open_of_run_sql(), params![id], |row| {
            let status: String = get(row, "status")?;
            Ok((call_id(row, "id")?, get(row, "summary")?, status))
        })?;
        for (call_id, summary, status) in open {
            if status == "in_doubt" {
                facts.unknown.push((call_id, summary));
            } else {
                facts
                    .not_started
                    .push((call_id, summary, status == "waiting"));
            }
        }
        Ok(facts)
    }
}

fn text_of(run_id: RunId, blocks: Option<String>) -> String {
    let Some(blocks) = blocks else {
        return String::new();
    };
    match serde_json::from_str::<Vec<protocol::Block>>(&blocks) {
        Ok(blocks) => Message::text_of(&blocks),
        Err(error) => {
            let error = error.classify();
            tracing::warn!(name: "store.message.unreadable", %run_id, ?error);
            String::new()
        }
    }
}
