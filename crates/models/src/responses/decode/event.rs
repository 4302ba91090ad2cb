//! Events as they are on the wire. What is not named here is skipped.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// What every event has.
#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) r#type: Option<String>,
    pub(super) error: Option<Value>,
}

/// An item begins, or is whole.
#[derive(Debug, Deserialize)]
pub(super) struct ItemEvent {
    pub(super) output_index: Option<u64>,
    pub(super) item: Box<RawValue>,
}

/// A piece of an item: of its text, its thoughts or its arguments.
#[derive(Debug, Deserialize)]
pub(super) struct PieceEvent {
    pub(super) output_index: Option<u64>,
    pub(super) content_index: Option<u64>,
    pub(super) summary_index: Option<u64>,
    pub(super) delta: String,
}

/// The end of a reply, good or bad.
#[derive(Debug, Deserialize)]
pub(super) struct EndEvent {
    pub(super) response: Response,
}

#[derive(Debug, Deserialize)]
pub(super) struct Response {
    pub(super) output: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    pub(super) usage: Value,
    #[serde(default)]
    pub(super) error: Value,
    pub(super) incomplete_details: Option<Details>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Details {
    pub(super) reason: Option<String>,
}

/// What is read of an item.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Item {
    pub(super) r#type: Option<String>,
    pub(super) status: Option<String>,
    pub(super) content: Option<Vec<Part>>,
    pub(super) summary: Option<Vec<Part>>,
    pub(super) encrypted_content: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) arguments: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Part {
    pub(super) r#type: Option<String>,
    #[serde(default)]
    pub(super) text: Value,
    #[serde(default)]
    pub(super) refusal: Value,
}
