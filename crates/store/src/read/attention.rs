//! What a person must know about a run that waits for them.

use protocol::{Message, RunId};
use rusqlite::params;

use super::Reader;
use super::row::unreadable;
use crate::Error;

/// Facts about a halted run, for the resume panel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttentionFacts {
    /// The text of the message that started the run.
    pub asked: String,
    /// Steps that were cut off.
    pub steps_interrupted: u32,
    /// Characters kept of the newest partial reply.
    pub partial_chars: u64,
}

impl Reader<'_> {
    /// Facts about a halted run.
    pub fn attention_facts(&self, run_id: RunId) -> Result<AttentionFacts, Error> {
        let id = run_id.uuid().into_bytes();
        let asked: Option<String> = self
            .transaction
            .prepare_cached(
                "SELECT messages.blocks
                 FROM runs JOIN messages ON messages.id = runs.message_id
                 WHERE runs.id = ?1",
            )?
            .query_row(params![id], |row| row.get(0))?;
        let steps_interrupted = self
            .transaction
            .prepare_cached(
                "SELECT count(*) FROM steps WHERE run_id = ?1 AND status = 'interrupted'",
            )?
            .query_row(params![id], |row| row.get(0))?;
        let partial: Option<String> = self
            .transaction
            .prepare_cached(
                "SELECT (SELECT blocks FROM messages
                         WHERE run_id = ?1 AND status = 'partial'
                         ORDER BY position DESC LIMIT 1)",
            )?
            .query_row(params![id], |row| row.get(0))?;
        Ok(AttentionFacts {
            asked: text_of(asked.as_deref())?,
            steps_interrupted,
            partial_chars: text_of(partial.as_deref())?.chars().count() as u64,
        })
    }
}

fn text_of(blocks: Option<&str>) -> Result<String, Error> {
    let Some(blocks) = blocks else {
        return Ok(String::new());
    };
    let blocks: Vec<protocol::Block> =
        serde_json::from_str(blocks).map_err(|error| unreadable("message", &error))?;
    Ok(Message::text_of(&blocks))
}
