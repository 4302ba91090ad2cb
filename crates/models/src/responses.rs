//! OpenAI Responses, without anything kept at the provider: the whole session goes with every request,
//! and thoughts come and go encrypted.

mod decode;
mod request;

use std::sync::Arc;

use engine::{Clock, Model, ModelRequest, ModelStream};
use protocol::ModelInfo;

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{KeyHeader, Limits, Manner, Wire};
use decode::Decoder;

/// The name that its own words are kept under.
const DIALECT: &str = "responses";

/// A model that is reached by OpenAI Responses.
#[derive(Debug, Clone)]
pub struct Responses {
    endpoint: Endpoint,
    wire: Wire,
}

impl Responses {
    /// Looks at the address, the key and the headers; connects to nothing yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let manner = Manner {
            path: "responses",
            key: KeyHeader::Bearer,
            headers: Vec::new(),
        };
        let wire = Wire::new(&endpoint, &manner, limits, clock)?;
        Ok(Self { endpoint, wire })
    }
}

impl Model for Responses {
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
