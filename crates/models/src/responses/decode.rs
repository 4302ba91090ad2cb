//! From the events of a stream to what the engine hears. No IO: bytes are somebody else's matter.
//!
//! The reply is whole at `response.completed` or `response.incomplete`. A stream that ends without
//! one of them was cut off, whatever else it sent. Calls are taken from items that are whole.

mod event;
mod item;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use engine::{ModelError, ModelEvent};
use protocol::{Ending, Usage};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::DIALECT;
use crate::held::Held;
use crate::wire::Decode;
use crate::{failure, replay};
use event::{EndEvent, ItemEvent, Named, PieceEvent, Response};
use item::Whole;
use parts::{Parts, Place};

/// Reads one reply.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The model's name, for its own words.
    model: String,
    parts: Parts,
    /// The items that are whole, by their place in the reply.
    items: BTreeMap<u64, Whole>,
    held: Held,
    /// The calls that have begun.
    begun: BTreeSet<u64>,
    /// The item that is being written, for servers that do not number them.
    current: u64,
    is_refused: bool,
    is_over: bool,
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError> {
        let data = data.trim();
        if self.is_over || data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let named: Named = read(data)?;
        let mut events = Vec::new();
        match named.r#type.as_deref() {
            Some("response.output_item.added") => {
                self.held.add(data.len())?;
                self.begin(read(data)?)?;
            }
            Some("response.output_item.done") => {
                self.held.add(data.len())?;
                let done: ItemEvent = read(data)?;
                let at = done.output_index.unwrap_or(self.current);
                self.keep(at, done.item, &mut events)?;
            }
            Some("response.output_text.delta") => self.add(Place::Text, data, &mut events)?,
            Some("response.refusal.delta") => {
                self.is_refused = true;
                self.add(Place::Refusal, data, &mut events)?;
            }
            Some("response.reasoning_summary_text.delta") => {
                self.add(Place::Summary, data, &mut events)?;
            }
            Some("response.reasoning_text.delta") => {
                self.add(Place::Thought, data, &mut events)?;
            }
            Some("response.function_call_arguments.delta") => {
                self.add(Place::Arguments, data, &mut events)?;
            }
            Some("response.completed" | "response.incomplete") => {
                let end: EndEvent = read(data)?;
                return self.complete(end.response);
            }
            Some("response.failed") => {
                let end: EndEvent = read(data)?;
                return Err(self.fail(&end.response.error));
            }
            Some("error") => {
                let whole: Value = read(data)?;
                return Err(self.fail(named.error.as_ref().unwrap_or(&whole)));
            }
            None => {
                if let Some(error) = &named.error {
                    return Err(self.fail(error));
                }
            }
            // How it goes on, what is only said twice, and what is not known yet.
            Some(_) => {}
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
            parts: Parts::default(),
            items: BTreeMap::new(),
            held: Held::default(),
            begun: BTreeSet::new(),
            current: 0,
            is_refused: false,
            is_over: false,
        }
    }

    fn begin(&mut self, added: ItemEvent) -> Result<(), ModelError> {
        let next = self.items.last_key_value().map_or(0, |(last, _)| last + 1);
        self.current = added.output_index.unwrap_or(next);
        if Whole::of(added.item)?.is_call() {
            self.begun.insert(self.current);
        }
        Ok(())
    }

    fn add(
        &mut self,
        place: Place,
        data: &str,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let piece: PieceEvent = read(data)?;
        let at = piece.output_index.unwrap_or(self.current);
        let part = piece.content_index.or(piece.summary_index).unwrap_or(0);
        self.parts.add((at, place, part), &piece.delta, events);
        Ok(())
    }

    /// An item is whole. What its pieces left out is said now.
    fn keep(
        &mut self,
        at: u64,
        item: Box<RawValue>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        let whole = Whole::of(item)?;
        for (place, part, text) in whole.texts() {
            self.is_refused |= place == Place::Refusal;
            self.parts.complete((at, place, part), text, events);
        }
        self.items.insert(at, whole);
        Ok(())
    }

    /// The end was said. Only now the calls are known to be whole.
    fn complete(&mut self, response: Response) -> Result<Vec<ModelEvent>, ModelError> {
        self.is_over = true;
        let mut events = Vec::new();
        self.fill_in(response.output.unwrap_or_default(), &mut events)?;
        self.parts.end_all(&mut events);
        let details = response
            .incomplete_details
            .and_then(|details| details.reason);
        let ending = match details.as_deref() {
            None => Ending::Complete,
            Some("max_output_tokens") => Ending::Length,
            Some("content_filter") => return Err(self.fail(&json!({"code": "content_filter"}))),
            Some(_) => Ending::Paused,
        };
        if self.is_refused {
            return Err(failure::refused());
        }
        self.take_calls(ending, &mut events)?;
        events.push(ModelEvent::Finished {
            usage: usage(&response.usage),
            ending,
            native: self.native(),
        });
        Ok(events)
    }

    /// The end repeats all items. Those that were not said before are taken from there.
    fn fill_in(
        &mut self,
        output: Vec<Box<RawValue>>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        if output.len() <= self.items.len() {
            return Ok(());
        }
        for (at, item) in (0..).zip(output) {
            if !self.items.contains_key(&at) {
                self.keep(at, item, events)?;
            }
        }
        Ok(())
    }

    fn take_calls(&self, ending: Ending, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let cut_off = || match ending {
            Ending::Length => failure::call_cut_off(),
            Ending::Complete | Ending::Paused => failure::cut_off(),
        };
        if !self.begun.iter().all(|at| self.items.contains_key(at)) {
            return Err(cut_off());
        }
        for call in self.items.values().filter(|item| item.is_call()) {
            if call.is_cut_off(ending) {
                return Err(cut_off());
            }
            events.push(call.call().ok_or_else(failure::unreadable)?);
        }
        Ok(())
    }

    /// Its own words, if they say more than ours do and can be sent back at all.
    fn native(&self) -> Option<protocol::Native> {
        let told: Vec<&Whole> = self.items.values().filter(|item| item.is_told()).collect();
        let is_in_order = told.is_sorted_by_key(|item| item.is_call());
        let is_plain = told.iter().all(|item| item.is_plain()) && is_in_order;
        if is_plain || !told.iter().all(|item| item.can_go_back()) {
            return None;
        }
        let items: Vec<_> = told.iter().map(|item| item.raw.clone()).collect();
        replay::native(DIALECT, &self.model, &items)
    }

    fn fail(&mut self, error: &Value) -> ModelError {
        self.is_over = true;
        failure::from_value(None, error)
    }
}

/// What was read from the cache is in the provider's count of the input.
fn usage(usage: &Value) -> Usage {
    Usage {
        input_tokens: usage["input_tokens"].as_u64(),
        output_tokens: usage["output_tokens"].as_u64(),
        cached_tokens: usage["input_tokens_details"]["cached_tokens"].as_u64(),
        cache_write_tokens: None,
        cost_microusd: None,
    }
}

fn read<T: DeserializeOwned>(data: &str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|_| failure::unreadable())
}

#[cfg(test)]
mod tests;
