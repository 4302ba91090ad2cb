//! Which way requests leave this computer.

use reqwest::{ClientBuilder, Proxy as Way, Url};

use super::address::is_this_computer;
use crate::endpoint::{EndpointError, Proxy};

/// Requests that stay on this computer go through no proxy, whatever was said: it has its own idea of
/// which computer that is.
pub(super) fn apply(
    builder: ClientBuilder,
    proxy: &Proxy,
    url: &Url,
) -> Result<ClientBuilder, EndpointError> {
    if is_this_computer(url) {
        return Ok(builder.no_proxy());
    }
    Ok(match proxy {
        Proxy::System => builder,
        Proxy::None => builder.no_proxy(),
        Proxy::Url(proxy) => builder.no_proxy().proxy(way(proxy)?),
    })
}

fn way(proxy: &str) -> Result<Way, EndpointError> {
    let url = Url::parse(proxy.trim()).map_err(|_| EndpointError::BadProxy)?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
        return Err(EndpointError::BadProxy);
    }
    Way::all(url).map_err(|_| EndpointError::BadProxy)
}

/// Whether this can be the address of a proxy.
pub fn is_proxy_address(proxy: &str) -> bool {
    way(proxy).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_has_an_address_and_no_password() {
        for good in [
            "http://proxy.example:3128",
            "https://proxy.example",
            " http://127.0.0.1:1 ",
        ] {
            assert!(is_proxy_address(good), "{good}");
        }
        for bad in [
            "",
            "proxy.example:3128",
            "socks5://proxy.example:1080",
            "http://me:secret@proxy.example",
            "http://me@proxy.example",
            "http://",
            "file:///etc/passwd",
        ] {
            assert!(!is_proxy_address(bad), "{bad}");
        }
    }
}
