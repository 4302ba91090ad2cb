//! The arguments that every test tool takes: what its calls look like to the engine.

use std::path::PathBuf;

use engine::{CallInput, Plan, ToolError, ToolSpec};
use protocol::{CallPreview, EffectClass, ErrorClass, PreviewPart, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// How a call presents itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Shape {
    /// The class; each tool has its own default.
    class: Option<EffectClass>,
    /// Whether a person is asked.
    ask: bool,
    /// Whether it is denied.
    deny: bool,
    /// What it touches.
    resources: Vec<String>,
    /// What rules are matched against.
    subject: Option<String>,
    /// A file whose content an approval is bound to: changing it makes the call another one.
    bound_to: Option<PathBuf>,
}

/// Where in a call something is to go wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// When it is judged.
    Plan,
    /// Right before it starts.
    Prepare,
    /// In its body.
    #[default]
    Run,
}

impl Shape {
    /// The class that was asked for.
    pub(super) fn class(&self, otherwise: EffectClass) -> EffectClass {
        self.class.unwrap_or(otherwise)
    }
}

/// Reads arguments; what they do not know is left alone.
pub(super) fn parse<T: DeserializeOwned>(call: &CallInput) -> Result<T, ToolError> {
    serde_json::from_str(&call.arguments)
        .map_err(|error| ToolError::definite(error.to_string()).of(ErrorClass::InvalidRequest))
}

/// The plan of a call.
pub(super) fn plan(
    tool: &str,
    call: &CallInput,
    otherwise: EffectClass,
) -> Result<Plan, ToolError> {
    let shape: Shape = parse(call)?;
    let verdict = if shape.deny {
        Verdict::Deny
    } else if shape.ask {
        Verdict::Ask
    } else {
        Verdict::Allow
    };
    let binding = shape
        .bound_to
        .as_ref()
        .and_then(|path| std::fs::read(path).ok())
        .map(|bytes| blake3::hash(&bytes).as_bytes().to_vec());
    Ok(Plan {
        effect: shape.class(otherwise),
        verdict,
        preview: CallPreview {
            summary: format!("Call {tool}"),
            subject: shape.subject,
            parts: vec![PreviewPart::Text {
                label: "Arguments".to_owned(),
                text: call.arguments.clone(),
            }],
        },
        resources: shape.resources,
        binding: binding.unwrap_or_default(),
    })
}

/// What a model is told.
pub(super) fn spec(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object"}),
    }
}
