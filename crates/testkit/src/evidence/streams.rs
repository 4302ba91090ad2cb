//! I7: what was streamed is what a model sent, attempt by attempt, and what was shown is kept.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Result, ensure};

use super::Fact;
use super::check::{Loss, Must};
use super::rows::{Id, Rows};

/// No two replies of a workload begin alike, so a text belongs to one of them at most.
struct Sent<'a> {
    blocks: BTreeSet<&'a str>,
    replies: u64,
}

impl<'a> Sent<'a> {
    fn of(facts: &'a [Fact]) -> Self {
        let mut sent = Self {
            blocks: BTreeSet::new(),
            replies: 0,
        };
        for fact in facts {
            if let Fact::Asked { blocks } = fact {
                sent.replies += 1;
                sent.blocks.extend(blocks.iter().map(String::as_str));
            }
        }
        sent
    }

    fn has_prefix(&self, text: &str) -> bool {
        let next = self.blocks.range(text..).next();
        next.is_some_and(|block| block.starts_with(text))
    }
}

pub(super) fn check(rows: &Rows, facts: &[Fact], must: &Must) -> Result<()> {
    let sent = Sent::of(facts);
    // A workload that notes no replies has a model that somebody else keeps the books of.
    if sent.replies > 0 {
        ours(rows, &sent, must)?;
    }
    for ((step, attempt, block), text) in shown(facts, must) {
        let kept = kept(rows, step, attempt, block);
        ensure!(
            kept.is_some_and(|kept| kept.starts_with(&text)),
            "I7, I1: {} bytes were shown of attempt {attempt}, block {block}, and {:?} are kept",
            text.len(),
            kept.map(str::len)
        );
    }
    Ok(())
}

fn ours(rows: &Rows, sent: &Sent<'_>, must: &Must) -> Result<()> {
    for message in rows.messages.values().filter(|one| one.is_agent) {
        for block in &message.blocks {
            let is_whole = message.is_complete && message.has_step;
            let is_sent = if is_whole {
                sent.blocks.contains(block.text.as_str())
            } else {
                sent.has_prefix(&block.text)
            };
            ensure!(is_sent, "I7: no model ever sent {:?}", block.text);
        }
    }
    for text in rows.deltas.values() {
        ensure!(sent.has_prefix(text), "I7: no model ever sent {text:?}");
    }
    if must.loss == Loss::Process {
        ensure!(
            sent.replies <= rows.model_attempts,
            "I12: models were asked {} times, with {} attempts",
            sent.replies,
            rows.model_attempts
        );
    }
    Ok(())
}

/// What windows got, piece by piece: each window begins at the beginning, so pieces come again.
fn shown(facts: &[Fact], must: &Must) -> HashMap<(Id, u32, u32), String> {
    let mut shown: HashMap<(Id, u32, u32), String> = HashMap::new();
    for fact in facts.iter().take(must.secured) {
        if let Fact::Text {
            step_id,
            attempt,
            block,
            offset,
            text,
        } = fact
        {
            let key = (step_id.uuid().into_bytes(), *attempt, *block);
            let whole = shown.entry(key).or_default();
            let end = usize::try_from(*offset).unwrap_or(usize::MAX) + text.len();
            if end > whole.len() {
                whole.truncate(end - text.len());
                whole.push_str(text);
            }
        }
    }
    shown
}

fn kept(rows: &Rows, step: Id, attempt: u32, block: u32) -> Option<&str> {
    let message = rows.by_attempt.get(&(step, attempt));
    match message.and_then(|id| rows.messages.get(id)) {
        Some(message) => message
            .blocks
            .get(block as usize)
            .map(|block| block.text.as_str()),
        None => rows.deltas.get(&(step, attempt, block)).map(String::as_str),
    }
}
