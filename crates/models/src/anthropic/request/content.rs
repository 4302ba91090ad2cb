//! The blocks that a message consists of.

use std::borrow::Cow;

use engine::{RequestCall, RequestPart};
use protocol::Native;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::DIALECT;
use super::{MARK, Mark};
use crate::given::{self, Piece};
use crate::replay::{self, fitting};

const LONGEST_ID: usize = 128;
const LONGEST_NAME: usize = 128;

/// A block, as the provider wrote it or as we do.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Block<'a> {
    Verbatim(&'a RawValue),
    Ours(Ours<'a>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Ours<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Cow<'a, RawValue>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        content: &'a str,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl<'a> Block<'a> {
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Ours(Ours::Text {
            text: text.into(),
            cache_control: None,
        })
    }

    pub(super) const fn marked_text(text: &'a str) -> Self {
        Self::Ours(Ours::Text {
            text: Cow::Borrowed(text),
            cache_control: Some(MARK),
        })
    }

    pub(super) fn result(call_id: &'a str, text: &'a str, is_error: bool) -> Self {
        Self::Ours(Ours::ToolResult {
            tool_use_id: fitting(call_id, LONGEST_ID, "call"),
            content: text,
            is_error,
            cache_control: None,
        })
    }

    fn call(call: &'a RequestCall) -> Self {
        Self::Ours(Ours::ToolUse {
            id: fitting(&call.id, LONGEST_ID, "call"),
            name: fitting(&call.tool, LONGEST_NAME, "unnamed"),
            input: replay::arguments(&call.arguments),
        })
    }

    /// Everything up to this block may be remembered. Only our own words are marked.
    pub(super) const fn mark(&mut self) {
        if let Self::Ours(
            Ours::Text { cache_control, .. }
            | Ours::Image { cache_control, .. }
            | Ours::ToolResult { cache_control, .. },
        ) = self
        {
            *cache_control = Some(MARK);
        }
    }
}

/// What the person wrote, behind what they gave along with it.
pub(super) fn given<'a>(parts: &'a [RequestPart], text: &'a str) -> Vec<Block<'a>> {
    let pieces = given::pieces(parts, text).into_iter();
    let blocks = pieces.map(|piece| match piece {
        Piece::Text(text) => Block::text(text),
        Piece::Image(image) => Block::Ours(Ours::Image {
            source: Source::Base64 {
                media_type: &image.media_type,
                data: &image.data,
            },
            cache_control: None,
        }),
    });
    blocks.collect()
}

/// What the model said: in its own words where they are known, or else in ours. Nothing if it only
/// thought: a provider wants thoughts only in front of something.
pub(super) fn said<'a>(
    model: &str,
    text: &'a str,
    calls: &'a [RequestCall],
    native: Option<&'a Native>,
) -> Vec<Block<'a>> {
    if text.trim().is_empty() && calls.is_empty() {
        return Vec::new();
    }
    let items = replay::items(native, DIALECT, model);
    if let Some(blocks) = items.and_then(|items| verbatim(&items, text, calls)) {
        return blocks;
    }
    // Blank text is refused by the provider.
    let text = (!text.trim().is_empty()).then(|| Block::text(text));
    text.into_iter()
        .chain(calls.iter().map(Block::call))
        .collect()
}

/// What is compared of a block.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// Its own words, if they say what was stored: the same text and the same calls. A call that was
/// stored under another id, or with other arguments, is told as it was stored; the thoughts around
/// it stay as they are.
fn verbatim<'a>(
    items: &[&'a RawValue],
    text: &str,
    calls: &'a [RequestCall],
) -> Option<Vec<Block<'a>>> {
    let mut blocks = Vec::with_capacity(items.len());
    let mut calls = calls.iter();
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    for raw in items {
        let item: Item<'a> = serde_json::from_str(raw.get()).ok()?;
        let mut block = Block::Verbatim(raw);
        match item.r#type.as_ref() {
            "text" => texts.push(item.text?),
            "tool_use" => {
                let call = calls.next()?;
                if !is_same(&item, call) {
                    block = Block::call(call);
                }
            }
            _ => {}
        }
        blocks.push(block);
    }
    let is_all = calls.next().is_none() && is_same_text(&texts, text);
    is_all.then_some(blocks)
}

/// Word for word: blank blocks are not told, and how blocks are joined does not matter.
fn is_same_text(texts: &[Cow<'_, str>], text: &str) -> bool {
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    words.eq(text.split_whitespace())
}

/// Also under the id that its result will name.
fn is_same(item: &Item<'_>, call: &RequestCall) -> bool {
    let input = item.input.map(RawValue::get);
    item.id.as_deref() == Some(&call.id)
        && fitting(&call.id, LONGEST_ID, "call") == call.id
        && item.name.as_deref() == Some(&call.tool)
        && input == Some(replay::arguments(&call.arguments).get())
}
