//! How a command is read: what is understood must be what was said.

use serde::Deserialize;
use serde_json::Value;

use super::check::too_large;
use crate::{Command, CommandError, ErrorCode, limits};

/// Characters of what the parser says that are passed on: it quotes the text that it refuses.
const QUOTED: usize = 300;

impl Command {
    /// Reads a command from JSON text and checks it. A field that comes twice is refused too.
    pub fn from_json(text: &str) -> Result<Self, CommandError> {
        if text.len() > limits::COMMAND_BYTES {
            return Err(too_large("The command", limits::COMMAND_BYTES));
        }
        if !text.trim_start().starts_with('{') {
            return Err(invalid("it is not an object"));
        }
        // Not through a value: that would let a field that comes twice pass.
        let command: Result<Self, _> = serde_json::from_str(text);
        let said: Value = serde_json::from_str(text).map_err(unreadable)?;
        command
            .map_err(|error| refusal(&said, error))?
            .checked(&said)
    }

    /// Reads a command from a JSON value and checks it.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers have no other use for it"
    )]
    pub fn from_value(said: Value) -> Result<Self, CommandError> {
        if !said.is_object() {
            return Err(invalid("it is not an object"));
        }
        Self::deserialize(&said)
            .map_err(|error| refusal(&said, error))?
            .checked(&said)
    }

    /// The parser takes some things for others: a list for an object, a number for a word. So what
    /// it understood is compared with what was said.
    fn checked(self, said: &Value) -> Result<Self, CommandError> {
        let understood = serde_json::to_value(&self).map_err(unreadable)?;
        if let Some(place) = difference(said, &understood) {
            return Err(invalid(&format!(
                "`{place}` is missing or has the wrong type"
            )));
        }
        self.validate()?;
        Ok(self)
    }
}

/// The first place where the two differ, other than by a field that says nothing.
fn difference(said: &Value, understood: &Value) -> Option<String> {
    if let (Value::Object(said), Value::Object(understood)) = (said, understood) {
        let differs = said.iter().find_map(|(name, value)| {
            let inner = match understood.get(name) {
                Some(other) => difference(value, other)?,
                None if says_nothing(value) || is_empty_list(name, value) => return None,
                None => String::new(),
            };
            Some(joined(name, &inner))
        });
        let lacks = || {
            understood
                .keys()
                .find(|name| !said.contains_key(*name))
                .cloned()
        };
        return differs.or_else(lacks);
    }
    if let (Value::Array(said), Value::Array(understood)) = (said, understood)
        && said.len() == understood.len()
    {
        let mut pairs = said.iter().zip(understood).enumerate();
        return pairs.find_map(|(index, (value, other))| {
            difference(value, other).map(|inner| joined(&index.to_string(), &inner))
        });
    }
    (said != understood).then(String::new)
}

fn joined(name: &str, inner: &str) -> String {
    if inner.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{inner}")
    }
}

/// An empty list says nothing either, where a list belongs.
fn is_empty_list(name: &str, value: &Value) -> bool {
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    is_empty && matches!(name, "attachments" | "headers")
}

/// Whether a field could as well be left out.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Object(fields) => fields.values().all(says_nothing),
        Value::Bool(true) | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

/// What the parser says quotes what it refuses. A key that stands in the wrong place is not
/// repeated.
fn refusal(said: &Value, error: serde_json::Error) -> CommandError {
    if said["type"] == "set_provider_key" {
        return invalid("set_provider_key takes a provider_id, a key and perhaps a header");
    }
    unreadable(error)
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
fn unreadable(error: serde_json::Error) -> CommandError {
    invalid(&error.to_string())
}

fn invalid(error: &str) -> CommandError {
    let error: String = error.chars().take(QUOTED).collect();
    CommandError::new(
        ErrorCode::InvalidCommand,
        format!("This is not a command: {error}."),
        "Compare it with the list of commands in docs/headless.md.",
    )
}
