//! Where calls stand in a text.

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::WrittenCall;
use super::shape::calls_of;

const TAG: &str = "<tool_call>";
const TAG_END: &str = "</tool_call>";
const FENCE: &str = "```";
const THOUGHT: &str = "<think>";
const THOUGHT_END: &str = "</think>";
/// What models write after the fence of a call.
const INFOS: [&str; 4] = ["", "json", "tool_call", "tool_calls"];

/// The calls of a text, and where they begin. Nothing, if it has none that count.
pub(crate) fn find(
    text: &str,
    is_tool: impl Fn(&str) -> bool,
) -> Option<(usize, Vec<WrittenCall>)> {
    let start = after_thought(text);
    let rest = text[start..].trim_end();
    let (at, calls) = if rest.starts_with(['{', '[']) {
        (0, bare(rest)?)
    } else {
        match rest.find(TAG) {
            Some(at) if !has_fence(&rest[..at]) => (at, tagged(&rest[at..])?),
            Some(_) | None => fenced(rest)?,
        }
    };
    let all_known = !calls.is_empty() && calls.iter().all(|call| is_tool(&call.tool));
    all_known.then_some((start + at, calls))
}

/// Some servers leave the thought in the text.
fn after_thought(text: &str) -> usize {
    let beginning = text.len() - text.trim_start().len();
    let thought = text[beginning..]
        .strip_prefix(THOUGHT)
        .and_then(|thought| thought.find(THOUGHT_END));
    match thought {
        Some(end) => {
            let end = beginning + THOUGHT.len() + end + THOUGHT_END.len();
            end + (text[end..].len() - text[end..].trim_start().len())
        }
        None => beginning,
    }
}

fn has_fence(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with(FENCE))
}

/// Nothing but JSON.
fn bare(text: &str) -> Option<Vec<WrittenCall>> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut calls = Vec::new();
    for value in Deserializer::from_str(text).into_iter::<&RawValue>() {
        calls.extend(calls_of(value.ok()?)?);
    }
    Some(calls)
}

/// Nothing but tags. The last one may lack its end: some templates take that for the end of the reply.
fn tagged(text: &str) -> Option<Vec<WrittenCall>> {
    let mut calls = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let body = rest.strip_prefix(TAG)?;
        // Not up to the next end of a tag: the arguments may have one in them.
        let mut values = Deserializer::from_str(body).into_iter::<&RawValue>();
        calls.extend(calls_of(values.next()?.ok()?)?);
        let after = body[values.byte_offset()..].trim_start();
        rest = match after.strip_prefix(TAG_END) {
            Some(after) => after.trim_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(calls)
}

/// Blocks at the end of the text, and no others in it.
fn fenced(text: &str) -> Option<(usize, Vec<WrittenCall>)> {
    let blocks = blocks(text)?;
    let first = blocks.first()?.from;
    let mut end = first;
    let mut calls = Vec::new();
    for block in blocks {
        if !text[end..block.from].trim().is_empty() {
            return None;
        }
        let inner = block.text.trim();
        calls.extend(if inner.starts_with(TAG) {
            tagged(inner)?
        } else {
            bare(inner)?
        });
        end = block.to;
    }
    text[end..].trim().is_empty().then_some((first, calls))
}

/// A fenced block, from its first fence to the end of its last.
struct Block<'a> {
    from: usize,
    to: usize,
    text: &'a str,
}

/// The blocks of a text. Nothing, if one is open or is said to hold something else.
fn blocks(text: &str) -> Option<Vec<Block<'_>>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(info) = line.trim().strip_prefix(FENCE) else {
            continue;
        };
        open = match open {
            None => {
                let info = info.trim().to_ascii_lowercase();
                INFOS
                    .contains(&info.as_str())
                    .then_some(Some((start, at)))?
            }
            Some((from, inner)) if info.is_empty() => {
                blocks.push(Block {
                    from,
                    to: at,
                    text: &text[inner..start],
                });
                None
            }
            Some(_) => return None,
        };
    }
    open.is_none().then_some(blocks)
}
