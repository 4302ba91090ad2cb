//! What goes with every request: the key, what the dialect wants, and what the person adds.

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::{KeyHeader, Manner};
use crate::endpoint::{Endpoint, EndpointError};

/// Those that belong to one connection, or that would change what is sent and to whom.
const RESERVED: [&str; 15] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// All of them. Keys, and whatever a person adds, are marked, so that no log of any layer shows them.
pub(super) fn of(endpoint: &Endpoint, manner: &Manner<'_>) -> Result<HeaderMap, EndpointError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in &manner.headers {
        let value = HeaderValue::from_str(value).map_err(|_| EndpointError::BadHeader)?;
        headers.insert(HeaderName::from_static(name), value);
    }
    if let Some(key) = &endpoint.key {
        let (name, value) = key_header(endpoint.key_header.unwrap_or(manner.key), key)?;
        headers.insert(name, value);
    }
    let own = headers.clone();
    for (name, value) in &endpoint.headers {
        let (name, value) = added(name, value)?;
        if own.contains_key(&name) || RESERVED.contains(&name.as_str()) {
            return Err(EndpointError::ReservedHeader(name.to_string()));
        }
        headers.append(name, value);
    }
    Ok(headers)
}

fn key_header(
    way: KeyHeader,
    key: &SecretString,
) -> Result<(HeaderName, HeaderValue), EndpointError> {
    let key = key.expose_secret().trim();
    let (name, value) = match way {
        KeyHeader::Bearer => (AUTHORIZATION, secret(&format!("Bearer {key}"))),
        KeyHeader::XApiKey => (HeaderName::from_static("x-api-key"), secret(key)),
        KeyHeader::XGoogApiKey => (HeaderName::from_static("x-goog-api-key"), secret(key)),
    };
    Ok((name, value.ok_or(EndpointError::BadKey)?))
}

fn added(name: &str, value: &SecretString) -> Result<(HeaderName, HeaderValue), EndpointError> {
    let name = HeaderName::from_bytes(name.trim().as_bytes());
    let value = secret(value.expose_secret().trim());
    match (name, value) {
        (Ok(name), Some(value)) => Ok((name, value)),
        _ => Err(EndpointError::BadHeader),
    }
}

fn secret(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
