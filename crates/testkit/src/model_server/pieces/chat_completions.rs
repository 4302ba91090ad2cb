//! Chat Completions: the same object again and again, with a bit more in each.

use serde_json::{Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut events = Vec::new();
    let mut call_count = 0;
    for part in &stream.parts {
        match part {
            Part::Text(words) => events.extend(text("content", words)),
            Part::Reasoning(words) => events.extend(text("reasoning_content", words)),
            Part::Call {
                id,
                tool,
                arguments,
            } => {
                events.extend(call(call_count, id, tool, arguments));
                call_count += 1;
            }
            Part::Raw(event) => events.push(event.clone()),
        }
    }
    if stream.has_end {
        end(stream, &mut events);
    }
    events
}

fn end(stream: &Stream, events: &mut Vec<String>) {
    let reason = super::reason(stream, "tool_calls", "stop");
    let choice = json!([{"index": 0, "delta": {}, "finish_reason": reason}]);
    events.push(event(&choice, &Value::Null));
    if let Some(usage) = stream.usage {
        let mut said = json!({"prompt_tokens": usage.input, "completion_tokens": usage.output});
        if let Some(cached) = usage.cached {
            said["prompt_tokens_details"] = json!({"cached_tokens": cached});
        }
        events.push(event(&json!([]), &said));
    }
    events.push("[DONE]".to_owned());
}

fn text(field: &str, words: &[String]) -> Vec<String> {
    words
        .iter()
        .map(|word| delta(&json!({ field: word })))
        .collect()
}

/// Id and name first, then the arguments bit by bit.
fn call(index: usize, id: &str, tool: &str, arguments: &str) -> Vec<String> {
    let first = json!({
        "index": index, "id": id, "type": "function",
        "function": {"name": tool, "arguments": ""},
    });
    let rest = super::bits(arguments);
    let rest = rest
        .iter()
        .map(|bit| json!({"index": index, "function": {"arguments": bit}}));
    std::iter::once(first)
        .chain(rest)
        .map(|fragment| delta(&json!({ "tool_calls": [fragment] })))
        .collect()
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
