//! What can be read of the app itself.

use serde::{Deserialize, Serialize};

use crate::CommandError;

/// The app: its version, its folder, who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppInfo {
    /// The version of the app.
    pub version: String,
    /// The folder that holds everything.
    pub data_dir: String,
    /// The model that answers new runs.
    pub model: ModelInfo,
    /// Every model that can answer.
    pub models: Vec<ModelInfo>,
    /// The tools that agents can use.
    pub tools: Vec<ToolInfo>,
}

/// A model as a person meets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelInfo {
    /// Its id, stored with every run.
    pub id: String,
    /// Its name on screen.
    pub label: String,
    /// True for the built-in guide, whose replies are written in advance.
    pub is_scripted: bool,
    /// The name of its provider, for one that has a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// How many tokens its window holds; absent when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// How many tokens a reply may have; absent when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// Whether it can look at images; absent when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether it can call tools; absent when nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
}

impl ModelInfo {
    /// A model of which nothing else is known.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            is_scripted: false,
            provider: None,
            context_tokens: None,
            max_output_tokens: None,
            images: None,
            tools: None,
        }
    }
}

/// A tool as a person meets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
}

/// How the start went: what a window shows first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum StartState {
    /// The engine runs.
    Ready {
        /// The app.
        app: AppInfo,
    },
    /// The engine could not start; nothing was overwritten.
    Failed {
        /// Why, and what to do.
        error: CommandError,
        /// The newest backup that could be restored, if the error is one that a backup mends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backup: Option<BackupInfo>,
    },
}

/// A backup of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BackupInfo {
    /// Its file name in the data folder's `backups`.
    pub file_name: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// Its size.
    pub bytes: u64,
}
