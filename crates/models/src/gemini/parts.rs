//! The parts of a reply, kept as they came: a signed one must go back exactly so, and in its place.

use std::borrow::Cow;

use engine::RequestCall;
use protocol::Native;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::DIALECT;
use crate::replay;

/// One part as it is on the wire. What is not named here is skipped.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    pub(super) text: Option<String>,
    pub(super) thought: Option<bool>,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<FunctionCall>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionCall {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    /// An object; its bytes are kept.
    pub(super) args: Option<Box<RawValue>>,
    /// Said of calls that come in fragments, which nobody asked for.
    pub(super) will_continue: Option<bool>,
}

/// Gathers the parts of a reply.
#[derive(Debug, Default)]
pub(super) struct Parts {
    items: Vec<Box<RawValue>>,
    /// Text without a signature: what is streamed in many parts is one.
    text: String,
    is_signed: bool,
}

impl Parts {
    /// Adds a part as it came.
    pub(super) fn add(&mut self, raw: &RawValue, part: &Part) {
        let is_signed = part.thought_signature.is_some();
        self.is_signed |= is_signed;
        match &part.text {
            // A thought means nothing to the model again unless it is signed.
            Some(_) if part.thought == Some(true) && !is_signed => {}
            Some(text) if !is_signed => self.text.push_str(text),
            Some(_) | None => {
                self.end_text();
                self.items.push(raw.to_owned());
            }
        }
    }

    /// The reply in the provider's own words, where our words would lose something.
    pub(super) fn kept(&mut self, model: &str) -> Option<Native> {
        self.end_text();
        if !self.is_signed {
            return None;
        }
        replay::native(DIALECT, model, &self.items)
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.items.push(replay::raw(&json!({ "text": text })));
        }
    }
}

/// The parts of a reply as they are sent.
#[derive(Debug)]
pub(super) struct Sent<'a> {
    pub(super) parts: Vec<Cow<'a, RawValue>>,
    /// The ids under which the results of its calls are expected, where they have one.
    pub(super) call_ids: Vec<Option<String>>,
}

/// The kept parts of a reply, if this model wrote them and they have the very calls that are told.
pub(super) fn told<'a>(
    model: &str,
    native: Option<&'a Native>,
    calls: &[RequestCall],
) -> Option<Sent<'a>> {
    let parts = replay::items(native, DIALECT, model)?;
    let mut called = Vec::new();
    for part in &parts {
        let part: Part = serde_json::from_str(part.get()).ok()?;
        called.extend(part.function_call);
    }
    let is_same = called.len() == calls.len()
        && called
            .iter()
            .zip(calls)
            .all(|(kept, told)| kept.name.as_ref() == Some(&told.tool));
    let call_ids = called.into_iter().map(|call| call.id).collect();
    is_same.then(|| Sent {
        parts: parts.into_iter().map(Cow::Borrowed).collect(),
        call_ids,
    })
}
