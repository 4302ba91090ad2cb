//! What a provider said in its own words.

use serde::{Deserialize, Serialize};

/// A reply as its provider wrote it, kept so that it can be sent back unchanged: thoughts that are
/// signed or encrypted mean something to their provider alone. It is for models, never for a window:
/// a [`Message`](crate::Message) does not hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Native {
    /// The way of speaking that it is written in.
    pub dialect: String,
    /// The model's name at its provider.
    pub model: String,
    /// The items of the reply: a JSON array, byte for byte as it is to be sent.
    pub items: String,
}
