//! From the events of a stream to what the engine hears. No IO: bytes are somebody else's matter.
//!
//! The reply is whole when a finish reason was said; the stream has no other end. Calls come whole,
//! and are handed on only then.

mod ending;
mod event;

use engine::{ModelError, ModelEvent};
use protocol::{BlockKind, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::parts::{FunctionCall, Part, Parts};
use crate::blocks::Blocks;
use crate::failure;
use crate::wire::Decode;
use event::{Candidate, StreamEvent};

const UNSPECIFIED: &str = "FINISH_REASON_UNSPECIFIED";

/// Reads one reply.
#[derive(Debug)]
pub(super) struct Decoder {
    model: String,
    blocks: Blocks,
    parts: Parts,
    calls: Vec<ModelEvent>,
    usage: Usage,
    reason: Option<String>,
    is_over: bool,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError> {
        if self.is_over || data.trim().is_empty() {
            return Ok(Vec::new());
        }
        let event: StreamEvent = serde_json::from_str(data).map_err(|_| failure::unreadable())?;
        if let Some(error) = &event.error {
            self.is_over = true;
            return Err(failure::from_value(None, error));
        }
        if let Some(usage) = &event.usage_metadata {
            self.note_usage(usage);
        }
        let blocked = event.prompt_feedback.and_then(|said| said.block_reason);
        if let Some(reason) = blocked.filter(|reason| !reason.is_empty()) {
            self.is_over = true;
            return Err(ending::refused(&reason));
        }
        let mut events = Vec::new();
        for candidate in event.candidates.unwrap_or_default() {
            // One reply is asked for: others are none of ours.
            if candidate.index.unwrap_or(0) == 0 {
                self.read(candidate, &mut events)?;
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
        let ending = ending::of(reason, !self.calls.is_empty())?;
        let mut events = Vec::new();
        self.blocks.end(&mut events);
        events.append(&mut self.calls);
        events.push(ModelEvent::Finished {
            usage: self.usage,
            ending,
            native: self.parts.kept(&self.model),
        });
        Ok(events)
    }
}

impl Decoder {
    /// For a reply of this model.
    pub(super) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            blocks: Blocks::default(),
            parts: Parts::default(),
            calls: Vec::new(),
            usage: Usage::default(),
            reason: None,
            is_over: false,
        }
    }

    fn read(
        &mut self,
        candidate: Candidate,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let parts = candidate.content.and_then(|content| content.parts);
        for raw in parts.unwrap_or_default() {
            self.read_part(&raw, events)?;
        }
        // One that is not specified says that there is more to come.
        let is_reason = |reason: &String| !reason.is_empty() && reason != UNSPECIFIED;
        if let Some(reason) = candidate.finish_reason.filter(is_reason) {
            self.reason = Some(reason);
        }
        Ok(())
    }

    fn read_part(
        &mut self,
        raw: &RawValue,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let part: Part = serde_json::from_str(raw.get()).map_err(|_| failure::unreadable())?;
        self.parts.add(raw, &part);
        if let Some(text) = &part.text {
            let kind = if part.thought == Some(true) {
                BlockKind::Reasoning
            } else {
                BlockKind::Text
            };
            self.blocks.write(kind, text, events);
        }
        if let Some(call) = &part.function_call {
            self.read_call(call, events)?;
        }
        Ok(())
    }

    fn read_call(
        &mut self,
        call: &FunctionCall,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let name = call.name.as_deref().unwrap_or_default();
        if name.is_empty() || call.will_continue == Some(true) {
            return Err(failure::unreadable());
        }
        // A call of a tool that takes nothing may come without any.
        let arguments = call.args.as_deref().map_or("{}", RawValue::get);
        self.blocks
            .write_whole(BlockKind::Arguments, arguments, events);
        self.calls.push(ModelEvent::Call {
            // Empty if none was sent: whoever stores the call makes one.
            id: call.id.clone().unwrap_or_default(),
            tool: name.to_owned(),
            arguments: arguments.to_owned(),
        });
        Ok(())
    }

    /// It comes with every event and counts up: the last one counts. Thoughts are paid like what is
    /// written, and are not part of it.
    fn note_usage(&mut self, usage: &Value) {
        let count = |name: &str| usage[name].as_u64();
        let sum = |one: &str, other: &str| match (count(one), count(other)) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        self.usage = Usage {
            input_tokens: sum("promptTokenCount", "toolUsePromptTokenCount"),
            output_tokens: sum("candidatesTokenCount", "thoughtsTokenCount"),
            // Numbers that are zero are left out here.
            cached_tokens: count("cachedContentTokenCount")
                .or(count("promptTokenCount").map(|_| 0)),
            cache_write_tokens: None,
            cost_microusd: None,
        };
    }
}

#[cfg(test)]
mod tests;
