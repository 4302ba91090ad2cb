//! One line as it is on the wire. What is not named here is skipped.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) message: Option<Message>,
    pub(super) done: Option<bool>,
    pub(super) done_reason: Option<String>,
    pub(super) prompt_eval_count: Option<Value>,
    pub(super) eval_count: Option<Value>,
    pub(super) error: Option<Value>,
    /// Beside an error, from some versions.
    pub(super) status: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) content: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) tool_calls: Option<Vec<ToolCall>>,
}

/// A whole tool call.
#[derive(Debug, Deserialize)]
pub(super) struct ToolCall {
    /// Older versions send none.
    pub(super) id: Option<String>,
    pub(super) function: Option<Function>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Function {
    pub(super) name: Option<String>,
    /// An object; its bytes are kept. Servers that imitate this one may send it as a string.
    pub(super) arguments: Option<Box<RawValue>>,
}
