//! One block of a reply, put together from its pieces.

use engine::ModelEvent;
use protocol::BlockKind;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::event::{Fields, Piece};
use crate::replay;
use crate::slots::{Slot, Slots};

/// What a block holds, in the order in which our own words would have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Text,
    ToolUse,
    Thinking,
    /// Nothing for a person, but it goes back: hidden thoughts, and what tools of the provider did.
    Opaque,
    /// Not known: it is skipped.
    Unknown,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "text" => Self::Text,
            "tool_use" => Self::ToolUse,
            "thinking" => Self::Thinking,
            "redacted_thinking" | "server_tool_use" => Self::Opaque,
            name if name.ends_with("_tool_result") => Self::Opaque,
            _ => Self::Unknown,
        }
    }
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// What it began with.
    fields: Fields,
    slot: Slot,
    /// The text or the thought.
    text: String,
    signature: String,
    citations: Vec<Value>,
    /// The arguments, exactly as they came.
    input: String,
    /// Whether its end was said.
    pub(super) is_done: bool,
}

impl Block {
    /// Nothing if what must be there is not: its type.
    pub(super) fn begin(fields: Fields) -> Option<Self> {
        let name: String = serde_json::from_str(fields.get("type")?.get()).ok()?;
        Some(Self::new(Kind::of(&name), fields))
    }

    /// A block whose beginning was not sent.
    pub(super) fn bare(kind: Kind) -> Self {
        let name = if kind == Kind::Thinking {
            "thinking"
        } else {
            "text"
        };
        let fields = [("type".to_owned(), replay::raw(&json!(name)))];
        Self::new(kind, fields.into())
    }

    const fn new(kind: Kind, fields: Fields) -> Self {
        Self {
            kind,
            fields,
            slot: Slot::EMPTY,
            text: String::new(),
            signature: String::new(),
            citations: Vec::new(),
            input: String::new(),
            is_done: false,
        }
    }

    /// What it already says where it begins.
    pub(super) fn say_start(&mut self, slots: &mut Slots, events: &mut Vec<ModelEvent>) {
        match self.kind {
            Kind::Text => {
                let text = self.field("text");
                self.write(BlockKind::Text, &text, slots, events);
            }
            Kind::Thinking => {
                self.signature = self.field("signature");
                let text = self.field("thinking");
                self.write(BlockKind::Reasoning, &text, slots, events);
            }
            Kind::ToolUse | Kind::Opaque | Kind::Unknown => {}
        }
    }

    /// A piece of another kind than the block is skipped.
    pub(super) fn add(&mut self, piece: Piece, slots: &mut Slots, events: &mut Vec<ModelEvent>) {
        match (piece, self.kind) {
            (Piece::TextDelta { text }, Kind::Text) => {
                self.write(BlockKind::Text, &text, slots, events);
            }
            (Piece::ThinkingDelta { thinking }, Kind::Thinking) => {
                self.write(BlockKind::Reasoning, &thinking, slots, events);
            }
            (Piece::SignatureDelta { signature }, Kind::Thinking) => {
                self.signature.push_str(&signature);
            }
            (Piece::CitationsDelta { citation }, Kind::Text) => self.citations.push(citation),
            (Piece::InputJsonDelta { partial_json }, Kind::ToolUse) => {
                self.input.push_str(&partial_json);
                let kind = BlockKind::Arguments;
                slots.write(&mut self.slot, kind, &partial_json, events);
            }
            (Piece::InputJsonDelta { partial_json }, Kind::Opaque) => {
                self.input.push_str(&partial_json);
            }
            _ => {}
        }
    }

    pub(super) fn end(&mut self, events: &mut Vec<ModelEvent>) {
        self.is_done = true;
        self.cut(events);
    }

    /// It stops here, but that is not its end.
    pub(super) fn cut(&self, events: &mut Vec<ModelEvent>) {
        self.slot.end(events);
    }

    /// The arguments of a call. Without any piece they are what the block began with.
    pub(super) fn input(&self) -> &str {
        let start = self.fields.get("input").map_or("", |input| input.get());
        if self.input.is_empty() && start != "null" {
            return start;
        }
        &self.input
    }

    /// Whether the arguments were written to their end. No piece at all is no sign of that: every call
    /// begins with an empty object.
    pub(super) fn has_whole_input(&self) -> bool {
        let input = self.input();
        replay::is_object(input) && !(self.input.is_empty() && input == "{}")
    }

    /// The call; nothing if it has no name.
    pub(super) fn call(&self) -> Option<ModelEvent> {
        let tool = self.field("name");
        (!tool.is_empty()).then(|| ModelEvent::Call {
            id: self.field("id"),
            tool,
            arguments: self.input().to_owned(),
        })
    }

    /// Whether our own words say all that it says.
    pub(super) fn is_plain(&self) -> bool {
        let known: &[&str] = match self.kind {
            Kind::Text if self.citations.is_empty() => &["type", "text", "citations"],
            Kind::ToolUse => &["type", "id", "name", "input"],
            Kind::Unknown => return true,
            Kind::Text | Kind::Thinking | Kind::Opaque => return false,
        };
        self.fields
            .keys()
            .all(|name| known.contains(&name.as_str()))
    }

    /// The block as it goes back. Nothing if it may not: blank text is refused, half of a block is
    /// none, and what is not known has no use.
    pub(super) fn item(&self) -> Option<Box<RawValue>> {
        let mut fields = self.fields.clone();
        let mut set =
            |name: &str, value: &Value| fields.insert(name.to_owned(), replay::raw(value));
        match self.kind {
            Kind::Unknown => return None,
            Kind::Thinking | Kind::Opaque if !self.is_done => return None,
            Kind::Text if self.text.trim().is_empty() => return None,
            Kind::Text => {
                set("text", &json!(self.text));
                if !self.citations.is_empty() {
                    set("citations", &json!(self.citations));
                }
            }
            Kind::Thinking => {
                set("thinking", &json!(self.text));
                set("signature", &json!(self.signature));
            }
            Kind::ToolUse => {
                let input = self.input();
                let input = if replay::is_object(input) {
                    input
                } else {
                    "{}"
                };
                fields.insert("input".to_owned(), replay::arguments(input).into_owned());
            }
            Kind::Opaque if !self.input.is_empty() => {
                fields.insert(
                    "input".to_owned(),
                    replay::arguments(&self.input).into_owned(),
                );
            }
            Kind::Opaque => {}
        }
        serde_json::value::to_raw_value(&fields).ok()
    }

    fn write(
        &mut self,
        kind: BlockKind,
        text: &str,
        slots: &mut Slots,
        events: &mut Vec<ModelEvent>,
    ) {
        self.text.push_str(text);
        slots.write(&mut self.slot, kind, text, events);
    }

    fn field(&self, name: &str) -> String {
        let field = self.fields.get(name);
        let text = field.and_then(|field| serde_json::from_str(field.get()).ok());
        text.unwrap_or_default()
    }
}
