//! Where a request goes.

use reqwest::Url;

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
