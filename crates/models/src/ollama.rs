//! Ollama's own dialect: one JSON object a line.

mod decode;
mod request;
mod thought;

use std::sync::Arc;

use engine::{Clock, Model, ModelRequest, ModelStream};
use protocol::ModelInfo;

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{KeyHeader, Limits, Manner, Wire};
use crate::written_calls;
use decode::Decoder;

/// The name under which a reply's own words are kept.
const DIALECT: &str = "ollama";

/// A model that is reached by Ollama's own dialect. Its address is the server's, without a path.
#[derive(Debug, Clone)]
pub struct Ollama {
    endpoint: Endpoint,
    wire: Wire,
}

impl Ollama {
    /// Looks at the address and the key; connects to nothing yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let manner = Manner {
            path: "api/chat",
            key: KeyHeader::Bearer,
            headers: Vec::new(),
        };
        let wire = Wire::new(&endpoint, &manner, limits, clock)?;
        Ok(Self { endpoint, wire })
    }
}

impl Model for Ollama {
    fn info(&self) -> ModelInfo {
        self.endpoint.info()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let body = request::body(&self.endpoint, &request);
        let answer = self.wire.answer(body, Decoder::new(&self.endpoint.model));
        if self.wire.hears_written_calls(&self.endpoint) {
            return written_calls::heard(answer, &request.tools);
        }
        answer
    }
}

#[cfg(test)]
mod tests;
