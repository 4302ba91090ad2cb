//! A model file of the person's that the app serves itself.

use serde::{Deserialize, Serialize};

/// The model file that is served, and how that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServedModel {
    /// The file.
    pub path: String,
    /// The model's name at its server, which is the file's.
    pub name: String,
    /// How it stands.
    pub state: ServedState,
    /// How often its server was started again since it last ran well.
    pub restarts: u32,
    /// Why its server ended the last time, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// How a served model stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ServedState {
    /// Its server starts, or loads the model.
    Starting {},
    /// It answers. It is among the local servers that are found.
    Ready {
        /// The port of its server.
        port: u16,
        /// The address for a provider of it.
        base_url: String,
    },
    /// Its server ended again and again, and is not started any more by itself.
    Failed {},
}
