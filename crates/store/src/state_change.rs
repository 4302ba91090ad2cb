//! Changes of a session's state, as its tools make them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One change of the session's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StateChange {
    /// Sets a key.
    Set {
        /// The key.
        key: String,
        /// Its value.
        value: Value,
    },
    /// Adds to a number, from 0.
    Add {
        /// The key.
        key: String,
        /// How much.
        by: i64,
    },
    /// Adds to the end of a list, from an empty one.
    Append {
        /// The key.
        key: String,
        /// What.
        value: Value,
    },
    /// Removes a key.
    Remove {
        /// The key.
        key: String,
    },
    /// Replaces everything: keys that are not in `values` are gone.
    Replace {
        /// The whole state.
        values: BTreeMap<String, Value>,
    },
}

impl StateChange {
    /// Applies it. What is not a number counts as 0, what is not a list as an empty one.
    pub(crate) fn apply(self, state: &mut BTreeMap<String, Value>) {
        match self {
            Self::Set { key, value } => {
                state.insert(key, value);
            }
            Self::Add { key, by } => {
                let sum = add(state.get(&key), by);
                state.insert(key, sum);
            }
            Self::Append { key, value } => match state.get_mut(&key) {
                Some(Value::Array(list)) => list.push(value),
                Some(_) | None => {
                    state.insert(key, Value::Array(vec![value]));
                }
            },
            Self::Remove { key } => {
                state.remove(&key);
            }
            Self::Replace { values } => *state = values,
        }
    }
}

fn add(value: Option<&Value>, by: i64) -> Value {
    let whole = value.and_then(Value::as_i64);
    let fraction = value.and_then(Value::as_f64);
    match (whole, fraction) {
        (Some(whole), _) => Value::from(whole.saturating_add(by)),
        #[expect(clippy::cast_precision_loss, reason = "a fraction has no more either")]
        (None, Some(fraction)) => Value::from(fraction + by as f64),
        (None, None) => Value::from(by),
    }
}
