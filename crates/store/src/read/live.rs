//! Reading what is being streamed, whole or from where a reader already is.

use std::collections::BTreeMap;

use protocol::{BlockKind, Delta, LiveBlock, LiveStep, SessionId, StepId};
use rusqlite::params;

use super::Reader;
use super::row::{Row, get, run_id, step_id, unreadable};
use crate::Error;

/// How far a reader has followed a streaming attempt: the next byte of each block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LiveCursor {
    attempt: Option<(StepId, u32)>,
    next: BTreeMap<u32, u64>,
}

impl LiveCursor {
    fn restart(&mut self, step_id: StepId, attempt: u32) {
        if self.attempt != Some((step_id, attempt)) {
            self.attempt = Some((step_id, attempt));
            self.next.clear();
        }
    }

    /// From which block to which, and from which byte. Blocks need not begin in their order, so
    /// those between two known ones are looked for as well.
    fn ranges(&self) -> Vec<(i64, i64, u64)> {
        let mut ranges = Vec::new();
        let mut unknown = 0;
        for (block, offset) in &self.next {
            let block = i64::from(*block);
            if unknown < block {
                ranges.push((unknown, block - 1, 0));
            }
            ranges.push((block, block, *offset));
            unknown = block + 1;
        }
        ranges.push((unknown, i64::from(u32::MAX), 0));
        ranges
    }
}

pub(super) const DELTAS_AFTER: &str = "
    SELECT block, \"offset\", kind, body
    FROM deltas
    WHERE step_id = ?1 AND attempt = ?2
      AND block BETWEEN ?3 AND ?4 AND \"offset\" >= ?5
    ORDER BY block, \"offset\"";

/// From the run to its attempt, in this order: left to itself SQLite would begin with all attempts
/// there ever were. The list of statuses is the one of the index.
pub(super) const LIVE_HEAD: &str = "
    SELECT runs.id AS run_id, runs.model, steps.id AS step_id, attempts.attempt,
           attempts.started_at_ms, steps.kind = 'compaction' AS is_compaction
    FROM runs
    CROSS JOIN steps ON steps.run_id = runs.id AND steps.status = 'running'
         AND steps.kind <> 'tool_call'
    CROSS JOIN attempts ON attempts.step_id = steps.id AND attempts.status = 'running'
    WHERE runs.session_id = ?1
      AND runs.status IN ('queued', 'running', 'waiting') AND runs.status = 'running'";

impl Reader<'_> {
    /// The streaming attempt of a session with all of its text.
    pub fn live_step(&self, session_id: SessionId) -> Result<Option<LiveStep>, Error> {
        let Some(mut live) = self.live_head(session_id)? else {
            return Ok(None);
        };
        for (block, kind, text) in self.blocks_of(live.step_id, live.attempt)? {
            live.blocks.push(LiveBlock { block, kind, text });
        }
        Ok(Some(live))
    }

    /// What was streamed since the cursor, which moves on. Pieces of one block come as one.
    pub fn deltas_after(
        &self,
        session_id: SessionId,
        cursor: &mut LiveCursor,
    ) -> Result<Vec<Delta>, Error> {
        let Some(live) = self.live_head(session_id)? else {
            return Ok(Vec::new());
        };
        cursor.restart(live.step_id, live.attempt);
        let mut found: Vec<Delta> = Vec::new();
        let ranges = cursor.ranges();
        let mut statement = self.transaction.prepare_cached(DELTAS_AFTER)?;
        for (from, to, offset) in ranges {
            let mut rows = statement.query(params![
                live.step_id.uuid().as_bytes(),
                live.attempt,
                from,
                to,
                offset
            ])?;
            while let Some(row) = rows.next()? {
                let row = &Row::of(row);
                let (block, kind) = (
                    get::<u32>(row, "block")?,
                    kind(&get::<String>(row, "kind")?)?,
                );
                let text: String = get(row, "body")?;
                let end = get::<u64>(row, "offset")? + text.len() as u64;
                cursor.next.insert(block, end);
                match found.last_mut() {
                    Some(last) if last.block == block => last.text.push_str(&text),
                    Some(_) | None => found.push(Delta {
                        session_id,
                        step_id: live.step_id,
                        attempt: live.attempt,
                        block,
                        kind,
                        offset: end - text.len() as u64,
                        text,
                    }),
                }
            }
        }
        Ok(found)
    }

    /// The streaming attempt of a session, without its text.
    fn live_head(&self, session_id: SessionId) -> Result<Option<LiveStep>, Error> {
        let values = [session_id.uuid().into_bytes()];
        self.one(LIVE_HEAD, values, |row| {
            Ok(LiveStep {
                run_id: run_id(row, "run_id")?,
                step_id: step_id(row, "step_id")?,
                attempt: get(row, "attempt")?,
                model: get(row, "model")?,
                started_at_ms: get(row, "started_at_ms")?,
                is_compaction: get(row, "is_compaction")?,
                blocks: Vec::new(),
            })
        })
    }

    /// The text of an attempt, block by block.
    pub(super) fn blocks_of(
        &self,
        step_id: StepId,
        attempt: u32,
    ) -> Result<Vec<(u32, BlockKind, String)>, Error> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT block, kind, body
             FROM deltas
             WHERE step_id = ?1 AND attempt = ?2
             ORDER BY block, \"offset\"",
        )?;
        let mut rows = statement.query(params![step_id.uuid().as_bytes(), attempt])?;
        let mut blocks: Vec<(u32, BlockKind, String)> = Vec::new();
        while let Some(row) = rows.next()? {
            let row = &Row::of(row);
            let (block, text) = (get::<u32>(row, "block")?, get::<String>(row, "body")?);
            match blocks.last_mut() {
                Some((last, _, whole)) if *last == block => whole.push_str(&text),
                Some(_) | None => {
                    blocks.push((block, kind(&get::<String>(row, "kind")?)?, text));
                }
            }
        }
        Ok(blocks)
    }
}

fn kind(text: &str) -> Result<BlockKind, Error> {
    BlockKind::parse(text).ok_or_else(|| unreadable("delta", &format!("kind {text}")))
}
