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
