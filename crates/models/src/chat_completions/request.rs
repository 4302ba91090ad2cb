//! The body of a request. Pure, and the same bytes for the same request: providers find what they
//! have read before by its bytes.

use std::borrow::Cow;

use engine::{ModelError, ModelRequest, RequestCall, RequestMessage, RequestPart, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;
use crate::given::{self, Piece};
use crate::{failure, pairs, written_calls};

/// What is not the person's to choose.
const OWN: [&str; 5] = ["model", "messages", "tools", "stream", "stream_options"];

/// The request as the provider reads it. A call without a result is never sent: no provider
/// accepts it, and each says so in its own way.
pub(super) fn body(endpoint: &Endpoint, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    pairs::check(&request.messages)?;
    let instructions = request
        .instructions
        .as_deref()
        .map(|content| Message::System { content });
    let messages = request.messages.iter().map(message);
    let body = Body {
        model: &endpoint.model,
        messages: instructions.into_iter().chain(messages).collect(),
        tools: request.tools.iter().map(tool).collect(),
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
        options: endpoint.options_beside(&OWN),
    };
    serde_json::to_vec(&body).map_err(|error| failure::no_form(&error))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    // An empty list is an error at some providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(flatten)]
    options: Map<String, Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        // Null beside calls, as the provider itself writes it.
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

/// One text wherever that is enough: not every server takes a list.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
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

fn message(message: &RequestMessage) -> Message<'_> {
    match message {
        RequestMessage::User { parts, text } => Message::User {
            content: content(parts, text),
        },
        RequestMessage::Agent {
            text,
            calls,
            native: _,
        } => {
            let text = written_calls::text_beside(text, calls);
            Message::Assistant {
                content: (!text.is_empty() || calls.is_empty()).then_some(text),
                tool_calls: calls.iter().map(call).collect(),
            }
        }
        RequestMessage::Result {
            call_id,
            tool: _,
            text,
            is_error,
        } => Message::Tool {
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

fn content<'a>(parts: &'a [RequestPart], text: &'a str) -> Content<'a> {
    if given::images(parts).next().is_none() {
        return Content::Text(given::text(parts, text));
    }
    let pieces = given::pieces(parts, text).into_iter();
    let parts = pieces.map(|piece| match piece {
        Piece::Text(text) => Part::Text { text },
        Piece::Image(image) => Part::ImageUrl {
            image_url: ImageUrl {
                url: given::data_url(image),
            },
        },
    });
    Content::Parts(parts.collect())
}

fn call(call: &RequestCall) -> ToolCall<'_> {
    ToolCall {
        id: &call.id,
        r#type: "function",
        function: CalledFunction {
            name: &call.tool,
            arguments: arguments(&call.arguments),
        },
    }
}

/// Exactly what the model wrote, if it is an object. Servers that render prompts themselves read
/// the arguments and fail for good on anything else, so what is malformed is sent inside of one.
fn arguments(written: &str) -> Cow<'_, str> {
    if written.trim().is_empty() {
        return "{}".into();
    }
    match serde_json::from_str::<Value>(written) {
        Ok(Value::Object(_)) => written.into(),
        Ok(_) | Err(_) => json!({ "malformed": written }).to_string().into(),
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
