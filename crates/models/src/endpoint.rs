//! Where a model is reached, and under which names.

use protocol::ModelInfo;
use secrecy::SecretString;
use thiserror::Error;

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
}

impl Endpoint {
    /// How a person meets it.
    pub(crate) fn info(&self) -> ModelInfo {
        ModelInfo {
            id: self.id.clone(),
            label: self.label.clone(),
            is_scripted: false,
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
    /// The network could not be set up.
    #[error("The network could not be set up: {0}")]
    Setup(String),
}
