//! The body of a request. Pure, and the same bytes for the same request: the provider finds what it
//! has read before by its bytes.

mod contents;

use engine::{ModelError, ModelRequest, ToolSpec};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;
use crate::{failure, pairs};
use contents::Content;

/// What is not the person's to choose; of how a reply is made, only its limit.
const OWN: [&str; 4] = ["contents", "systemInstruction", "tools", "generationConfig"];

/// The request as the provider reads it. A call without a result is never sent.
pub(super) fn body(endpoint: &Endpoint, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    pairs::check(&request.messages)?;
    let instructions = request.instructions.as_deref();
    let body = Body {
        system_instruction: instructions.map(|text| Instruction {
            parts: [Text { text }],
        }),
        contents: contents::of(&endpoint.model, &request.messages)
            .map_err(|error| failure::no_form(&error))?,
        tools: declarations(&request.tools),
        generation_config: generation(endpoint),
        options: endpoint.options_beside(&OWN),
    };
    serde_json::to_vec(&body).map_err(|error| failure::no_form(&error))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Instruction<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'a>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    generation_config: Map<String, Value>,
    #[serde(flatten)]
    options: Map<String, Value>,
}

#[derive(Serialize)]
struct Instruction<'a> {
    parts: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tools<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    // `parameters` takes a dialect of schemas that knows less.
    parameters_json_schema: &'a Value,
}

fn declarations(tools: &[ToolSpec]) -> Vec<Tools<'_>> {
    if tools.is_empty() {
        return Vec::new();
    }
    vec![Tools {
        function_declarations: tools.iter().map(declaration).collect(),
    }]
}

fn declaration(spec: &ToolSpec) -> Declaration<'_> {
    Declaration {
        name: &spec.name,
        description: &spec.description,
        parameters_json_schema: &spec.parameters,
    }
}

/// What the person chose, and the limit of a reply.
fn generation(endpoint: &Endpoint) -> Map<String, Value> {
    let chosen = endpoint.options.get("generationConfig");
    let mut config = chosen
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if let Some(most) = endpoint.max_output_tokens {
        config.insert("maxOutputTokens".to_owned(), json!(most));
    }
    config
}

#[cfg(test)]
mod tests;
