//! One item of a reply.

use std::collections::BTreeMap;

use engine::{ModelError, ModelEvent};
use protocol::Ending;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::event::{Item, Named, Part};
use super::parts::Place;
use crate::{failure, replay};

/// An item as it was written, and what is read of it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) raw: Box<RawValue>,
    item: Item,
}

impl Whole {
    /// Of an item that is not known nothing is read: its fields may mean anything.
    pub(super) fn of(raw: Box<RawValue>) -> Result<Self, ModelError> {
        let named: Named = serde_json::from_str(raw.get()).map_err(|_| failure::unreadable())?;
        let item = match named.r#type.as_deref() {
            Some("message" | "reasoning" | "function_call") => {
                serde_json::from_str(raw.get()).map_err(|_| failure::unreadable())?
            }
            _ => Item {
                r#type: named.r#type,
                ..Item::default()
            },
        };
        Ok(Self { raw, item })
    }

    fn kind(&self) -> &str {
        self.item.r#type.as_deref().unwrap_or_default()
    }

    pub(super) fn is_call(&self) -> bool {
        self.kind() == "function_call"
    }

    /// What it says, and where in it.
    pub(super) fn texts(&self) -> Vec<(Place, u64, &str)> {
        if self.is_call() {
            let arguments = self.item.arguments.as_deref();
            return vec![(Place::Arguments, 0, arguments.unwrap_or_default())];
        }
        let summary = parts(self.item.summary.as_ref());
        let summary = summary.map(|(at, part)| (Place::Summary, at, part.text.as_str()));
        let content = parts(self.item.content.as_ref()).map(|(at, part)| {
            let place = match part.r#type.as_deref() {
                Some("refusal") => return (Place::Refusal, at, part.refusal.as_str()),
                Some("reasoning_text") => Place::Thought,
                Some(_) | None => Place::Text,
            };
            (place, at, part.text.as_str())
        });
        let said = summary.chain(content);
        said.filter_map(|(place, at, text)| Some((place, at, text?)))
            .collect()
    }

    /// The call; nothing if it has no name.
    pub(super) fn call(&self) -> Option<ModelEvent> {
        let tool = self.item.name.clone().filter(|name| !name.is_empty())?;
        Some(ModelEvent::Call {
            id: self.item.call_id.clone().unwrap_or_default(),
            tool,
            arguments: self.item.arguments.clone().unwrap_or_default(),
        })
    }

    /// Whether it may not be what the model wanted.
    pub(super) fn is_cut_off(&self, ending: Ending) -> bool {
        let is_unfinished = matches!(
            self.item.status.as_deref(),
            Some("incomplete" | "in_progress")
        );
        let arguments = self.item.arguments.as_deref().unwrap_or_default();
        is_unfinished || (ending == Ending::Length && !replay::is_object(arguments))
    }

    /// Whether it is one that goes back. Others are of tools that we do not offer: they would want an
    /// answer that nobody has.
    pub(super) fn is_told(&self) -> bool {
        matches!(
            self.kind(),
            "message" | "reasoning" | "function_call" | "compaction"
        )
    }

    /// A thought that is not there cannot go back: the provider keeps none.
    pub(super) fn can_go_back(&self) -> bool {
        let thought = self.item.encrypted_content.as_deref().unwrap_or_default();
        self.kind() != "reasoning" || !thought.is_empty()
    }

    /// Whether our own words say all that it says.
    pub(super) fn is_plain(&self) -> bool {
        let known: &[&str] = match self.kind() {
            "message" => &["id", "type", "status", "role", "content"],
            "function_call" => &["id", "type", "status", "call_id", "name", "arguments"],
            _ => return false,
        };
        let fields = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(self.raw.get());
        let is_known = |name: &String| known.contains(&name.as_str());
        fields.is_ok_and(|fields| fields.keys().all(is_known))
    }
}

fn parts(parts: Option<&Vec<Part>>) -> impl Iterator<Item = (u64, &Part)> {
    (0..).zip(parts.into_iter().flatten())
}
