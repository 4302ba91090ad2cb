//! From the events of a stream to what the engine hears. No IO: bytes are somebody else's matter.
//!
//! The reply is whole when a finish reason was said; after it only the usage comes. A stream that
//! ends without one was cut off, whatever else it sent.

mod calls;
mod event;

use engine::{ModelError, ModelEvent};
use protocol::{BlockKind, Ending, Usage};
use serde_json::Value;

use crate::failure;
use crate::wire::Decode;
use calls::Calls;
use event::{Choice, Delta, StreamEvent};

/// Reads one reply.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// Blocks that have text: they are numbered in the order in which they first had some.
    block_count: u32,
    /// The block of text or reasoning that is being written.
    open: Option<(u32, BlockKind)>,
    calls: Calls,
    usage: Usage,
    reason: Option<String>,
    is_refused: bool,
    is_over: bool,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError> {
        let data = data.trim();
        if self.is_over || data.is_empty() {
            return Ok(Vec::new());
        }
        if data == "[DONE]" {
            return self.finish();
        }
        let event: StreamEvent = serde_json::from_str(data).map_err(|_| failure::unreadable())?;
        if let Some(error) = &event.error {
            self.is_over = true;
            return Err(failure::from_value(None, error));
        }
        if let Some(usage) = &event.usage {
            self.note_usage(usage);
        }
        let mut events = Vec::new();
        // One reply is asked for: others, and padding without any, are none of ours.
        for choice in event.choices.unwrap_or_default() {
            if choice.index.unwrap_or(0) == 0 {
                self.read(choice, &mut events)?;
            }
        }
        Ok(events)
    }

    fn is_whole(&self) -> bool {
        self.reason.is_some()
    }

    fn finish(&mut self) -> Result<Vec<ModelEvent>, ModelError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        self.is_over = true;
        let Some(reason) = &self.reason else {
            return Err(failure::cut_off());
        };
        if self.is_refused {
            return Err(failure::refused());
        }
        let ending = match reason.as_str() {
            "length" | "max_tokens" | "model_length" => {
                self.calls.check_none_is_cut_off()?;
                Ending::Length
            }
            "content_filter" | "error" | "insufficient_system_resource" => {
                let name = Value::String(reason.clone());
                return Err(failure::from_value(
                    None,
                    &serde_json::json!({ "code": name }),
                ));
            }
            // "stop" is also said after calls; and a reason that is not known ends a reply too.
            _ => Ending::Complete,
        };
        let mut events = Vec::new();
        self.end_block(&mut events);
        self.calls.take_whole(&mut events)?;
        events.push(ModelEvent::Finished {
            usage: self.usage,
            ending,
            native: None,
        });
        Ok(events)
    }
}

impl Decoder {
    fn read(&mut self, choice: Choice, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(delta) = choice.delta {
            self.read_delta(delta, events)?;
        }
        // Some servers send an empty reason with every event.
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.reason = Some(reason);
        }
        Ok(())
    }

    fn read_delta(&mut self, delta: Delta, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        // Some send the same thought under both names.
        let reasoning = delta
            .reasoning_content
            .filter(|text| !text.is_empty())
            .or(delta.reasoning);
        self.write(BlockKind::Reasoning, reasoning, events);
        self.write(BlockKind::Text, delta.content, events);
        if let Some(refusal) = delta.refusal.filter(|text| !text.is_empty()) {
            self.is_refused = true;
            self.write(BlockKind::Text, Some(refusal), events);
        }
        for fragment in delta.tool_calls.unwrap_or_default() {
            self.end_block(events);
            events.extend(self.calls.add(&fragment, &mut self.block_count)?);
        }
        Ok(())
    }

    fn write(&mut self, kind: BlockKind, text: Option<String>, events: &mut Vec<ModelEvent>) {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        if self.open.is_some_and(|(_, open)| open != kind) {
            self.end_block(events);
        }
        let block = match self.open {
            Some((block, _)) => block,
            None => {
                let block = self.block_count;
                self.block_count += 1;
                self.open = Some((block, kind));
                block
            }
        };
        events.push(ModelEvent::Text { block, kind, text });
    }

    fn end_block(&mut self, events: &mut Vec<ModelEvent>) {
        if self.open.take().is_some() {
            events.push(ModelEvent::BlockEnded);
        }
    }

    /// Some servers send it with every event: the last one counts.
    fn note_usage(&mut self, usage: &Value) {
        let cached = usage["prompt_tokens_details"]["cached_tokens"]
            .as_u64()
            .or_else(|| usage["prompt_cache_hit_tokens"].as_u64());
        self.usage = Usage {
            input_tokens: usage["prompt_tokens"].as_u64(),
            output_tokens: usage["completion_tokens"].as_u64(),
            cached_tokens: cached,
            cache_write_tokens: usage["prompt_tokens_details"]["cache_write_tokens"].as_u64(),
            cost_microusd: usage["cost"].as_f64().and_then(microusd),
        };
    }
}

fn microusd(dollars: f64) -> Option<u64> {
    let micro = (dollars * 1e6).round();
    // What no provider charges was not said.
    (0.0..1e15).contains(&micro).then_some(micro as u64)
}

#[cfg(test)]
mod tests;
