//! Where a request goes, and under which key.

use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::endpoint::EndpointError;

/// An address with a path. It is looked at before the path is added, which could otherwise become its host.
pub(super) fn join(base_url: &str, path: &str) -> Result<Url, EndpointError> {
    let mut url = Url::parse(base_url.trim()).map_err(|_| EndpointError::BadAddress)?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
        return Err(EndpointError::BadAddress);
    }
    let base_path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base_path}/{path}"));
    Ok(url)
}

/// Whether requests to it stay on this computer.
pub(super) fn is_this_computer(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_loopback = host
            .parse()
            .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        host == "localhost" || is_loopback
    })
}

/// What goes with every request. The key is marked, so that no log of any layer shows it.
pub(super) fn headers(key: Option<&SecretString>) -> Result<HeaderMap, EndpointError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    if let Some(key) = key {
        let bearer = format!("Bearer {}", key.expose_secret().trim());
        let mut value = HeaderValue::from_str(&bearer).map_err(|_| EndpointError::BadKey)?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}
