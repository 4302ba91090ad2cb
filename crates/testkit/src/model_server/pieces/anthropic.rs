//! Anthropic Messages: blocks that begin, grow and end. Thoughts are signed.

use serde_json::{Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut events = Vec::new();
    if stream.has_end {
        events.push(start(stream));
    }
    for (index, part) in stream.parts.iter().enumerate() {
        events.extend(block(index, part));
    }
    if stream.has_end {
        end(stream, &mut events);
    }
    events
}

fn start(stream: &Stream) -> String {
    let usage = stream.usage.map_or(json!({}), |usage| {
        let cached = usage.cached.unwrap_or(0);
        json!({
            "input_tokens": usage.input - cached,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        })
    });
    let message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    json!({"type": "message_start", "message": message}).to_string()
}

fn end(stream: &Stream, events: &mut Vec<String>) {
    let reason = match super::reason(stream, "tool_use", "end_turn") {
        "length" => "max_tokens",
        "content_filter" => "refusal",
        reason => reason,
    };
    let output = stream.usage.map(|usage| usage.output);
    events.push(
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": output},
        })
        .to_string(),
    );
    events.push(json!({"type": "message_stop"}).to_string());
}

fn block(index: usize, part: &Part) -> Vec<String> {
    let (first, deltas) = match part {
        Part::Raw(event) => return vec![event.clone()],
        Part::Text(words) => (
            json!({"type": "text", "text": ""}),
            deltas("text_delta", "text", words),
        ),
        Part::Reasoning(words) => {
            let mut deltas = deltas("thinking_delta", "thinking", words);
            let signature = signature(&words.concat());
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            let first = json!({"type": "thinking", "thinking": "", "signature": ""});
            (first, deltas)
        }
        Part::Call {
            id,
            tool,
            arguments,
        } => {
            let bits = super::bits(arguments);
            let deltas = deltas("input_json_delta", "partial_json", &bits);
            let first = json!({"type": "tool_use", "id": id, "name": tool, "input": {}});
            (first, deltas)
        }
    };
    let start = json!({"type": "content_block_start", "index": index, "content_block": first});
    let grow = deltas
        .iter()
        .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    let stop = json!({"type": "content_block_stop", "index": index});
    let all = std::iter::once(start).chain(grow).chain([stop]);
    all.map(|event| event.to_string()).collect()
}

fn deltas(kind: &str, field: &str, pieces: &[String]) -> Vec<Value> {
    let delta = |piece: &String| json!({"type": kind, field: piece});
    pieces.iter().map(delta).collect()
}

/// Something that only the thought it belongs to has.
fn signature(thought: &str) -> String {
    format!("signed/{}+{}==", thought.len(), thought.chars().count())
}
