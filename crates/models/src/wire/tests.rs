//! Addresses, keys and what is said of errors.

use engine::SystemClock;

use super::*;

fn endpoint(base_url: &str, key: Option<&str>) -> Endpoint {
    Endpoint {
        key: key.map(SecretString::from),
        ..Endpoint::new(base_url, "m")
    }
}

fn wire(base_url: &str, key: Option<&str>) -> Result<Wire, EndpointError> {
    wire_of(&endpoint(base_url, key), KeyHeader::Bearer)
}

fn wire_of(endpoint: &Endpoint, key: KeyHeader) -> Result<Wire, EndpointError> {
    let manner = Manner {
        path: "chat/completions",
        key,
        headers: vec![("dialect-version", "1".to_owned())],
    };
    let clock = Arc::new(SystemClock);
    Wire::new(endpoint, &manner, Limits::default(), clock)
}

#[test]
fn the_path_follows_the_address() {
    for base_url in [
        "https://a.example/v1",
        "https://a.example/v1/",
        " https://a.example/v1// ",
    ] {
        let url = wire(base_url, None).expect("good").url;
        assert_eq!(url.as_str(), "https://a.example/v1/chat/completions");
    }
    let url = wire("https://a.example?version=1", None).expect("good").url;
    assert_eq!(url.as_str(), "https://a.example/chat/completions?version=1");
}

#[test]
fn an_address_that_cannot_be_called_is_refused_and_not_repeated() {
    for base_url in [
        "",
        "a.example/v1",
        "file:///etc",
        "ftp://a.example",
        "javascript:1",
        "https://",
        "https://name:pass-word@a.example/v1",
        "https://name@a.example/v1",
    ] {
        let error = wire(base_url, None).expect_err(base_url);
        assert_eq!(error, EndpointError::BadAddress);
        assert!(!error.to_string().contains("pass-word"));
    }
}

#[test]
fn this_computer_is_known_by_all_its_names() {
    for (base_url, expected) in [
        ("http://localhost:1", true),
        ("http://LOCALHOST", true),
        ("http://127.0.0.1", true),
        ("http://127.8.8.8:80", true),
        ("http://[::1]:8080", true),
        ("http://localhost.example", false),
        ("http://10.0.0.1", false),
        ("http://[::2]", false),
    ] {
        let url = Url::parse(base_url).expect("good");
        assert_eq!(address::is_this_computer(&url), expected, "{base_url}");
    }
}

// SEC-1
#[test]
fn the_key_is_not_shown_by_debug() {
    const KEY: &str = "sk-very-secret";
    let endpoint = endpoint("https://a.example/v1", Some(KEY));
    let wire = wire("https://a.example/v1", Some(KEY)).expect("good");
    for shown in [
        format!("{endpoint:?}"),
        format!("{wire:?}"),
        format!("{wire:#?}"),
    ] {
        assert!(!shown.contains(KEY), "{shown}");
    }
}

// SEC-1
#[test]
fn a_key_that_cannot_be_sent_is_refused_and_not_shown() {
    let error = wire("https://a.example/v1", Some("sk-very\nsecret")).expect_err("a line end");
    assert_eq!(error, EndpointError::BadKey);
    assert!(!format!("{error} {error:?}").contains("sk-very"));
    assert!(wire("https://a.example/v1", Some(" sk-pasted \n")).is_ok());
}

// SEC-1
#[test]
fn an_error_that_repeats_the_key_is_shown_without_it() {
    let error = ModelError::new(ErrorClass::Auth, "Bad key sk-1 (sk-1), team-9.");
    let key = SecretString::from(" sk-1 ");
    let header = SecretString::from("team-9");
    let shown = presentable(error.clone(), &[key, header]);
    assert_eq!(shown.message, "Bad key [key] ([key]), [key].");
    for short in ["", " ", "1"].map(SecretString::from) {
        assert_eq!(presentable(error.clone(), &[short]), error);
    }
    assert_eq!(presentable(error.clone(), &[]), error);
}

// SEC-1
#[test]
fn a_long_error_is_cut_and_no_part_of_the_key_is_left_at_the_cut() {
    let key = SecretString::from("sk-0123456789");
    for before in MESSAGE_CHARS - 20..MESSAGE_CHARS + 1 {
        let message = format!("{}sk-0123456789{}", "ü".repeat(before), "x".repeat(9_000));
        let shown = presentable(
            ModelError::new(ErrorClass::Auth, message),
            std::slice::from_ref(&key),
        )
        .message;
        assert!(!shown.contains("sk-"), "{shown}");
        assert!(shown.chars().count() == MESSAGE_CHARS + 1 && shown.ends_with('…'));
    }
}

fn with_header(name: &str, value: &str) -> Endpoint {
    Endpoint {
        headers: vec![(name.to_owned(), SecretString::from(value))],
        ..endpoint("https://a.example/v1", Some("sk-1234"))
    }
}

#[test]
fn each_dialect_has_its_place_for_the_key() {
    let endpoint = endpoint("https://a.example/v1", Some(" sk-1234\n"));
    for (key, name, value) in [
        (KeyHeader::Bearer, "authorization", "Bearer sk-1234"),
        (KeyHeader::XApiKey, "x-api-key", "sk-1234"),
        (KeyHeader::XGoogApiKey, "x-goog-api-key", "sk-1234"),
    ] {
        let headers = wire_of(&endpoint, key).expect("good").headers;
        assert_eq!(headers[name], value);
        assert!(headers[name].is_sensitive());
        assert_eq!(headers["dialect-version"], "1");
        assert_eq!(headers.len(), 4, "and no other place: {headers:?}");
        let chosen = Endpoint {
            key_header: Some(key),
            ..endpoint.clone()
        };
        let other = wire_of(&chosen, KeyHeader::Bearer).expect("good").headers;
        assert_eq!(headers, other, "where the person says");
    }
}

// SEC-1
#[test]
fn what_a_person_adds_is_sent_and_not_shown() {
    let endpoint = with_header("X-Team", "sk-team-secret");
    let wire = wire_of(&endpoint, KeyHeader::XApiKey).expect("good");
    assert_eq!(wire.headers["x-team"], "sk-team-secret");
    let shown = format!("{endpoint:?} {wire:#?}");
    assert!(!shown.contains("sk-team-secret"), "{shown}");
    // A key may be in a header of the person's where the dialect has none.
    let other = with_header("authorization", "Basic abcd");
    assert!(wire_of(&other, KeyHeader::XApiKey).is_ok());
}

// SEC-1
#[test]
fn headers_that_are_not_the_persons_are_refused() {
    for name in [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "connection",
        "proxy-authorization",
        "Content-Type",
        "x-api-key",
        "dialect-version",
    ] {
        let error = wire_of(&with_header(name, "x"), KeyHeader::XApiKey).expect_err(name);
        let name = name.to_ascii_lowercase();
        assert_eq!(error, EndpointError::ReservedHeader(name));
    }
    for (name, value) in [
        ("", "x"),
        ("sk secret", "x"),
        ("a:b", "x"),
        ("a", "x\r\nhost: b"),
    ] {
        let error = wire_of(&with_header(name, value), KeyHeader::XApiKey).expect_err(name);
        assert_eq!(error, EndpointError::BadHeader);
        assert!(!error.to_string().contains("secret"));
    }
}
