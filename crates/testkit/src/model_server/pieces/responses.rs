//! OpenAI Responses: items that begin, grow and end, and then all of it once more. Thoughts are
//! encrypted.

use serde_json::{Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut events = Vec::new();
    if stream.has_end {
        let response = json!({"id": "resp_scripted", "status": "in_progress", "output": []});
        events.push(json!({"type": "response.created", "response": response}));
    }
    let mut output = Vec::new();
    for (index, part) in stream.parts.iter().enumerate() {
        if let Part::Raw(event) = part {
            events.push(serde_json::from_str(event).unwrap_or_default());
            continue;
        }
        let item = item(index, part);
        events.push(json!({
            "type": "response.output_item.added", "output_index": index, "item": begun(&item),
        }));
        events.extend(growing(index, part));
        events.push(json!({
            "type": "response.output_item.done", "output_index": index, "item": item,
        }));
        output.push(item);
    }
    if stream.has_end {
        events.push(end(stream, &output));
    }
    let numbered = (0..).zip(&mut events).map(|(number, event)| {
        if event["type"].is_string() {
            event["sequence_number"] = json!(number);
        }
        event.to_string()
    });
    numbered.collect()
}

fn end(stream: &Stream, output: &[Value]) -> Value {
    let why = match super::reason(stream, "completed", "completed") {
        "length" => Some("max_output_tokens"),
        "content_filter" => Some("content_filter"),
        _ => None,
    };
    let status = if why.is_some() {
        "incomplete"
    } else {
        "completed"
    };
    let usage = stream.usage.map(|usage| {
        json!({
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
        })
    });
    let response = json!({
        "id": "resp_scripted", "status": status, "output": output, "usage": usage, "error": null,
        "incomplete_details": why.map(|reason| json!({ "reason": reason })),
    });
    json!({"type": format!("response.{status}"), "response": response})
}

/// An item that is whole.
fn item(index: usize, part: &Part) -> Value {
    match part {
        Part::Text(words) => json!({
            "id": format!("msg_{index}"), "type": "message", "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": words.concat(), "annotations": []}],
        }),
        Part::Reasoning(words) => json!({
            "id": format!("rs_{index}"), "type": "reasoning",
            "summary": [{"type": "summary_text", "text": words.concat()}],
            "encrypted_content": format!("gAAAA/{}+{}==", words.len(), words.concat().len()),
        }),
        Part::Call {
            id,
            tool,
            arguments,
        } => json!({
            "id": format!("fc_{index}"), "type": "function_call", "status": "completed",
            "call_id": id, "name": tool, "arguments": arguments,
        }),
        Part::Raw(_) => Value::Null,
    }
}

/// The same item when it begins: with nothing in it, and with half of its secret.
fn begun(item: &Value) -> Value {
    let mut item = item.clone();
    for (field, empty) in [
        ("content", json!([])),
        ("summary", json!([])),
        ("arguments", json!("")),
        ("encrypted_content", json!("gAA")),
        ("status", json!("in_progress")),
    ] {
        if item.get(field).is_some() {
            item[field] = empty;
        }
    }
    item
}

fn growing(index: usize, part: &Part) -> Vec<Value> {
    let (kind, pieces) = match part {
        Part::Text(words) => ("output_text", words.clone()),
        Part::Reasoning(words) => ("reasoning_summary_text", words.clone()),
        Part::Call { arguments, .. } => ("function_call_arguments", super::bits(arguments)),
        Part::Raw(_) => return Vec::new(),
    };
    let delta = |piece: &String| {
        json!({
            "type": format!("response.{kind}.delta"), "output_index": index, "content_index": 0,
            "delta": piece,
        })
    };
    pieces.iter().map(delta).collect()
}
