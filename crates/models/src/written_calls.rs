//! Tool calls that a model writes as text, because its template or its training failed it. Small local
//! models do.
//!
//! Text is not a call because it looks like one: a model that explains a tool shows one, too. So a reply
//! has such calls only if it made none in its dialect and came to its own end; if every one of them names
//! a tool of the request, has an object for its arguments and says nothing else; and if they stand where
//! nothing follows them:
//!
//! - between `<tool_call>` tags, or in fenced blocks, at the end of the reply. Text may stand before them,
//!   as models announce what they do, but no other fenced block: a reply with listings explains something;
//! - as bare JSON, where they are the whole reply. JSON in a sentence is a part of that sentence.
//!
//! If one of them is none, none of them is: half of what a model wanted is not what it wanted. What such a
//! call may do is decided like for every other one.
//!
//! The text stays in the reply as it was streamed, since a person has read it; the calls come beside it.
//! The model is told the calls, and the text before them, but not the same call twice.

mod read;
mod shape;

use engine::{ModelEvent, ModelStream, RequestCall, ToolSpec};
use futures_util::{StreamExt, stream};
use protocol::{BlockKind, Ending};

pub(crate) use read::find;

/// A longer reply is no call: what it may have for arguments is far less.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// A call that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenCall {
    pub(crate) tool: String,
    /// Exactly as they were written.
    pub(crate) arguments: String,
}

/// The same answer, with the calls that stand in its text.
pub(crate) fn heard(events: ModelStream, tools: &[ToolSpec]) -> ModelStream {
    if tools.is_empty() {
        return events;
    }
    let names = tools.iter().map(|tool| tool.name.clone()).collect();
    let mut listener = Listener {
        names,
        text: String::new(),
        is_over: false,
    };
    let heard = events.flat_map(move |event| {
        let calls = match &event {
            Ok(event) => listener.hear(event),
            Err(_) => Vec::new(),
        };
        stream::iter(calls.into_iter().map(Ok).chain([event]))
    });
    Box::pin(heard)
}

/// Listens to one answer.
struct Listener {
    names: Vec<String>,
    text: String,
    /// There is a call already, or too much text.
    is_over: bool,
}

impl Listener {
    /// The calls that come before this event.
    fn hear(&mut self, event: &ModelEvent) -> Vec<ModelEvent> {
        match event {
            ModelEvent::Text { kind, text, .. } if *kind == BlockKind::Text => {
                self.is_over |= self.text.len() + text.len() > MOST_BYTES;
                if !self.is_over {
                    self.text.push_str(text);
                }
            }
            ModelEvent::Call { .. } => self.is_over = true,
            ModelEvent::Finished {
                ending: Ending::Complete,
                ..
            } if !self.is_over => return self.calls(),
            ModelEvent::Text { .. } | ModelEvent::BlockEnded | ModelEvent::Finished { .. } => {}
        }
        Vec::new()
    }

    fn calls(&self) -> Vec<ModelEvent> {
        let is_tool = |name: &str| self.names.iter().any(|known| known == name);
        let Some((_, calls)) = find(&self.text, is_tool) else {
            return Vec::new();
        };
        tracing::info!(name: "models.calls.written", count = calls.len());
        let call = |call: WrittenCall| ModelEvent::Call {
            id: String::new(),
            tool: call.tool,
            arguments: call.arguments,
        };
        calls.into_iter().map(call).collect()
    }
}

/// What was said besides these calls: nothing is told twice.
pub(crate) fn text_beside<'a>(text: &'a str, calls: &[RequestCall]) -> &'a str {
    if calls.is_empty() {
        return text;
    }
    let is_tool = |name: &str| calls.iter().any(|call| call.tool == name);
    let is_same = |written: &[WrittenCall]| {
        let same = |(one, other): (&WrittenCall, &RequestCall)| {
            one.tool == other.tool && one.arguments == other.arguments
        };
        written.len() == calls.len() && written.iter().zip(calls).all(same)
    };
    match find(text, is_tool) {
        Some((start, written)) if is_same(&written) => text[..start].trim_end(),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests;
