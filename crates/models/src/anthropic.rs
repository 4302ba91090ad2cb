//! Anthropic Messages: what Claude speaks, and some other providers and local servers too.

mod decode;
mod request;

use std::sync::Arc;

use engine::{Clock, Model, ModelRequest, ModelStream};
use protocol::ModelInfo;

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{KeyHeader, Limits, Manner, Wire};
use decode::Decoder;

/// The name that its own words are kept under.
const DIALECT: &str = "anthropic";
/// The newest version of the API. Compatible servers may want an older one, such as 2023-06-01.
pub(crate) const NEWEST: &str = "2026-10-21";

/// A model that is reached by Anthropic Messages.
#[derive(Debug, Clone)]
pub struct Anthropic {
    endpoint: Endpoint,
    wire: Wire,
}

impl Anthropic {
    /// Looks at the address, the key and the headers; connects to nothing yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let version = endpoint.api_version.as_deref().unwrap_or(NEWEST);
        let manner = Manner {
            path: "messages",
            key: KeyHeader::XApiKey,
            headers: vec![("anthropic-version", version.trim().to_owned())],
        };
        let wire = Wire::new(&endpoint, &manner, limits, clock)?;
        Ok(Self { endpoint, wire })
    }
}

impl Model for Anthropic {
    fn info(&self) -> ModelInfo {
        self.endpoint.info()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let body = request::body(&self.endpoint, &request);
        self.wire.answer(body, Decoder::new(&self.endpoint.model))
    }
}

#[cfg(test)]
mod tests;
