//! The body of a request. Pure, and the same bytes for the same request: the server finds what it
//! has read before by comparing.

use std::borrow::Cow;

use engine::{ModelError, ModelRequest, RequestCall, RequestMessage, ToolSpec};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::thought;
use crate::endpoint::Endpoint;
use crate::{failure, given, pairs, replay, written_calls};

/// What is not the person's to choose.
const OWN: [&str; 5] = ["model", "messages", "tools", "stream", "options"];

/// The request as the server reads it. Where the size of the window is known it is said, because the
/// server otherwise takes a small one and drops the beginning of the session without a word. How long
/// the model stays loaded is left to whoever runs the server.
pub(super) fn body(endpoint: &Endpoint, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    let model = endpoint.model.as_str();
    pairs::check(&request.messages)?;
    let instructions = request
        .instructions
        .as_deref()
        .map(|content| Message::System { content });
    let messages = request.messages.iter().map(|told| message(model, told));
    let body = Body {
        model,
        messages: instructions.into_iter().chain(messages).collect(),
        tools: request.tools.iter().map(tool).collect(),
        stream: true,
        options: options(endpoint),
        beside: endpoint.options_beside(&OWN),
    };
    serde_json::to_vec(&body).map_err(|error| failure::no_form(&error))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    // Models that know no tools refuse even an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Map::is_empty")]
    options: Map<String, Value>,
    #[serde(flatten)]
    beside: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<&'a str>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        // Older versions know the name alone, newer ones tell calls of one tool apart by the id.
        tool_name: &'a str,
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, RawValue>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

/// What the person chose for the model, and the size of the window, if that is not among it.
fn options(endpoint: &Endpoint) -> Map<String, Value> {
    let chosen = endpoint.options.get("options").and_then(Value::as_object);
    let mut options = chosen.cloned().unwrap_or_default();
    if let Some(tokens) = endpoint.context_tokens {
        options.entry("num_ctx").or_insert_with(|| tokens.into());
    }
    options
}

fn message<'a>(model: &str, told: &'a RequestMessage) -> Message<'a> {
    match told {
        RequestMessage::User { parts, text } => Message::User {
            content: given::text(parts, text),
            images: given::images(parts)
                .map(|image| image.data.as_str())
                .collect(),
        },
        RequestMessage::Agent {
            text,
            calls,
            native,
        } => Message::Assistant {
            content: written_calls::text_beside(text, calls),
            thinking: thought::told(model, native.as_deref()),
            tool_calls: calls.iter().map(call).collect(),
        },
        RequestMessage::Result {
            call_id,
            tool,
            text,
            is_error,
        } => Message::Tool {
            tool_name: tool,
            tool_call_id: call_id,
            // This dialect has no other place for it.
            content: if *is_error {
                format!("Error: {text}").into()
            } else {
                text.into()
            },
        },
    }
}

fn call(call: &RequestCall) -> ToolCall<'_> {
    ToolCall {
        id: &call.id,
        function: CalledFunction {
            name: &call.tool,
            arguments: replay::arguments(&call.arguments),
        },
    }
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    Tool {
        r#type: "function",
        function: Function {
            name: &spec.name,
            description: &spec.description,
            parameters: &spec.parameters,
        },
    }
}

#[cfg(test)]
mod tests;
