//! From an endpoint and its dialect to a model.

use std::sync::Arc;

use engine::{Clock, Model};

use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::Limits;
use crate::{Anthropic, ChatCompletions, Dialect, Gemini, Ollama, Responses};

/// A model that is spoken to in this dialect. Connects to nothing yet.
pub fn connect(
    dialect: Dialect,
    endpoint: Endpoint,
    limits: Limits,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Model>, EndpointError> {
    Ok(match dialect {
        Dialect::ChatCompletions => Arc::new(ChatCompletions::new(endpoint, limits, clock)?),
        Dialect::Responses => Arc::new(Responses::new(endpoint, limits, clock)?),
        Dialect::Anthropic => Arc::new(Anthropic::new(endpoint, limits, clock)?),
        Dialect::Ollama => Arc::new(Ollama::new(endpoint, limits, clock)?),
        Dialect::Gemini => Arc::new(Gemini::new(endpoint, limits, clock)?),
    })
}
