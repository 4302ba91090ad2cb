//! From the lines of a stream to what the engine hears. No IO: bytes are somebody else's matter.
//!
//! The reply is whole when a line says that it is done, and that line has the usage too. Calls come
//! whole, and are handed on only then.

mod event;

use engine::{ModelError, ModelEvent};
use protocol::{BlockKind, Ending, ErrorClass, Native, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::thought;
use crate::blocks::Blocks;
use crate::failure;
use crate::wire::{Decode, Frames};
use event::{Line, Message, ToolCall};

/// What an error in the middle of a reply would have been as a status.
const FAILED: u16 = 500;

/// Reads one reply.
#[derive(Debug)]
pub(super) struct Decoder {
    model: String,
    blocks: Blocks,
    /// All that was thought so far.
    thinking: String,
    calls: Vec<Call>,
    is_over: bool,
}

#[derive(Debug)]
struct Call {
    /// Empty if none was sent: whoever stores the call makes one.
    id: String,
    tool: String,
    arguments: String,
}

impl Decode for Decoder {
    const FRAMES: Frames = Frames::Ndjson;

    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError> {
        if self.is_over || data.trim().is_empty() {
            return Ok(Vec::new());
        }
        let line: Line = serde_json::from_str(data).map_err(|_| failure::unreadable())?;
        if let Some(error) = &line.error {
            self.is_over = true;
            let status = line.status.as_ref().and_then(Value::as_u64);
            let status = status.and_then(|status| u16::try_from(status).ok());
            return Err(failure::from_value(Some(status.unwrap_or(FAILED)), error));
        }
        let mut events = Vec::new();
        if let Some(message) = &line.message {
            self.read(message, &mut events)?;
        }
        if line.done == Some(true) {
            self.end(&line, &mut events)?;
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
    /// For a reply of this model.
    pub(super) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            blocks: Blocks::default(),
            thinking: String::new(),
            calls: Vec::new(),
            is_over: false,
        }
    }

    fn read(&mut self, message: &Message, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let thought = message.thinking.as_deref().unwrap_or_default();
        self.thinking.push_str(thought);
        self.blocks.write(BlockKind::Reasoning, thought, events);
        let said = message.content.as_deref().unwrap_or_default();
        self.blocks.write(BlockKind::Text, said, events);
        for call in message.tool_calls.iter().flatten() {
            let call = read_call(call)?;
            self.blocks
                .write_whole(BlockKind::Arguments, &call.arguments, events);
            self.calls.push(call);
        }
        Ok(())
    }

    fn end(&mut self, line: &Line, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        self.is_over = true;
        let mut ending = Ending::Complete;
        match line.done_reason.as_deref() {
            // The server has made an object of what was cut off, so nobody can tell what is missing.
            Some("length") if !self.calls.is_empty() => {
                return Err(failure::call_cut_off());
            }
            Some("length") => ending = Ending::Length,
            // The model came or went, and nobody was asked anything.
            Some("load" | "unload") => {
                return Err(ModelError::new(
                    ErrorClass::Overloaded,
                    "The server loaded the model and did not answer.",
                ));
            }
            // A reason that is not known ends a reply too, and older versions send none.
            Some(_) | None => {}
        }
        self.blocks.end(events);
        let native = self.native();
        for call in std::mem::take(&mut self.calls) {
            events.push(ModelEvent::Call {
                id: call.id,
                tool: call.tool,
                arguments: call.arguments,
            });
        }
        events.push(ModelEvent::Finished {
            usage: usage(line),
            ending,
            native,
        });
        Ok(())
    }

    /// Without calls nothing goes on from the thought.
    fn native(&self) -> Option<Native> {
        if self.calls.is_empty() {
            return None;
        }
        thought::kept(&self.model, &self.thinking)
    }
}

fn read_call(call: &ToolCall) -> Result<Call, ModelError> {
    let function = call.function.as_ref().ok_or_else(failure::unreadable)?;
    let name = function.name.as_deref().unwrap_or_default();
    if name.is_empty() {
        return Err(failure::unreadable());
    }
    let arguments = match &function.arguments {
        Some(arguments) => text_of(arguments)?,
        None => String::new(),
    };
    Ok(Call {
        id: call.id.clone().unwrap_or_default(),
        tool: name.to_owned(),
        arguments,
    })
}

fn text_of(arguments: &RawValue) -> Result<String, ModelError> {
    let raw = arguments.get();
    if raw.starts_with('"') {
        return serde_json::from_str(raw).map_err(|_| failure::unreadable());
    }
    Ok(raw.to_owned())
}

fn usage(line: &Line) -> Usage {
    let count = |value: &Option<Value>| value.as_ref().and_then(Value::as_u64);
    Usage {
        input_tokens: count(&line.prompt_eval_count),
        output_tokens: count(&line.eval_count),
        cached_tokens: None,
        cache_write_tokens: None,
        cost_microusd: None,
    }
}

#[cfg(test)]
mod tests;
