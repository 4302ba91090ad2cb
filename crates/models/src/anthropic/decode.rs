//! From the events of a stream to what the engine hears. No IO: bytes are somebody else's matter.
//!
//! The reply is whole at `message_stop`. A stream that ends without it was cut off, whatever else it
//! sent. Calls come at the very end: a call that the length limit cut off never comes at all.

mod block;
mod event;
mod usage;

use std::collections::HashMap;

use engine::{ModelError, ModelEvent};
use protocol::{Ending, ErrorClass};
use serde::de::DeserializeOwned;

use super::DIALECT;
use crate::held::Held;
use crate::slots::Slots;
use crate::wire::Decode;
use crate::{failure, replay};
use block::{Block, Kind};
use event::{BlockDelta, BlockStart, BlockStop, MessageDelta, MessageStart, Named, Piece};
use usage::Counts;

/// Reads one reply.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The model's name, for its own words.
    model: String,
    slots: Slots,
    /// All blocks, in the order in which they began.
    blocks: Vec<Block>,
    /// Those that are being written, by the number that the provider gave them.
    open: HashMap<u64, usize>,
    counts: Counts,
    held: Held,
    reason: Option<String>,
    /// What the provider says about a refusal.
    explanation: Option<String>,
    is_over: bool,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError> {
        let data = data.trim();
        if self.is_over || data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let named: Named = read(data)?;
        if let Some(error) = named.error {
            self.is_over = true;
            return Err(failure::from_value(None, &error));
        }
        let mut events = Vec::new();
        match named.r#type.as_deref().unwrap_or_default() {
            "message_start" => {
                let start: MessageStart = read(data)?;
                self.counts.note(&start.message.usage);
            }
            "content_block_start" => {
                self.begin(read(data)?, &mut events)?;
                self.held.add(data.len())?;
            }
            "content_block_delta" => {
                self.add(read(data)?, &mut events)?;
                if events.is_empty() {
                    self.held.add(data.len())?;
                }
            }
            "content_block_stop" => self.end(&read(data)?, &mut events),
            "message_delta" => self.note_end(read(data)?),
            "message_stop" => return self.complete(),
            // Pings, and what is not known yet.
            _ => {}
        }
        Ok(events)
    }

    fn is_whole(&self) -> bool {
        self.is_over
    }

    fn finish(&mut self) -> Result<Vec<ModelEvent>, ModelError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        self.is_over = true;
        Err(failure::cut_off())
    }
}

impl Decoder {
    pub(super) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            slots: Slots::default(),
            blocks: Vec::new(),
            open: HashMap::new(),
            counts: Counts::default(),
            held: Held::default(),
            reason: None,
            explanation: None,
            is_over: false,
        }
    }

    fn begin(&mut self, start: BlockStart, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let block = Block::begin(start.content_block).ok_or_else(failure::unreadable)?;
        self.open_block(start.index, block);
        let at = self.blocks.len() - 1;
        // Nearly always empty, but a server may say all of it at once.
        self.blocks[at].say_start(&mut self.slots, events);
        Ok(())
    }

    fn open_block(&mut self, index: u64, block: Block) {
        self.open.insert(index, self.blocks.len());
        self.blocks.push(block);
    }

    fn add(&mut self, delta: BlockDelta, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let at = match (self.open.get(&delta.index), &delta.delta) {
            (Some(at), _) => *at,
            // Nothing is lost because its beginning is.
            (None, Piece::TextDelta { .. }) => self.open_bare(delta.index, Kind::Text),
            (None, Piece::ThinkingDelta { .. }) => self.open_bare(delta.index, Kind::Thinking),
            // Without its beginning a call has no name.
            (None, Piece::InputJsonDelta { .. }) => return Err(failure::unreadable()),
            (None, _) => return Ok(()),
        };
        self.blocks[at].add(delta.delta, &mut self.slots, events);
        Ok(())
    }

    fn open_bare(&mut self, index: u64, kind: Kind) -> usize {
        self.open_block(index, Block::bare(kind));
        self.blocks.len() - 1
    }

    fn end(&mut self, stop: &BlockStop, events: &mut Vec<ModelEvent>) {
        if let Some(at) = self.open.remove(&stop.index) {
            self.blocks[at].end(events);
        }
    }

    fn note_end(&mut self, delta: MessageDelta) {
        if let Some(usage) = &delta.usage {
            self.counts.note(usage);
        }
        let Some(end) = delta.delta else { return };
        self.reason = end.stop_reason.or(self.reason.take());
        let explanation = end
            .stop_details
            .map(|details| details["explanation"].clone());
        if let Some(serde_json::Value::String(text)) = explanation {
            self.explanation = Some(text);
        }
    }

    /// The end was said. Only now the calls are known to be whole.
    fn complete(&mut self) -> Result<Vec<ModelEvent>, ModelError> {
        self.is_over = true;
        let reason = self.reason.take().ok_or_else(failure::cut_off)?;
        let ending = match reason.as_str() {
            "refusal" => return Err(self.refusal()),
            "max_tokens" | "model_context_window_exceeded" => Ending::Length,
            "pause_turn" => Ending::Paused,
            // A reason that is not known ends a reply too.
            _ => Ending::Complete,
        };
        let mut events = Vec::new();
        for block in self.blocks.iter().filter(|block| !block.is_done) {
            // A call that did not end is half a call.
            if block.kind == Kind::ToolUse {
                return Err(match ending {
                    Ending::Length => failure::call_cut_off(),
                    Ending::Complete | Ending::Paused => failure::cut_off(),
                });
            }
            block.cut(&mut events);
        }
        for block in self
            .blocks
            .iter()
            .filter(|block| block.kind == Kind::ToolUse)
        {
            if ending == Ending::Length && !block.has_whole_input() {
                return Err(failure::call_cut_off());
            }
            events.push(block.call().ok_or_else(failure::unreadable)?);
        }
        events.push(ModelEvent::Finished {
            usage: self.counts.usage(),
            ending,
            native: self.native(),
        });
        Ok(events)
    }

    /// Its own words, if they say more than ours do.
    fn native(&self) -> Option<protocol::Native> {
        let told = |block: &&Block| block.item().is_some();
        let told: Vec<&Block> = self.blocks.iter().filter(told).collect();
        let texts = told.iter().filter(|block| block.kind == Kind::Text);
        let is_plain = told.iter().all(|block| block.is_plain())
            && told.is_sorted_by_key(|block| block.kind)
            && texts.count() < 2;
        if is_plain {
            return None;
        }
        let items: Vec<_> = told.iter().filter_map(|block| block.item()).collect();
        replay::native(DIALECT, &self.model, &items)
    }

    fn refusal(&self) -> ModelError {
        self.explanation
            .as_ref()
            .map_or_else(failure::refused, |explanation| {
                let message = format!("The model refused to answer: {explanation}");
                ModelError::new(ErrorClass::ContentRefused, message)
            })
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|_| failure::unreadable())
}

#[cfg(test)]
mod tests;
