//! What a model thought before it called tools: it goes on from there when it reads their results.

use protocol::Native;
use serde::Deserialize;
use serde_json::json;

use super::DIALECT;
use crate::replay;

#[derive(Debug, Deserialize)]
struct Thought {
    thinking: String,
}

/// The thought as it is kept with the reply.
pub(super) fn kept(model: &str, thinking: &str) -> Option<Native> {
    if thinking.is_empty() {
        return None;
    }
    let thought = replay::raw(&json!({ "thinking": thinking }));
    replay::native(DIALECT, model, &[thought])
}

/// The thought as it is told again, if this model had it.
pub(super) fn told(model: &str, native: Option<&Native>) -> Option<String> {
    let items = replay::items(native, DIALECT, model)?;
    let thought: Thought = serde_json::from_str(items.first()?.get()).ok()?;
    Some(thought.thinking)
}
