//! The name that a provider gives a request: what its support asks for.

use reqwest::header::HeaderMap;

/// Where providers write it, the most telling first.
const NAMES: [&str; 4] = [
    "request-id",
    "x-request-id",
    "x-goog-request-id",
    "x-generation-id",
];
/// No id is longer.
const LONGEST: usize = 128;

/// The id, if what is there looks like one: it goes into the log, and whatever else a server may write
/// there does not.
pub(super) fn read(headers: &HeaderMap) -> Option<&str> {
    let is_id = |text: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        !text.is_empty() && text.len() <= LONGEST && text.bytes().all(is_plain)
    };
    NAMES
        .iter()
        .filter_map(|name| headers.get(*name)?.to_str().ok())
        .find(is_id)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn what_looks_like_an_id_is_one() {
        let of = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-request-id", HeaderValue::from_str(value).unwrap());
            read(&headers).map(str::to_owned)
        };
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(of("req_01-Ab.c:9").as_deref(), Some("req_01-Ab.c:9"));
        for value in ["", "two words", "Bearer key", "{\"a\":1}", &long] {
            assert_eq!(of(value), None, "{value:?}");
        }
        assert_eq!(read(&HeaderMap::new()), None);
    }

    #[test]
    fn the_next_name_counts_where_the_first_says_nothing_useful() {
        let mut headers = HeaderMap::new();
        headers.insert("request-id", HeaderValue::from_static("no id"));
        headers.insert("x-request-id", HeaderValue::from_static("req_2"));
        assert_eq!(read(&headers), Some("req_2"));
        headers.insert("request-id", HeaderValue::from_static("req_1"));
        assert_eq!(read(&headers), Some("req_1"));
    }
}
