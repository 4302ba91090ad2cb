//! Gemini: candidates with a part or two each. Calls come whole; after a thought the first is signed.

use serde_json::{Map, Value, json};

use super::super::reply::{Part, Stream};

pub(super) fn of(stream: &Stream) -> Vec<String> {
    let mut events = Vec::new();
    let mut thought = None;
    for part in &stream.parts {
        match part {
            Part::Text(words) => events.extend(texts(words, false)),
            Part::Reasoning(words) => {
                thought = Some(words.concat());
                events.extend(texts(words, true));
            }
            Part::Call {
                id,
                tool,
                arguments,
            } => {
                let signature = thought.take().map(|thought| signature(&thought));
                events.push(event(&call(id, tool, arguments, signature.as_deref())));
            }
            Part::Raw(event) => events.push(event.clone()),
        }
    }
    if stream.has_end {
        events.push(end(stream));
    }
    events
}

fn texts(words: &[String], is_thought: bool) -> Vec<String> {
    let part = |word: &String| {
        let mut part = json!({ "text": word });
        if is_thought {
            part["thought"] = json!(true);
        }
        event(&part.to_string())
    };
    words.iter().map(part).collect()
}

/// The arguments as they are: a value would write them anew.
fn call(id: &str, tool: &str, arguments: &str, signature: Option<&str>) -> String {
    let (id, tool) = (json!(id), json!(tool));
    let signed = signature.map_or_else(String::new, |signature| {
        format!(",\"thoughtSignature\":\"{signature}\"")
    });
    format!("{{\"functionCall\":{{\"id\":{id},\"name\":{tool},\"args\":{arguments}}}{signed}}}")
}

fn event(part: &str) -> String {
    format!(
        "{{\"candidates\":[{{\"content\":{{\"parts\":[{part}],\"role\":\"model\"}},\"index\":0}}],\
         \"modelVersion\":\"scripted\",\"responseId\":\"scripted\"}}"
    )
}

fn end(stream: &Stream) -> String {
    let reason = match super::reason(stream, "STOP", "STOP") {
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        reason => reason,
    };
    let content = json!({"parts": [{"text": ""}], "role": "model"});
    let mut last = json!({
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "modelVersion": "scripted",
        "responseId": "scripted",
    });
    if let Some(usage) = stream.usage {
        let mut said = Map::new();
        said.insert("promptTokenCount".to_owned(), json!(usage.input));
        said.insert("candidatesTokenCount".to_owned(), json!(usage.output));
        said.insert(
            "totalTokenCount".to_owned(),
            json!(usage.input + usage.output),
        );
        if let Some(cached) = usage.cached {
            said.insert("cachedContentTokenCount".to_owned(), json!(cached));
        }
        last["usageMetadata"] = Value::Object(said);
    }
    last.to_string()
}

/// Bytes in base64, as they must be here, that only the thought they belong to has.
fn signature(thought: &str) -> String {
    format!("c2lnbmVk{:04}", thought.len() % 10_000)
}
