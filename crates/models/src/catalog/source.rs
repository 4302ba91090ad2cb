//! Where lists come from: a provider's address, spoken to in its dialect.

use std::sync::Arc;
use std::time::Duration;

use engine::Clock;
use serde_json::Value;

use crate::anthropic::NEWEST;
use crate::endpoint::{Endpoint, EndpointError};
use crate::wire::{FetchError, KeyHeader, Limits, Manner, Wire};

/// The largest list: the longest known has some hundred models and a megabyte.
const LIST_BYTES: usize = 8 * 1024 * 1024;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Chat Completions, and whoever imitates it.
    ChatCompletions,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama's own.
    Ollama,
    /// Gemini's own.
    Gemini,
}

impl Dialect {
    const fn key_header(self) -> KeyHeader {
        match self {
            Self::ChatCompletions | Self::Responses | Self::Ollama => KeyHeader::Bearer,
            Self::Anthropic => KeyHeader::XApiKey,
            Self::Gemini => KeyHeader::XGoogApiKey,
        }
    }
}

/// Reads documents below one address.
#[derive(Debug, Clone)]
pub(super) struct Source {
    base_url: String,
    wire: Wire,
    largest: usize,
}

impl Source {
    pub(super) fn new(
        dialect: Dialect,
        endpoint: &Endpoint,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let manner = Manner {
            path: "",
            key: dialect.key_header(),
            headers: headers(dialect, endpoint),
        };
        Ok(Self {
            base_url: endpoint.base_url.clone(),
            wire: Wire::new(endpoint, &manner, limits, clock)?,
            largest: LIST_BYTES,
        })
    }

    /// The same at another address.
    pub(super) fn elsewhere(&self, base_url: String) -> Self {
        Self {
            base_url,
            ..self.clone()
        }
    }

    /// With a smaller limit for what is read.
    pub(super) fn at_most(mut self, largest: usize) -> Self {
        self.largest = largest;
        self
    }

    /// With a connection for each question, which ends with its answer: a small server has few of them.
    pub(super) fn not_kept(mut self) -> Self {
        self.wire = self.wire.not_kept();
        self
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, FetchError> {
        self.at(path)?.fetch(None, self.largest).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, FetchError> {
        let body = body.to_string().into_bytes();
        self.at(path)?.fetch(Some(body), self.largest).await
    }

    fn at(&self, path: &str) -> Result<Wire, FetchError> {
        // The address was looked at when this was made.
        let wire = self.wire.to(&self.base_url, path);
        wire.map_err(|_| FetchError::NotJson)
    }
}

/// The longest that a list may take, however much comes in between.
const LONGEST: Duration = Duration::from_secs(60);
/// What is still not there after so many silences never will be.
const SILENCES: u32 = 10;

/// Waits for a list, but not for ever: a server may send a byte now and then, and no end.
pub(super) async fn in_time<T>(
    limits: Limits,
    list: impl Future<Output = Result<T, FetchError>>,
) -> Result<T, FetchError> {
    let longest = limits.silence.saturating_mul(SILENCES).min(LONGEST);
    let listed = tokio::time::timeout(longest, list).await;
    listed.unwrap_or_else(|_| Err(FetchError::too_slow()))
}

fn headers(dialect: Dialect, endpoint: &Endpoint) -> Vec<(&'static str, String)> {
    if dialect != Dialect::Anthropic {
        return Vec::new();
    }
    let version = endpoint.api_version.as_deref().unwrap_or(NEWEST);
    vec![("anthropic-version", version.trim().to_owned())]
}
