//! One small document instead of a stream: a list of models, or what a server says of itself.

use engine::ModelError;
use protocol::ErrorClass;
use reqwest::Response;
use reqwest::header::{ACCEPT, CONNECTION, HeaderValue};
use serde_json::Value;

use super::{Wire, address, beginning, broken, presentable, retry_after};
use crate::endpoint::EndpointError;
use crate::failure;

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FetchError {
    /// The server said no, or nothing.
    Failed(ModelError),
    /// What came is no JSON, or too much of it.
    NotJson,
}

impl Wire {
    /// The way to another place, with the same key.
    pub(crate) fn to(&self, base_url: &str, path: &str) -> Result<Self, EndpointError> {
        let url = address::join(base_url, path)?;
        Ok(Self {
            url,
            ..self.clone()
        })
    }

    /// The same, with a connection that ends with the answer.
    pub(crate) fn not_kept(mut self) -> Self {
        let close = HeaderValue::from_static("close");
        self.headers.insert(CONNECTION, close);
        self
    }

    /// Reads a document: asked for without a body, or with one.
    pub(crate) async fn fetch(
        &self,
        body: Option<Vec<u8>>,
        largest: usize,
    ) -> Result<Value, FetchError> {
        let read = self.read(body, largest).await;
        read.map_err(|error| match error {
            FetchError::Failed(error) => FetchError::Failed(presentable(error, &self.secrets)),
            FetchError::NotJson => FetchError::NotJson,
        })
    }

    async fn read(&self, body: Option<Vec<u8>>, largest: usize) -> Result<Value, FetchError> {
        let url = self.url.clone();
        let request = match body {
            Some(body) => self.client.post(url).body(body),
            None => self.client.get(url),
        };
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let sent = request.headers(headers).send().await;
        let response = sent.map_err(|error| FetchError::Failed(broken(&error)))?;
        let status = response.status();
        if !status.is_success() {
            let wait = retry_after::read(response.headers(), self.clock.now_ms());
            let mut error = failure::from_body(status.as_u16(), &beginning(response).await);
            error.retry_after_ms = wait.or(error.retry_after_ms);
            return Err(FetchError::Failed(error));
        }
        let body = whole(response, largest).await?;
        serde_json::from_slice(&body).map_err(|_| FetchError::NotJson)
    }
}

/// All of a body, if it is not too large.
async fn whole(mut response: Response, largest: usize) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len().saturating_add(piece.len()) > largest => {
                return Err(FetchError::NotJson);
            }
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Ok(body),
            Err(error) => return Err(FetchError::Failed(broken(&error))),
        }
    }
}

impl FetchError {
    /// What came did not come to an end.
    pub(crate) fn too_slow() -> Self {
        Self::Failed(ModelError::new(
            ErrorClass::Timeout,
            "The provider took too long.",
        ))
    }

    /// As an error of a call.
    pub(crate) fn into_model_error(self) -> ModelError {
        match self {
            Self::Failed(error) => error,
            Self::NotJson => ModelError::new(
                ErrorClass::InvalidRequest,
                "What is at this address is no list of models. Is it the right one?",
            ),
        }
    }
}
