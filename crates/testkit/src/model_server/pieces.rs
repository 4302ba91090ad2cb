//! Replies in pieces, as a provider would send them.

mod anthropic;
mod chat_completions;
mod gemini;
mod ollama;
mod responses;

use serde_json::Value;

use super::dialect::Dialect;
use super::reply::{Part, Stream};

/// Arguments are cut into pieces of so many characters.
const ARGUMENT_CHARS: usize = 12;
const HUGE_PIECE: usize = 4 * 1024;

/// The data of each event of a reply.
pub(super) fn of(stream: &Stream, dialect: Dialect) -> Vec<String> {
    match dialect {
        Dialect::ChatCompletions => chat_completions::of(stream),
        Dialect::Anthropic => anthropic::of(stream),
        Dialect::Responses => responses::of(stream),
        Dialect::Ollama => ollama::of(stream),
        Dialect::Gemini => gemini::of(stream),
    }
}

/// An event on the wire. Those that have a type have it as their name too.
pub(super) fn framed(data: &str, dialect: Dialect) -> String {
    if dialect.is_lines() {
        return format!("{data}\n");
    }
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    value["type"].as_str().map_or_else(
        || format!("data: {data}\n\n"),
        |name| format!("event: {name}\ndata: {data}\n\n"),
    )
}

/// A word at a time.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace)
        .map(str::to_owned)
        .collect()
}

/// Bit by bit.
fn bits(arguments: &str) -> Vec<String> {
    let characters: Vec<char> = arguments.chars().collect();
    let bits = characters.chunks(ARGUMENT_CHARS);
    bits.map(|bit| bit.iter().collect()).collect()
}

/// So many bytes of text.
pub(super) fn huge(bytes: usize) -> Vec<String> {
    let line = "All work and no play makes a long reply. ";
    let piece: String = line.chars().cycle().take(HUGE_PIECE).collect();
    let mut pieces = vec![piece.clone(); bytes / HUGE_PIECE];
    pieces.push(piece[..bytes % HUGE_PIECE].to_owned());
    pieces
}

/// Why a reply ends that does not say so itself.
fn reason<'a>(stream: &'a Stream, with_calls: &'a str, without: &'a str) -> &'a str {
    let has_calls = stream
        .parts
        .iter()
        .any(|part| matches!(part, Part::Call { .. }));
    let by_itself = if has_calls { with_calls } else { without };
    stream.finish.as_deref().unwrap_or(by_itself)
}
