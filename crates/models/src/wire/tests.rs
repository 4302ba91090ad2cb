//! Addresses, keys and what is said of errors.

use engine::SystemClock;

use super::*;

fn endpoint(base_url: &str, key: Option<&str>) -> Endpoint {
    Endpoint {
        id: "id".to_owned(),
        label: "Label".to_owned(),
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        key: key.map(SecretString::from),
    }
}

fn wire(base_url: &str, key: Option<&str>) -> Result<Wire, EndpointError> {
    let clock = Arc::new(SystemClock);
    Wire::new(
        &endpoint(base_url, key),
        "chat/completions",
        Limits::default(),
        clock,
    )
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
    let error = ModelError::new(ErrorClass::Auth, "Bad key sk-1 (sk-1).");
    let key = SecretString::from(" sk-1 ");
    let shown = presentable(error.clone(), Some(&key));
    assert_eq!(shown.message, "Bad key [key] ([key]).");
    let none = SecretString::from("");
    assert_eq!(presentable(error.clone(), Some(&none)), error);
    assert_eq!(presentable(error.clone(), None), error);
}

// SEC-1
#[test]
fn a_long_error_is_cut_and_no_part_of_the_key_is_left_at_the_cut() {
    let key = SecretString::from("sk-0123456789");
    for before in MESSAGE_CHARS - 20..MESSAGE_CHARS + 1 {
        let message = format!("{}sk-0123456789{}", "ü".repeat(before), "x".repeat(9_000));
        let shown = presentable(ModelError::new(ErrorClass::Auth, message), Some(&key)).message;
        assert!(!shown.contains("sk-"), "{shown}");
        assert!(shown.chars().count() == MESSAGE_CHARS + 1 && shown.ends_with('…'));
    }
}
