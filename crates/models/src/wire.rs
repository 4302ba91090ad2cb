//! The door to the network: one request, and the events of its answer.
//!
//! There are no retries and no redirects: a request that is sent twice is paid twice, and a key
//! goes to the address that it was given for. There is no limit for a whole answer, only for the
//! time in which nothing at all arrives.

mod address;
mod fetch;
mod frames;
mod headers;
mod ndjson;
mod proxy;
mod request_id;
mod retry_after;
mod should_retry;
mod sse;

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use engine::{Clock, ModelError, ModelEvent, ModelStream};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use protocol::ErrorClass;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url, redirect, retry};
use secrecy::{ExposeSecret, SecretString};

pub(crate) use crate::endpoint::KeyHeader;
use crate::endpoint::{Endpoint, EndpointError};
use crate::failure;
pub(crate) use address::escaped;
pub use address::{is_same_host, leads_to_port};
pub(crate) use fetch::FetchError;
use frames::FrameError;
pub(crate) use frames::Frames;
pub use proxy::is_proxy_address;

/// What is kept of a provider's words.
const MESSAGE_CHARS: usize = 600;
/// What is shorter is no secret, and would be found in any text.
const SECRET_BYTES: usize = 4;
/// What is read of an answer that is no stream.
const ERROR_BODY_BYTES: usize = 64 * 1024;

/// How long, and how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To be connected.
    pub connect: Duration,
    /// With nothing at all arriving: a local model may read a long session before its first word.
    pub silence: Duration,
    /// The largest event.
    pub event_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(5 * 60),
            event_bytes: 16 * 1024 * 1024,
        }
    }
}

/// What differs between dialects in how they are spoken to.
#[derive(Debug, Clone)]
pub(crate) struct Manner<'a> {
    /// What follows the address.
    pub(crate) path: &'a str,
    /// Where the key goes, unless the endpoint says otherwise.
    pub(crate) key: KeyHeader,
    /// What the dialect sends with every request.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// Reads the events of one answer. Pure: the same events give the same result.
pub(crate) trait Decode: Send + 'static {
    /// What an event of this dialect is on the wire.
    const FRAMES: Frames = Frames::Sse;

    /// What an event's data says.
    fn push(&mut self, data: &str) -> Result<Vec<ModelEvent>, ModelError>;

    /// Whether the reply is known to be whole: all that can still come is what it cost.
    fn is_whole(&self) -> bool;

    /// What the end of the stream says. A stream that ended too early is an error.
    fn finish(&mut self) -> Result<Vec<ModelEvent>, ModelError>;
}

/// The way to one endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    client: Client,
    url: Url,
    headers: HeaderMap,
    /// What must never be shown: the key, and what else is sent in secret.
    secrets: Arc<[SecretString]>,
    limits: Limits,
    clock: Arc<dyn Clock>,
}

