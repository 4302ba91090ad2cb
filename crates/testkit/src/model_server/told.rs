//! What a session tells, whatever way it is told in.

use serde_json::Value;

use super::dialect::Dialect;
use super::request::ToolResult;

/// A piece of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told<'a> {
    User(&'a str),
    Model,
    Result(ToolResult),
}

/// The session of a request, oldest first.
pub(super) fn of(dialect: Dialect, body: &Value) -> Vec<Told<'_>> {
    match dialect {
        Dialect::ChatCompletions | Dialect::Ollama => {
            list(&body["messages"]).filter_map(chat).collect()
        }
        Dialect::Anthropic => list(&body["messages"]).flat_map(anthropic).collect(),
        Dialect::Responses => {
            let mut told: Vec<Told<'_>> = list(&body["input"]).map(responses).collect();
            // A reply is many items.
            told.dedup_by(|one, before| *one == Told::Model && *before == Told::Model);
            told
        }
        Dialect::Gemini => list(&body["contents"]).flat_map(gemini).collect(),
    }
}

fn chat(message: &Value) -> Option<Told<'_>> {
    match message["role"].as_str()? {
        "user" => Some(Told::User(text(&message["content"]))),
        "assistant" => Some(Told::Model),
        "tool" => Some(result(&message["tool_call_id"], &message["content"])),
        _ => None,
    }
}

fn anthropic(message: &Value) -> Vec<Told<'_>> {
    if message["role"] == "assistant" {
        return vec![Told::Model];
    }
    let block = |block: &'_ Value| block["type"] == "tool_result";
    list(&message["content"])
        .map(|one| {
            if block(one) {
                result(&one["tool_use_id"], &one["content"])
            } else {
                Told::User(text(&one["text"]))
            }
        })
        .collect()
}

fn responses(item: &Value) -> Told<'_> {
    if item["type"] == "function_call_output" {
        return result(&item["call_id"], &item["output"]);
    }
    if item["role"] == "user" {
        return Told::User(text(&item["content"][0]["text"]));
    }
    Told::Model
}

fn gemini(content: &Value) -> Vec<Told<'_>> {
    if content["role"] == "model" {
        return vec![Told::Model];
    }
    let part = |part: &'_ Value| part["functionResponse"].is_object();
    list(&content["parts"])
        .map(|one| {
            if !part(one) {
                return Told::User(text(&one["text"]));
            }
            let answer = &one["functionResponse"];
            let said = answer["response"].as_object();
            let said = said.and_then(|said| said.values().next());
            result(&answer["id"], said.unwrap_or(&Value::Null))
        })
        .collect()
}

fn result<'a>(call_id: &Value, said: &Value) -> Told<'a> {
    Told::Result(ToolResult {
        call_id: text(call_id).to_owned(),
        text: text(said).to_owned(),
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
