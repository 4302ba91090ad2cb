//! Where a request goes.

use reqwest::Url;

use crate::endpoint::EndpointError;

/// An address with a path, and with a query where the path has one. The address is looked at before
/// the path is added, which could otherwise become its host.
pub(super) fn join(base_url: &str, path: &str) -> Result<Url, EndpointError> {
    let mut url = Url::parse(base_url.trim()).map_err(|_| EndpointError::BadAddress)?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
        return Err(EndpointError::BadAddress);
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let base_path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base_path}/{path}"));
    if !query.is_empty() {
        let before = url.query().map(|before| format!("{before}&"));
        url.set_query(Some(&format!("{}{query}", before.unwrap_or_default())));
    }
    Ok(url)
}

/// Text as a part of an address: only letters, digits and what is kept stand for themselves, so it
/// cannot begin a query or a fragment.
pub(crate) fn escaped(text: &str, kept: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// Whether both lead to the same host by the same way: what was given for the one may go to the other.
pub fn is_same_host(one: &str, other: &str) -> bool {
    let origin = |url: &str| Url::parse(url.trim()).ok().map(|url| url.origin());
    match (origin(one), origin(other)) {
        (Some(one), Some(other)) => one.is_tuple() && one == other,
        (_, None) | (None, _) => false,
    }
}

/// Whether an address leads to this port of this computer.
pub fn leads_to_port(url: &str, port: u16) -> bool {
    Url::parse(url.trim())
        .is_ok_and(|url| is_this_computer(&url) && url.port_or_known_default() == Some(port))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_the_same_with_another_path_and_no_other() {
        let one = "https://a.example/v1";
        for same in ["https://a.example", " https://A.example:443/v2/ ", one] {
            assert!(is_same_host(one, same), "{same}");
        }
        for other in [
            "http://a.example/v1",
            "https://a.example:8443/v1",
            "https://b.example/v1",
            "https://a.example.evil.example/v1",
            "https://a.example@evil.example/v1",
            "data:text",
            "",
        ] {
            assert!(!is_same_host(one, other), "{other}");
        }
        assert!(!is_same_host("data:text", "data:text"));
    }

    #[test]
    fn a_path_may_have_a_query() {
        for (base_url, path, expected) in [
            (
                "https://a.example/v1",
                "m:s?alt=sse",
                "https://a.example/v1/m:s?alt=sse",
            ),
            (
                "https://a.example/?v=1",
                "m?alt=sse",
                "https://a.example/m?v=1&alt=sse",
            ),
            ("https://a.example", "", "https://a.example/"),
            (
                "https://a.example/v1",
                "m%3Fx",
                "https://a.example/v1/m%3Fx",
            ),
        ] {
            let url = join(base_url, path).expect("good");
            assert_eq!(url.as_str(), expected);
        }
    }

    #[test]
    fn text_in_an_address_stays_in_its_place() {
        assert_eq!(escaped("a/b?c#d%é &", b"/"), "a/b%3Fc%23d%25%C3%A9%20%26");
    }
}
