//! Replies in pieces, as a provider would send them.

use serde_json::{Value, json};

use super::reply::Content;

/// Arguments are cut into pieces of so many characters.
const ARGUMENT_CHARS: usize = 12;
const HUGE_PIECE: usize = 4 * 1024;

/// The data of each event of a reply.
pub(super) fn of(content: &Content) -> Vec<String> {
    let Content::Stream(stream) = content else {
        return Vec::new();
    };
    let mut events = stream.events.clone();
    if !stream.has_end {
        return events;
    }
    let by_itself = if stream.call_count > 0 {
        "tool_calls"
    } else {
        "stop"
    };
    let reason = stream.finish.as_deref().unwrap_or(by_itself);
    events.push(event(
        &json!([{"index": 0, "delta": {}, "finish_reason": reason}]),
        &Value::Null,
    ));
    if let Some(usage) = &stream.usage {
        events.push(event(&json!([]), usage));
    }
    events.push("[DONE]".to_owned());
    events
}

/// A word at a time.
pub(super) fn text(field: &str, text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace)
        .map(|word| delta(&json!({ field: word })))
        .collect()
}

/// Id and name first, then the arguments bit by bit.
pub(super) fn call(index: usize, id: &str, tool: &str, arguments: &str) -> Vec<String> {
    let first = json!({
        "index": index, "id": id, "type": "function",
        "function": {"name": tool, "arguments": ""},
    });
    let characters: Vec<char> = arguments.chars().collect();
    let rest = characters.chunks(ARGUMENT_CHARS).map(|piece| {
        let piece: String = piece.iter().collect();
        json!({"index": index, "function": {"arguments": piece}})
    });
    std::iter::once(first)
        .chain(rest)
        .map(|fragment| delta(&json!({ "tool_calls": [fragment] })))
        .collect()
}

/// So many bytes of text.
pub(super) fn huge(bytes: usize) -> Vec<String> {
    let line = "All work and no play makes a long reply. ";
    let piece: String = line.chars().cycle().take(HUGE_PIECE).collect();
    let mut events = vec![delta(&json!({ "content": piece })); bytes / HUGE_PIECE];
    events.push(delta(&json!({ "content": piece[..bytes % HUGE_PIECE] })));
    events
}

fn delta(delta: &Value) -> String {
    let choice = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
    event(&choice, &Value::Null)
}

fn event(choices: &Value, usage: &Value) -> String {
    json!({
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": choices,
        "usage": usage,
    })
    .to_string()
}
