//! Lists of models and keys that are tried, over real sockets.

use std::sync::Arc;
use std::time::Duration;

use engine::SystemClock;
use models::{
    Dialect, Endpoint, EndpointError, KeyCheck, Known, Limits, SecretString, check_key, list_models,
};
use protocol::ErrorClass;
use serde_json::{Value, json};

use crate::small_server::{Asked, Said, SmallServer};
use crate::support::KEY;

const ALL: [Dialect; 5] = [
    Dialect::ChatCompletions,
    Dialect::Responses,
    Dialect::Anthropic,
    Dialect::Ollama,
    Dialect::Gemini,
];

fn endpoint(url: &str) -> Endpoint {
    Endpoint {
        key: Some(SecretString::from(KEY)),
        ..Endpoint::new(url, "")
    }
}

fn limits() -> Limits {
    Limits {
        silence: Duration::from_secs(10),
        ..Limits::default()
    }
}

async fn check(dialect: Dialect, url: &str) -> KeyCheck {
    let checked = check_key(dialect, &endpoint(url), limits(), Arc::new(SystemClock)).await;
    assert!(!format!("{checked:?}").contains(KEY), "{checked:?}");
    checked
}

async fn names(dialect: Dialect, url: &str) -> Vec<String> {
    let clock = Arc::new(SystemClock);
    let cards = list_models(dialect, &endpoint(url), limits(), clock).await;
    cards.unwrap().into_iter().map(|card| card.name).collect()
}

/// A provider of every dialect at once.
fn provider(asked: &Asked) -> Said {
    match asked.path.as_str() {
        "/models" => Said::json(
            200,
            &json!({"object": "list", "data": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}),
        ),
        "/models?limit=1000" => Said::json(
            200,
            &json!({"data": [{"id": "a", "type": "model"}], "has_more": true, "last_id": "a"}),
        ),
        "/models?limit=1000&after_id=a" => Said::json(
            200,
            &json!({"data": [{"id": "b", "type": "model"}], "has_more": false, "last_id": "b"}),
        ),
        "/models?pageSize=1000" => Said::json(200, &gemini_page("a", "next/1")),
        "/models?pageSize=1000&pageToken=next%2F1" => Said::json(200, &gemini_page("b", "")),
        "/api/tags" => Said::json(
            200,
            &json!({"models": [{"model": "a"}, {"model": "b"}, {"model": "measures"}]}),
        ),
        "/api/show" => match asked.json()["model"].as_str() {
            Some("a") => Said::json(
                200,
                &json!({"capabilities": ["completion", "tools"], "model_info": {"general.architecture": "x", "x.context_length": 4096}}),
            ),
            Some("measures") => Said::json(200, &json!({"capabilities": ["embedding"]})),
            _ => Said::json(500, &json!({"error": "broken"})),
        },
        _ => Said::not_found(),
    }
}

fn gemini_page(name: &str, next: &str) -> Value {
    json!({"models": [{"name": format!("models/{name}"), "supportedGenerationMethods": ["generateContent"]}], "nextPageToken": next})
}

#[tokio::test]
async fn every_dialect_has_its_list_and_its_way_to_send_a_key() {
    let server = SmallServer::start(provider);
    for dialect in ALL {
        assert_eq!(
            names(dialect, &server.url()).await,
            ["a", "b"],
            "{dialect:?}"
        );
        let asked = server.asked();
        let last = &asked[asked.len() - 1];
        let (header, value) = match dialect {
            Dialect::Anthropic => ("x-api-key", KEY.to_owned()),
            Dialect::Gemini => ("x-goog-api-key", KEY.to_owned()),
            _ => ("authorization", format!("Bearer {KEY}")),
        };
        assert_eq!(last.headers[header], value, "{dialect:?}");
        assert_eq!(last.headers["accept"], "application/json");
        assert_eq!(
            check(dialect, &server.url()).await,
            KeyCheck::Works { models: 2 }
        );
    }
    let clock = Arc::new(SystemClock);
    let cards = list_models(Dialect::Ollama, &endpoint(&server.url()), limits(), clock).await;
    let cards = cards.unwrap();
    assert_eq!(cards[0].context_tokens, Some(4_096));
    assert_eq!(cards[0].capabilities.tools, Known::Yes);
    assert_eq!(cards[0].capabilities.images, Known::No);
    assert_eq!(
        cards[1].capabilities.tools,
        Known::Unknown,
        "it was not described"
    );
    assert_eq!(cards[1].context_tokens, None);
}

#[tokio::test]
async fn a_list_without_an_end_is_not_followed_for_ever() {
    let server = SmallServer::start(|asked: &Asked| {
        let number = asked.path.len();
        Said::json(
            200,
            &json!({"data": [{"id": format!("m{number}")}], "has_more": true, "last_id": "x".repeat(number)}),
        )
    });
    assert!(!names(Dialect::Anthropic, &server.url()).await.is_empty());
    assert!(server.asked().len() <= 20);
}

