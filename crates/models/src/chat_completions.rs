//! Chat Completions: the dialect that most providers and local servers speak.

mod decode;
mod request;

use std::sync::Arc;

use engine::{Clock, Model, ModelRequest, ModelStream};
use protocol::ModelInfo;

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{KeyHeader, Limits, Manner, Wire};
use crate::written_calls;
use decode::Decoder;

/// A model that is reached by Chat Completions.
#[derive(Debug, Clone)]
pub struct ChatCompletions {
    endpoint: Endpoint,
    wire: Wire,
}

impl ChatCompletions {
    /// Looks at the address and the key; connects to nothing yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let manner = Manner {
            path: "chat/completions",
            key: KeyHeader::Bearer,
            headers: Vec::new(),
        };
        let wire = Wire::new(&endpoint, &manner, limits, clock)?;
        Ok(Self { endpoint, wire })
    }
}

impl Model for ChatCompletions {
    fn info(&self) -> ModelInfo {
        self.endpoint.info()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let body = request::body(&self.endpoint, &request);
        let answer = self.wire.answer(body, Decoder::default());
        if self.wire.hears_written_calls(&self.endpoint) {
            return written_calls::heard(answer, &request.tools);
        }
        answer
    }
}

#[cfg(test)]
mod tests;
