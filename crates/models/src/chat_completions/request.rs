//! The body of a request. Pure, and the same bytes for the same request: providers find what they
//! have read before by its bytes.

use std::borrow::Cow;

use engine::{ModelError, ModelRequest, RequestCall, RequestMessage, ToolSpec};
use protocol::ErrorClass;
use serde::Serialize;
use serde_json::{Value, json};

/// The request as the provider reads it. A call without a result is never sent: no provider
/// accepts it, and each says so in its own way.
pub(super) fn body(model: &str, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    check_pairs(&request.messages)?;
    let instructions = request
        .instructions
        .as_deref()
        .map(|content| Message::System { content });
    let messages = request.messages.iter().map(message);
    let body = Body {
        model,
        messages: instructions.into_iter().chain(messages).collect(),
        tools: request.tools.iter().map(tool).collect(),
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
    };
    serde_json::to_vec(&body)
        .map_err(|error| internal(&format!("The request has no form: {error}")))
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
        content: &'a str,
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
        RequestMessage::User { text } => Message::User { content: text },
        RequestMessage::Agent {
            text,
            calls,
            native: _,
        } => Message::Assistant {
            content: (!text.is_empty() || calls.is_empty()).then_some(text),
            tool_calls: calls.iter().map(call).collect(),
        },
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

fn check_pairs(messages: &[RequestMessage]) -> Result<(), ModelError> {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            RequestMessage::Result { call_id, .. } => {
                let Some(at) = open.iter().position(|id| id == call_id) else {
                    return Err(internal("A result has no tool call that it belongs to."));
                };
                open.remove(at);
            }
            RequestMessage::User { .. } | RequestMessage::Agent { .. } if !open.is_empty() => break,
            RequestMessage::User { .. } => {}
            RequestMessage::Agent { calls, .. } => {
                open.extend(calls.iter().map(|call| call.id.as_str()));
            }
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(internal("A tool call has no result."))
}

fn internal(message: &str) -> ModelError {
    ModelError::new(ErrorClass::Internal, message)
}

#[cfg(test)]
mod tests;
