//! The items that a session is told in.

use std::borrow::Cow;

use engine::{RequestCall, RequestPart};
use protocol::Native;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::DIALECT;
use crate::given::{self, Piece};
use crate::replay::{self, fitting};

/// The longest that the provider accepts.
const LONGEST_ID: usize = 64;
const LONGEST_NAME: usize = 128;

/// An item, as the provider wrote it or as we do.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Item<'a> {
    Verbatim(&'a RawValue),
    Ours(Ours<'a>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Ours<'a> {
    Message {
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    FunctionCall {
        call_id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
    },
    FunctionCallOutput {
        call_id: Cow<'a, str>,
        output: Cow<'a, str>,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    InputText {
        text: Cow<'a, str>,
    },
    InputImage {
        image_url: String,
        detail: &'static str,
    },
    OutputText {
        text: &'a str,
    },
}

impl<'a> Item<'a> {
    pub(super) fn user(parts: &'a [RequestPart], text: &'a str) -> Self {
        let pieces = given::pieces(parts, text).into_iter();
        let content = pieces.map(|piece| match piece {
            Piece::Text(text) => Part::InputText { text },
            Piece::Image(image) => Part::InputImage {
                image_url: given::data_url(image),
                detail: "auto",
            },
        });
        Self::Ours(Ours::Message {
            role: "user",
            content: content.collect(),
        })
    }

    fn agent(text: &'a str) -> Self {
        Self::Ours(Ours::Message {
            role: "assistant",
            content: vec![Part::OutputText { text }],
        })
    }

    fn call(call: &'a RequestCall) -> Self {
        let arguments = match replay::arguments(&call.arguments) {
            Cow::Borrowed(_) if call.arguments.trim().is_empty() => "{}".into(),
            // Exactly as they were written, blanks around them included.
            Cow::Borrowed(_) => Cow::Borrowed(call.arguments.as_str()),
            Cow::Owned(object) => object.get().to_owned().into(),
        };
        Self::Ours(Ours::FunctionCall {
            call_id: fitting(&call.id, LONGEST_ID, "call"),
            name: fitting(&call.tool, LONGEST_NAME, "unnamed"),
            arguments,
        })
    }

    pub(super) fn result(call_id: &'a str, text: &'a str, is_error: bool) -> Self {
        Self::Ours(Ours::FunctionCallOutput {
            call_id: fitting(call_id, LONGEST_ID, "call"),
            // This dialect has no other place for it.
            output: if is_error {
                format!("Error: {text}").into()
            } else {
                text.into()
            },
        })
    }
}

/// What the model said: in its own words where they are known, or else in ours.
pub(super) fn said<'a>(
    model: &str,
    text: &'a str,
    calls: &'a [RequestCall],
    native: Option<&'a Native>,
) -> Vec<Item<'a>> {
    // A thought must be followed by what it led to.
    if text.trim().is_empty() && calls.is_empty() {
        return Vec::new();
    }
    let items = replay::items(native, DIALECT, model);
    if let Some(items) = items.and_then(|items| verbatim(&items, text, calls)) {
        return items;
    }
    let text = (!text.trim().is_empty()).then(|| Item::agent(text));
    text.into_iter()
        .chain(calls.iter().map(Item::call))
        .collect()
}

/// What is compared of an item.
#[derive(Deserialize)]
struct Said {
    r#type: String,
    content: Option<Vec<SaidPart>>,
    call_id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct SaidPart {
    text: Option<String>,
}

/// Its own words, if they say what was stored: the same text and the same calls. A call that was
/// stored under another id, or with other arguments, is told as it was stored; the thoughts around
/// it stay as they are.
fn verbatim<'a>(
    items: &[&'a RawValue],
    text: &str,
    calls: &'a [RequestCall],
) -> Option<Vec<Item<'a>>> {
    let mut told = Vec::with_capacity(items.len());
    let mut calls = calls.iter();
    let mut texts: Vec<String> = Vec::new();
    for raw in items {
        let said: Said = serde_json::from_str(raw.get()).ok()?;
        let mut item = Item::Verbatim(raw);
        match said.r#type.as_str() {
            "message" => {
                let parts = said.content.unwrap_or_default();
                texts.extend(parts.into_iter().filter_map(|part| part.text));
            }
            "function_call" => {
                let call = calls.next()?;
                if !is_same(&said, call) {
                    item = Item::call(call);
                }
            }
            _ => {}
        }
        told.push(item);
    }
    let is_all = calls.next().is_none() && is_same_text(&texts, text);
    is_all.then_some(told)
}

/// Word for word: how blocks are joined does not matter.
fn is_same_text(texts: &[String], text: &str) -> bool {
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    words.eq(text.split_whitespace())
}

/// Also under the id that its result will name.
fn is_same(said: &Said, call: &RequestCall) -> bool {
    said.call_id.as_ref() == Some(&call.id)
        && fitting(&call.id, LONGEST_ID, "call") == call.id
        && said.name.as_ref() == Some(&call.tool)
        && said.arguments.as_ref() == Some(&call.arguments)
}
