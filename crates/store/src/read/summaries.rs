//! Reading summaries, along the branch that is shown: one that stands for messages of another branch is
//! not for this one.

use protocol::{Fill, SessionId, StepId, SummaryView, Usage};
use rusqlite::params;

use super::Reader;
use super::messages::{MessageRow, message_row};
use super::row::{Row, get, get_or_drop};
use crate::Error;

pub(super) const SUMMARIES: &str = "
    SELECT branch, position, kept, model, created_at_ms, body
    FROM summaries
    WHERE session_id = ?1 AND branch = ?2 AND position < ?3
    ORDER BY position DESC
    LIMIT ?4";

pub(super) const MESSAGE_AT: &str = "
    SELECT id, branch, position, role, status, blocks, run_id, step_id, attempt, model,
           created_at_ms, ending, native
    FROM messages
    WHERE session_id = ?1 AND branch = ?2 AND position < ?3 AND position = ?4";

/// What was said and found of a call's use of the model's window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttemptUse {
    /// What the provider said.
    pub usage: Usage,
    /// How full the window was.
    pub fill: Option<Fill>,
}

impl Reader<'_> {
    /// The summary that holds, if there is one.
    pub fn summary(&self, session_id: SessionId) -> Result<Option<SummaryView>, Error> {
        let id = session_id.uuid();
        for segment in self.shown_path(session_id)? {
            let values = params![id.as_bytes(), segment.branch, segment.before, 1];
            let mut found = self.all(SUMMARIES, values, summary)?;
            if let Some(newest) = found.pop() {
                return Ok(Some(newest));
            }
        }
        Ok(None)
    }

    /// Every summary, the oldest first.
    pub fn summaries(&self, session_id: SessionId) -> Result<Vec<SummaryView>, Error> {
        let id = session_id.uuid();
        let mut found = Vec::new();
        for segment in self.shown_path(session_id)? {
            let values = params![id.as_bytes(), segment.branch, segment.before, -1];
            found.extend(self.all(SUMMARIES, values, summary)?);
        }
        found.reverse();
        Ok(found)
    }

    /// The message at a position, with what is kept beside it.
    pub fn message_at(
        &self,
        session_id: SessionId,
        position: u64,
    ) -> Result<Option<MessageRow>, Error> {
        let id = session_id.uuid();
        for segment in self.shown_path(session_id)? {
            let values = params![id.as_bytes(), segment.branch, segment.before, position];
            if let Some(mut found) = self.one(MESSAGE_AT, values, message_row)? {
                self.attach_rows(session_id, std::slice::from_mut(&mut found))?;
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// How many attempts at a step were too long for their model.
    pub fn attempts_too_long(&self, step_id: StepId) -> Result<u32, Error> {
        let found = self.one(
            "SELECT count(*) AS attempts FROM attempts
             WHERE step_id = ?1 AND error_class = 'context_length'",
            params![step_id.uuid().as_bytes()],
            |row| get(row, "attempts"),
        )?;
        Ok(found.unwrap_or(0))
    }

    /// What an attempt at a model call used.
    pub fn attempt_use(&self, step_id: StepId, attempt: u32) -> Result<Option<AttemptUse>, Error> {
        self.one(
            "SELECT input_tokens, output_tokens, cached_tokens, cache_write_tokens, cost_microusd,
                    fill_tokens, fill_of, fill_is_estimated
             FROM attempts
             WHERE step_id = ?1 AND attempt = ?2",
            params![step_id.uuid().as_bytes(), attempt],
            |row| {
                Ok(AttemptUse {
                    usage: Usage {
                        input_tokens: get(row, "input_tokens")?,
                        output_tokens: get(row, "output_tokens")?,
                        cached_tokens: get(row, "cached_tokens")?,
                        cache_write_tokens: get(row, "cache_write_tokens")?,
                        cost_microusd: get(row, "cost_microusd")?,
                    },
                    fill: fill(row)?,
                })
            },
        )
    }
}

fn fill(row: &Row<'_>) -> Result<Option<Fill>, Error> {
    let Some(tokens) = get(row, "fill_tokens")? else {
        return Ok(None);
    };
    Ok(Some(Fill {
        tokens,
        of: get(row, "fill_of")?,
        is_estimated: get::<Option<bool>>(row, "fill_is_estimated")?.unwrap_or(true),
    }))
}

fn summary(row: &Row<'_>) -> Result<SummaryView, Error> {
    Ok(SummaryView {
        position: get(row, "position")?,
        branch: get(row, "branch")?,
        kept: get_or_drop(row, "kept"),
        text: get(row, "body")?,
        model: get(row, "model")?,
        created_at_ms: get_or_drop(row, "created_at_ms").unwrap_or(0),
    })
}
