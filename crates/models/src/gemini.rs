//! Gemini's own dialect: contents of parts, streamed as events.

mod decode;
mod parts;
mod request;

use std::sync::Arc;

use engine::{Clock, Model, ModelRequest, ModelStream};
use protocol::ModelInfo;

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{self, KeyHeader, Limits, Manner, Wire};
use decode::Decoder;

/// The name under which a reply's own words are kept.
const DIALECT: &str = "gemini";

/// A model that is reached by Gemini's own dialect. Its address ends with the version, as in
/// `https://generativelanguage.googleapis.com/v1beta`.
#[derive(Debug, Clone)]
pub struct Gemini {
    endpoint: Endpoint,
    wire: Wire,
}

impl Gemini {
    /// Looks at the address and the key; connects to nothing yet.
    pub fn new(
        endpoint: Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let manner = Manner {
            path: &path(&endpoint.model),
            key: KeyHeader::XGoogApiKey,
            headers: Vec::new(),
        };
        let wire = Wire::new(&endpoint, &manner, limits, clock)?;
        Ok(Self { endpoint, wire })
    }
}

impl Model for Gemini {
    fn info(&self) -> ModelInfo {
        self.endpoint.info()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let body = request::body(&self.endpoint, &request);
        self.wire.answer(body, Decoder::new(&self.endpoint.model))
    }
}

/// Without `alt=sse` the answer would be one long list. A model's name is often told with what kind
/// of thing it is.
fn path(model: &str) -> String {
    let model = wire::escaped(model.trim(), b"-._~/:@");
    let kind = if model.contains('/') { "" } else { "models/" };
    format!("{kind}{model}:streamGenerateContent?alt=sse")
}

#[cfg(test)]
mod tests;