impl Wire {
    /// Looks at the address, the key and the headers; connects to nothing yet.
    pub(crate) fn new(
        endpoint: &Endpoint,
        manner: &Manner<'_>,
        limits: Limits,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, EndpointError> {
        let url = address::join(&endpoint.base_url, manner.path)?;
        let builder = Client::builder()
            .user_agent(concat!("Holdfast/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(limits.connect)
            .read_timeout(limits.silence)
            .redirect(redirect::Policy::none())
            .retry(retry::never());
        let client = proxy::apply(builder, &endpoint.proxy, &url)?
            .build()
            .map_err(|error| EndpointError::Setup(cause(&error)))?;
        Ok(Self {
            client,
            url,
            headers: headers::of(endpoint, manner)?,
            secrets: secrets(endpoint),
            limits,
            clock,
        })
    }

    /// Whether calls that are written as text count: what a model on this computer does for want of better
    /// is no call where calls are reliable, unless the person says so.
    pub(crate) fn hears_written_calls(&self, endpoint: &Endpoint) -> bool {
        let said = endpoint.calls_in_text;
        said.unwrap_or_else(|| address::is_this_computer(&self.url))
    }

    /// Sends a request, if one could be made, and reads its answer. Dropping the stream ends the request.
    pub(crate) fn answer<D: Decode>(
        &self,
        body: Result<Vec<u8>, ModelError>,
        decoder: D,
    ) -> ModelStream {
        let wire = self.clone();
        let secrets = Arc::clone(&self.secrets);
        let answer = async move {
            let events = wire.send(body?, D::FRAMES).await?;
            Ok(decoded(events, decoder))
        };
        let events = stream::once(answer).try_flatten();
        Box::pin(events.map_err(move |error| presentable(error, &secrets)))
    }

    async fn send(
        &self,
        body: Vec<u8>,
        frames: Frames,
    ) -> Result<impl Stream<Item = Result<String, ModelError>> + use<>, ModelError> {
        let request = self.client.post(self.url.clone());
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static(frames.media_type()));
        let response = request
            .headers(headers)
            .body(body)
            .send()
            .await
            .map_err(|error| broken(&error))?;
        self.log(&response);
        let response = self.expect_stream(response).await?;
        let largest = self.limits.event_bytes;
        let events = frames.read(response.bytes_stream(), largest);
        Ok(events.map_err(move |error| match error {
            FrameError::Transport(error) => broken(&error),
            FrameError::NotText => {
                ModelError::new(ErrorClass::Network, "The provider sent broken text.")
            }
            FrameError::TooLarge => ModelError::new(
                ErrorClass::Limit,
                format!("The provider sent an event of more than {largest} bytes."),
            ),
        }))
    }

    /// What the provider's support asks for.
    fn log(&self, response: &Response) {
        let is_no_secret = |id: &&str| {
            !self.secrets.iter().any(|secret| {
                let secret = secret.expose_secret().trim();
                secret.len() >= SECRET_BYTES && id.contains(secret)
            })
        };
        let request_id = request_id::read(response.headers()).filter(is_no_secret);
        let status = response.status().as_u16();
        tracing::info!(name: "models.request.answered", status, request_id);
    }

    async fn expect_stream(&self, response: Response) -> Result<Response, ModelError> {
        let status = response.status();
        let is_document = content_type(&response).is_some_and(|kind| {
            kind.starts_with("application/json") || kind.starts_with("text/html")
        });
        if status.is_success() && !is_document {
            return Ok(response);
        }
        let retry_after_ms = retry_after::read(response.headers(), self.clock.now_ms());
        let headers = response.headers().clone();
        let body = beginning(response).await;
        let mut error = if status.is_success() {
            not_a_stream(&body)
        } else {
            failure::from_body(status.as_u16(), &body)
        };
        error.retry_after_ms = retry_after_ms.or(error.retry_after_ms);
        should_retry::apply(&headers, &mut error);
        Err(error)
    }
}

/// The same from bytes that come from no network.
#[cfg(test)]
pub(crate) fn decoded_for_tests<E: std::fmt::Debug + Send + 'static, D: Decode>(
    bytes: impl Stream<Item = Result<bytes::Bytes, E>> + Send + 'static,
    decoder: D,
) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Send {
    let events = D::FRAMES.read(bytes, Limits::default().event_bytes);
    let events = events.map_err(|error| ModelError::new(ErrorClass::Network, format!("{error:?}")));
    decoded(events, decoder)
}

/// The events of an answer, one by one.
fn decoded(
    events: impl Stream<Item = Result<String, ModelError>> + Send + 'static,
    decoder: impl Decode,
) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Send {
    let start = Some((Box::pin(events), decoder));
    let steps = stream::unfold(start, async |state| {
        let (mut events, mut decoder) = state?;
        match events.next().await {
            Some(Ok(data)) => {
                let read = decoder.push(&data);
                let is_over = read.as_ref().map_or(true, |read| ends(read));
                Some((read, (!is_over).then_some((events, decoder))))
            }
            // The reply is here; only what it cost is not.
            Some(Err(_)) if decoder.is_whole() => Some((decoder.finish(), None)),
            Some(Err(error)) => Some((Err(error), None)),
            None => Some((decoder.finish(), None)),
        }
    });
    steps
        .map_ok(|read| stream::iter(read.into_iter().map(Ok)))
        .try_flatten()
}

fn ends(events: &[ModelEvent]) -> bool {
    matches!(events.last(), Some(ModelEvent::Finished { .. }))
}

fn content_type(response: &Response) -> Option<&str> {
    response.headers().get(CONTENT_TYPE)?.to_str().ok()
}

async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    // What fails to arrive of an error's text does not change the error.
    while body.len() < ERROR_BODY_BYTES
        && let Ok(Some(bytes)) = response.chunk().await
    {
        body.extend_from_slice(&bytes);
    }
    body.truncate(ERROR_BODY_BYTES);
    body
}

/// Some servers answer with an error and a status of success.
fn not_a_stream(body: &[u8]) -> ModelError {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    if !value["error"].is_null() {
        return failure::from_value(None, &value["error"]);
    }
    ModelError::new(
        ErrorClass::InvalidRequest,
        "There is no stream of events at this address. Is it the right one?",
    )
}

fn broken(error: &reqwest::Error) -> ModelError {
    let what = cause(error);
    if error.is_timeout() && !error.is_connect() {
        return ModelError::new(
            ErrorClass::Timeout,
            "The provider sent nothing for too long.",
        );
    }
    ModelError::new(
        ErrorClass::Network,
        format!("The connection to the provider failed: {what}."),
    )
}

/// The innermost cause: what is around it repeats the address.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = match error.source() {
        Some(source) => source,
        None => {
            return error
                .status()
                .map_or_else(|| "no reason was given".to_owned(), text);
        }
    };
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

fn text(status: StatusCode) -> String {
    status.to_string()
}

fn secrets(endpoint: &Endpoint) -> Arc<[SecretString]> {
    let headers = endpoint.headers.iter().map(|(_, value)| value);
    endpoint.key.iter().chain(headers).cloned().collect()
}

/// An error as it may be shown: a provider may repeat the key in it, and may say a lot. The key
/// goes first, or the cut could leave a part of it.
fn presentable(mut error: ModelError, secrets: &[SecretString]) -> ModelError {
    for secret in secrets {
        let secret = secret.expose_secret().trim();
        if secret.len() >= SECRET_BYTES {
            error.message = error.message.replace(secret, "[key]");
        }
    }
    if let Some((cut, _)) = error.message.char_indices().nth(MESSAGE_CHARS) {
        error.message.truncate(cut);
        error.message.push('…');
    }
    error
}

#[cfg(test)]
mod tests;
