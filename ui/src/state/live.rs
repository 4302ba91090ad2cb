//! The step that streams: deltas in, text out. Attempts and blocks never mix.

use protocol::{BlockKind, Delta, LiveStep, RunId, StepId};
use reactive_stores::Store;

/// The step that streams, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveHead {
    pub(crate) run_id: RunId,
    pub(crate) step_id: StepId,
    pub(crate) attempt: u32,
    pub(crate) model: String,
    /// It summarises older messages: nothing of it streams.
    pub(crate) is_compaction: bool,
    /// Its blocks so far, in order.
    pub(crate) blocks: Vec<(LiveKey, BlockKind)>,
}

/// The text of one block.
#[derive(Debug, Clone, PartialEq, Eq, Store)]
pub(crate) struct LiveText {
    pub(crate) key: LiveKey,
    pub(crate) text: String,
}

/// Which block of which attempt at which step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LiveKey {
    pub(crate) step_id: StepId,
    pub(crate) attempt: u32,
    pub(crate) block: u32,
}

/// What a delta adds to the text that is there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Addition<'a> {
    /// This much is new.
    Text(&'a str),
    /// All of it was there already.
    Nothing,
    /// Something before it is missing.
    Gap,
}

impl LiveHead {
    pub(super) fn from_step(step: &LiveStep) -> Self {
        let blocks = step
            .blocks
            .iter()
            .map(|block| {
                (
                    LiveKey::new(step.step_id, step.attempt, block.block),
                    block.kind,
                )
            })
            .collect();
        Self {
            run_id: step.run_id,
            step_id: step.step_id,
            attempt: step.attempt,
            model: step.model.clone(),
            is_compaction: step.is_compaction,
            blocks,
        }
    }

    pub(super) fn is_attempt(&self, step_id: StepId, attempt: u32) -> bool {
        self.step_id == step_id && self.attempt == attempt
    }
}

impl LiveKey {
    pub(super) const fn new(step_id: StepId, attempt: u32, block: u32) -> Self {
        Self {
            step_id,
            attempt,
            block,
        }
    }

    pub(super) const fn of(delta: &Delta) -> Self {
        Self::new(delta.step_id, delta.attempt, delta.block)
    }
}

/// The texts of a step that was already streaming when the snapshot was made.
pub(super) fn texts_of(step: &LiveStep) -> Vec<LiveText> {
    step.blocks
        .iter()
        .map(|block| LiveText {
            key: LiveKey::new(step.step_id, step.attempt, block.block),
            text: block.text.clone(),
        })
        .collect()
}

/// What `delta` adds to a block that holds `length` bytes.
pub(super) fn addition(length: usize, delta: &Delta) -> Addition<'_> {
    let Ok(offset) = usize::try_from(delta.offset) else {
        return Addition::Gap;
    };
    if offset > length {
        return Addition::Gap;
    }
    if offset + delta.text.len() <= length {
        return Addition::Nothing;
    }
    // An overlap that ends inside a character cannot be a continuation of the same text.
    delta
        .text
        .get(length - offset..)
        .map_or(Addition::Gap, Addition::Text)
}