// SEC-1
#[tokio::test]
async fn what_is_wrong_with_a_key_is_said_exactly() {
    type Is = fn(&KeyCheck) -> bool;
    let refused: Is = |check| matches!(check, KeyCheck::KeyRefused(_));
    let no_credit: Is = |check| matches!(check, KeyCheck::NoCredit(_));
    let wrong: Is = |check| matches!(check, KeyCheck::WrongServer(_));
    let no_network: Is = |check| matches!(check, KeyCheck::NoNetwork(_));
    let busy: Is = |check| {
        matches!(
            check,
            KeyCheck::Busy {
                retry_after_ms: Some(7_000),
                ..
            }
        )
    };
    let large = format!("[\"{}\"]", "x".repeat(10 * 1024 * 1024));
    for (said, is_so) in [
        (
            Said::json(
                401,
                &json!({"error": {"message": format!("Bad key {KEY}")}}),
            ),
            refused,
        ),
        (
            Said::json(403, &json!({"error": {"type": "permission_error"}})),
            refused,
        ),
        (
            Said::json(
                400,
                &json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}),
            ),
            refused,
        ),
        (
            Said::json(402, &json!({"error": {"message": "Pay."}})),
            no_credit,
        ),
        (
            Said::json(429, &json!({"error": {"code": "insufficient_quota"}})),
            no_credit,
        ),
        (Said::json(429, &json!({})).header("retry-after", "7"), busy),
        (Said::json(503, &json!({})).header("retry-after", "7"), busy),
        (Said::not_found(), wrong),
        (Said::stream("text/html", "<html>Welcome</html>"), wrong),
        (Said::json(200, &json!({"hello": "world"})), wrong),
        (
            Said::json(200, &json!({"data": [{"title": "post"}], "models": [1]})),
            wrong,
        ),
        (
            Said::json(302, &json!({})).header("location", "http://127.0.0.1:1/"),
            wrong,
        ),
        (Said::stream("application/json", &large), wrong),
        (
            Said::stream("application/json", "{\"data\":[").cut_off_after(5),
            no_network,
        ),
    ] {
        let shown = format!("{said:.200?}");
        let server = SmallServer::start(move |_| said.clone());
        // One of each way to list: a plain list, pages, and a list with descriptions.
        for dialect in [Dialect::ChatCompletions, Dialect::Gemini, Dialect::Ollama] {
            let checked = check(dialect, &server.url()).await;
            assert!(
                is_so(&checked),
                "{dialect:?} {checked:?} for {}",
                &shown[..shown.len().min(300)]
            );
        }
    }
    let gone = SmallServer::start(provider).url();
    // Its port is free again: nobody listens there.
    let checked = check(
        Dialect::ChatCompletions,
        &gone.replace("127.0.0.1", "127.0.0.2"),
    )
    .await;
    assert!(no_network(&checked), "{checked:?}");
    let checked = check(Dialect::ChatCompletions, "ftp://a.example").await;
    assert_eq!(checked, KeyCheck::Unusable(EndpointError::BadAddress));
}

// RUN-16
#[tokio::test]
async fn a_list_without_an_end_is_not_waited_for() {
    let short = Limits {
        silence: Duration::from_millis(100),
        ..Limits::default()
    };
    let open = || Said::stream("application/json", "{\"data\":[");
    for said in [open().then_silence(), open().then_drips()] {
        let server = SmallServer::start(move |_| said.clone());
        let endpoint = endpoint(&server.url());
        for dialect in [Dialect::ChatCompletions, Dialect::Gemini] {
            let checking = check_key(dialect, &endpoint, short, Arc::new(SystemClock));
            let checked = tokio::time::timeout(Duration::from_secs(30), checking).await;
            let checked = checked.expect("it has an end of its own");
            assert!(matches!(checked, KeyCheck::NoNetwork(_)), "{checked:?}");
        }
        let clock = Arc::new(SystemClock);
        let listed = list_models(Dialect::Ollama, &endpoint, short, clock).await;
        assert_eq!(listed.unwrap_err().class, ErrorClass::Timeout);
    }
}

#[tokio::test]
async fn a_list_that_anybody_may_read_says_nothing_of_the_key() {
    for (key, expected) in [
        (
            Said::json(401, &json!({"error": {"code": 401, "message": "No."}})),
            "KeyRefused",
        ),
        (
            Said::json(200, &json!({"data": {"limit": 5, "limit_remaining": 0}})),
            "NoCredit",
        ),
        (
            Said::json(
                200,
                &json!({"data": {"limit": null, "limit_remaining": null}}),
            ),
            "Works",
        ),
    ] {
        let list =
            json!({"data": [{"id": "a/b", "canonical_slug": "a/b", "pricing": {"prompt": "0"}}]});
        let script = move |asked: &Asked| match asked.path.as_str() {
            "/key" => key.clone(),
            _ => Said::json(200, &list),
        };
        let server = SmallServer::start(script);
        let checked = check(Dialect::ChatCompletions, &server.url()).await;
        assert!(format!("{checked:?}").starts_with(expected), "{checked:?}");
    }
}

#[tokio::test]
async fn a_list_that_fails_has_its_class() {
    let server =
        SmallServer::start(|_: &Asked| Said::json(401, &json!({"error": {"message": KEY}})));
    for dialect in ALL {
        let clock = Arc::new(SystemClock);
        let listed = list_models(dialect, &endpoint(&server.url()), limits(), clock).await;
        let error = listed.unwrap_err();
        assert_eq!(error.class, ErrorClass::Auth);
        assert!(!format!("{error:?}").contains(KEY));
    }
}
