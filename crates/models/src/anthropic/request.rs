//! The body of a request. Pure, and the same bytes for the same request: the provider finds what it
//! has read before by its bytes.
//!
//! Messages are never merged: what was sent in one step is at the head of what is sent in the next,
//! element by element. Only the cache marks move.

mod content;

use engine::{ModelError, ModelRequest, RequestMessage, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::endpoint::Endpoint;
use crate::{failure, pairs};
use content::Block;

/// What is not the person's to choose.
const OWN: [&str; 6] = [
    "model",
    "max_tokens",
    "system",
    "tools",
    "messages",
    "stream",
];
/// What every model that is still served can write in one reply.
const MAX_TOKENS: u64 = 32_000;
/// How many of the last messages of the person and of tools are marked. With those on the tools and
/// on the instructions that makes four, which is all that there may be. The last but one is where the
/// request before this one ended: what is between them may be more than the provider looks back.
const MARKED_MESSAGES: usize = 2;

/// The request as the provider reads it.
pub(super) fn body(endpoint: &Endpoint, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    pairs::check(&request.messages)?;
    let mut messages = messages(&endpoint.model, &request.messages);
    mark_last(&mut messages);
    let system = request.instructions.as_deref();
    let system = system.filter(|text| !text.trim().is_empty());
    let body = Body {
        model: &endpoint.model,
        max_tokens: endpoint.max_output_tokens.unwrap_or(MAX_TOKENS),
        system: system.map(|text| [Block::marked_text(text)]),
        tools: tools(&request.tools),
        messages,
        stream: true,
        options: endpoint.options_beside(&OWN),
    };
    serde_json::to_vec(&body).map_err(|error| failure::no_form(&error))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Block<'a>; 1]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(flatten)]
    options: Map<String, Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
}

/// Everything up to here may be remembered.
#[derive(Debug, Clone, Copy, Serialize)]
struct Mark {
    r#type: &'static str,
}

const MARK: Mark = Mark {
    r#type: "ephemeral",
};

fn tools(specs: &[ToolSpec]) -> Vec<Tool<'_>> {
    let count = specs.len();
    let numbered = (1..).zip(specs);
    let tools = numbered.map(|(number, spec)| Tool {
        name: &spec.name,
        description: &spec.description,
        input_schema: &spec.parameters,
        cache_control: (number == count).then_some(MARK),
    });
    tools.collect()
}

/// All results of a reply are in the one message right after it: the provider refuses any others.
fn messages<'a>(model: &str, told: &'a [RequestMessage]) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::with_capacity(told.len());
    let mut is_after_result = false;
    for message in told {
        let is_result = matches!(message, RequestMessage::Result { .. });
        let (role, content) = match message {
            RequestMessage::User { parts, text } => (Role::User, content::given(parts, text)),
            RequestMessage::Agent {
                text,
                calls,
                native,
            } => {
                let content = content::said(model, text, calls, native.as_deref());
                (Role::Assistant, content)
            }
            RequestMessage::Result {
                call_id,
                tool: _,
                text,
                is_error,
            } => (Role::User, vec![Block::result(call_id, text, *is_error)]),
        };
        if content.is_empty() {
            continue;
        }
        match messages.last_mut() {
            Some(last) if is_result && is_after_result => last.content.extend(content),
            Some(_) | None => messages.push(Message { role, content }),
        }
        is_after_result = is_result;
    }
    messages
}

fn mark_last(messages: &mut [Message<'_>]) {
    let of_user = messages
        .iter_mut()
        .rev()
        .filter(|message| message.role == Role::User);
    for message in of_user.take(MARKED_MESSAGES) {
        if let Some(last) = message.content.last_mut() {
            last.mark();
        }
    }
}

#[cfg(test)]
mod tests;
