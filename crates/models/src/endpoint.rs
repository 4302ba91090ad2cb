//! Where a model is reached, and under which names.

use protocol::ModelInfo;
use secrecy::SecretString;
use serde_json::{Map, Value};
use thiserror::Error;

/// Where a key goes in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer`.
    Bearer,
    /// `x-api-key`.
    XApiKey,
    /// `x-goog-api-key`.
    XGoogApiKey,
}

/// Which way requests leave this computer. Those that stay on it go through no proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// As the environment says (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
    #[default]
    System,
    /// Through none.
    None,
    /// Through this one.
    Url(String),
}

/// A model at an address. Its key is shown nowhere, not even by `Debug`.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The id that runs are stored with.
    pub id: String,
    /// Its name on screen.
    pub label: String,
    /// The address up to the version, as in `https://api.example.com/v1`.
    pub base_url: String,
    /// The model's name at the provider.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<SecretString>,
    /// Where the key goes, if not where the dialect puts it: compatible servers differ in that.
    pub key_header: Option<KeyHeader>,
    /// What else goes with every request. The values are shown nowhere either: they may be keys.
    pub headers: Vec<(String, SecretString)>,
    /// The version of the API, for a dialect that has versions; the newest when absent.
    pub api_version: Option<String>,
    /// The most that one reply may have, for a dialect that wants to be told.
    pub max_output_tokens: Option<u64>,
    /// Which way requests leave this computer.
    pub proxy: Proxy,
    /// Whether calls that the model writes as text count, for the dialects that servers on this
    /// computer speak; only for those when absent.
    pub calls_in_text: Option<bool>,
    /// The size of the model's window, for a dialect that wants to be told.
    pub context_tokens: Option<u64>,
    /// What else every request says, by the dialect's own names, such as how much to think. What
    /// the dialect says itself is not changed by it.
    pub options: Map<String, Value>,
}

impl Endpoint {
    /// An endpoint with nothing special about it. The model is known by the same name everywhere.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        let model = model.into();
        Self {
            id: model.clone(),
            label: model.clone(),
            base_url: base_url.into(),
            model,
            key: None,
            key_header: None,
            headers: Vec::new(),
            api_version: None,
            max_output_tokens: None,
            proxy: Proxy::System,
            calls_in_text: None,
            context_tokens: None,
            options: Map::new(),
        }
    }

    /// What the person added to every request, without the names that the dialect fills itself.
    pub(crate) fn options_beside(&self, own: &[&str]) -> Map<String, Value> {
        let mut options = self.options.clone();
        options.retain(|name, _| !own.contains(&name.as_str()));
        options
    }

    /// How a person meets it.
    pub(crate) fn info(&self) -> ModelInfo {
        ModelInfo {
            context_tokens: self.context_tokens,
            max_output_tokens: self.max_output_tokens,
            ..ModelInfo::new(self.id.clone(), self.label.clone())
        }
    }
}

/// An endpoint that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndpointError {
    /// The address is none that can be called. It is not repeated: it may hold a password.
    #[error("The address must begin with http:// or https://, and hold no name and no password.")]
    BadAddress,
    /// The key cannot be part of a request.
    #[error("The key has characters that cannot be sent.")]
    BadKey,
    /// A header cannot be part of a request. It is not repeated: it may be a key in the wrong place.
    #[error("A header has a name or a value that cannot be sent.")]
    BadHeader,
    /// A header that is not the person's to choose.
    #[error("The header {0} is set by Holdfast and cannot be chosen.")]
    ReservedHeader(String),
    /// The proxy cannot be used. It is not repeated: it may hold a password.
    #[error(
        "The proxy's address must begin with http:// or https://, and hold no name and no password."
    )]
    BadProxy,
    /// The network could not be set up.
    #[error("The network could not be set up: {0}")]
    Setup(String),
}
