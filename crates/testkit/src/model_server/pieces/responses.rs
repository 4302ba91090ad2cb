//! OpenAI Responses: items that begin, grow and end, and then all of it once more. Thoughts are
//! encrypted.

use serde_json::{Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut events = Vec::new();
    if stream.has_end {
        for kind in ["response.created", "response.in_progress"] {
            let response = response("in_progress", &[]);
            events.push(json!({"type": kind, "response": response}));
        }
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
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        })
    });
    let mut response = response(status, output);
    response["usage"] = json!(usage);
    response["incomplete_details"] = json!(why.map(|reason| json!({ "reason": reason })));
    json!({"type": format!("response.{status}"), "response": response})
}

fn response(status: &str, output: &[Value]) -> Value {
    json!({
        "id": "resp_scripted", "object": "response", "created_at": 1, "model": "scripted",
        "status": status, "output": output, "usage": null, "error": null,
        "incomplete_details": null, "instructions": null, "metadata": {},
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
    })
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

/// What comes between the beginning of an item and its end: its one part begins, grows and ends.
fn growing(index: usize, part: &Part) -> Vec<Value> {
    match part {
        Part::Text(words) => {
            let piece =
                |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
            let names = ["content_part", "output_text", "text"];
            around(
                names,
                "content_index",
                index,
                &format!("msg_{index}"),
                words,
                piece,
            )
        }
        Part::Reasoning(words) => {
            let piece = |text: &str| json!({"type": "summary_text", "text": text});
            let names = ["reasoning_summary_part", "reasoning_summary_text", "text"];
            around(
                names,
                "summary_index",
                index,
                &format!("rs_{index}"),
                words,
                piece,
            )
        }
        Part::Call { arguments, .. } => {
            let of = |event: &str, name: &str, value: &str| {
                json!({
                    "type": format!("response.function_call_arguments.{event}"),
                    "output_index": index, "item_id": format!("fc_{index}"), name: value,
                })
            };
            let bits = super::bits(arguments);
            let deltas = bits.iter().map(|bit| of("delta", "delta", bit));
            deltas.chain([of("done", "arguments", arguments)]).collect()
        }
        Part::Raw(_) => Vec::new(),
    }
}

fn around(
    [part, growth, whole]: [&str; 3],
    place: &str,
    index: usize,
    item: &str,
    words: &[String],
    piece: impl Fn(&str) -> Value,
) -> Vec<Value> {
    let of = |kind: String, name: &str, value: Value| {
        json!({
            "type": format!("response.{kind}"), "output_index": index, "item_id": item,
            place: 0, name: value,
        })
    };
    let text = words.concat();
    let mut events = vec![of(format!("{part}.added"), "part", piece(""))];
    events.extend(
        words
            .iter()
            .map(|word| of(format!("{growth}.delta"), "delta", json!(word))),
    );
    events.push(of(format!("{growth}.done"), whole, json!(text)));
    events.push(of(format!("{part}.done"), "part", piece(&text)));
    events
}
