//! The body of a request. Pure, and the same bytes for the same request: the provider finds what it
//! has read before by its bytes.

mod item;

use engine::{ModelError, ModelRequest, RequestMessage, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::endpoint::Endpoint;
use crate::{failure, pairs};
use item::Item;

/// What is not the person's to choose.
const OWN: [&str; 6] = ["model", "instructions", "input", "tools", "store", "stream"];
/// Thoughts that nobody but the provider can read, to be sent back: it keeps nothing for us.
const INCLUDE: [&str; 1] = ["reasoning.encrypted_content"];

/// The request as the provider reads it.
pub(super) fn body(endpoint: &Endpoint, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    pairs::check(&request.messages)?;
    let options = endpoint.options_beside(&OWN);
    // A model that does not think refuses to be asked for it: a person can leave it out.
    let include = (!options.contains_key("include")).then_some(INCLUDE);
    let max_output_tokens = endpoint.max_output_tokens;
    let body = Body {
        model: &endpoint.model,
        instructions: request.instructions.as_deref(),
        input: input(&endpoint.model, &request.messages),
        tools: request.tools.iter().map(tool).collect(),
        store: false,
        stream: true,
        include,
        max_output_tokens: max_output_tokens.filter(|_| !options.contains_key("max_output_tokens")),
        options,
    };
    serde_json::to_vec(&body).map_err(|error| failure::no_form(&error))
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    store: bool,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(flatten)]
    options: Map<String, Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Without a word it would be, and then schemas with optional parameters are refused.
    strict: bool,
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    Tool {
        r#type: "function",
        name: &spec.name,
        description: &spec.description,
        parameters: &spec.parameters,
        strict: false,
    }
}

fn input<'a>(model: &str, told: &'a [RequestMessage]) -> Vec<Item<'a>> {
    let mut items = Vec::with_capacity(told.len());
    for message in told {
        match message {
            RequestMessage::User { parts, text } => items.push(Item::user(parts, text)),
            RequestMessage::Agent {
                text,
                calls,
                native,
            } => items.extend(item::said(model, text, calls, native.as_deref())),
            RequestMessage::Result {
                call_id,
                tool: _,
                text,
                is_error,
            } => items.push(Item::result(call_id, text, *is_error)),
        }
    }
    items
}

#[cfg(test)]
mod tests;
