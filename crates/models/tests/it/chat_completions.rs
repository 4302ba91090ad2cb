//! Chat Completions over a real socket, with a server that does what it is told.

use std::time::Duration;

use engine::{Model, ModelEvent, RequestCall, RequestMessage};
use futures_util::StreamExt;
use models::Limits;
use protocol::{BlockKind, ErrorClass, Usage};
use serde_json::json;
use testkit::ModelServer;
use testkit::model_server::{Ending, Reply, by_rounds};

use crate::support::{KEY, error_of, hear, model_at, model_with, question, text_of};

fn call(id: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call {
        id: id.to_owned(),
        tool: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[tokio::test]
async fn a_reply_comes_as_it_was_said() {
    let reply = Reply::nothing()
        .then_reasoning("Let me see …")
        .then_text("Grüße aus\n\nder 世界! 😀")
        .usage(12, 5, 8);
    let server = ModelServer::start(reply).unwrap();
    let heard = hear(&model_at(&server.url()), question("Hi")).await;
    assert_eq!(text_of(&heard, BlockKind::Reasoning), "Let me see …");
    assert_eq!(
        text_of(&heard, BlockKind::Text),
        "Grüße aus\n\nder 世界! 😀"
    );
    let usage = Usage {
        input_tokens: Some(12),
        output_tokens: Some(5),
        cached_tokens: Some(8),
        cache_write_tokens: None,
        cost_microusd: None,
    };
    assert_eq!(heard.last(), Some(&Ok(ModelEvent::finished(usage))));
    let request = &server.requests()[0];
    assert_eq!(request.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(request.headers["accept"], "text/event-stream");
    assert_eq!(request.body["model"], "scripted-1");
    assert_eq!(request.body["stream"], true);
    assert_eq!(request.tools(), ["read_file"]);
}

// RUN-20
#[tokio::test]
async fn calls_come_whole_and_their_results_go_back() {
    let arguments = "{ \"path\" : \"a.txt\",\"limit\":1.0 }";
    let server = ModelServer::start(by_rounds([
        Reply::text("I look.")
            .then_calls([("c1", "read_file", arguments), ("c2", "read_file", "{}")]),
        Reply::text("Both are there."),
    ]))
    .unwrap();
    let model = model_at(&server.url());
    let mut request = question("Look");
    let heard = hear(&model, request.clone()).await;
    let calls: Vec<_> = heard
        .iter()
        .flatten()
        .filter(|event| matches!(event, ModelEvent::Call { .. }))
        .collect();
    assert_eq!(calls, [&call("c1", arguments), &call("c2", "{}")]);
    assert_eq!(
        text_of(&heard, BlockKind::Arguments),
        format!("{arguments}{{}}")
    );
    let called = |id: &str, arguments: &str| RequestCall {
        id: id.to_owned(),
        tool: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    let result = |id: &str| RequestMessage::Result {
        call_id: id.to_owned(),
        tool: "read_file".to_owned(),
        text: format!("result of {id}"),
        is_error: false,
    };
    std::sync::Arc::make_mut(&mut request.messages).extend([
        RequestMessage::Agent {
            text: "I look.".to_owned(),
            calls: vec![called("c1", arguments), called("c2", "{}")],
            native: None,
        },
        result("c1"),
        result("c2"),
    ]);
    let heard = hear(&model, request).await;
    assert_eq!(text_of(&heard, BlockKind::Text), "Both are there.");
    let second = &server.requests()[1];
    let results: Vec<String> = second
        .results()
        .into_iter()
        .map(|result| result.text)
        .collect();
    assert_eq!(results, ["result of c1", "result of c2"]);
    let sent = &second.body["messages"][2]["tool_calls"][0]["function"]["arguments"];
    assert_eq!(sent, arguments, "byte for byte");
}

#[tokio::test]
async fn a_reply_that_is_cut_off_anywhere_before_its_end_is_never_whole() {
    let reply = Reply::text("one two").then_calls([("c1", "read_file", "{\"path\":\"a\"}")]);
    // The finish reason, the usage and the end are the last three pieces.
    for pieces in 0..reply.piece_count() - 2 {
        let server = ModelServer::start(reply.clone().cut_off_after(pieces)).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        assert_eq!(
            error_of(&heard).class,
            ErrorClass::Network,
            "after {pieces}"
        );
        let has_call = heard
            .iter()
            .any(|event| matches!(event, Ok(ModelEvent::Call { .. })));
        assert!(!has_call, "after {pieces}");
        assert_eq!(server.count(), 1, "nothing is sent twice");
    }
    for pieces in reply.piece_count() - 2..=reply.piece_count() {
        let server = ModelServer::start(reply.clone().cut_off_after(pieces)).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        assert!(
            matches!(heard.last(), Some(Ok(ModelEvent::Finished { .. }))),
            "{heard:?}"
        );
    }
}

// RUN-8, RUN-9
#[tokio::test]
async fn an_error_has_its_class_and_says_how_long_to_wait() {
    let quota = json!({"error": {"code": "insufficient_quota", "message": "Pay."}});
    let limit = json!({"error": {"message": "Slow down."}});
    let context = json!({"error": {"code": 400, "type": "exceed_context_size_error"}});
    for (reply, class, wait) in [
        (Reply::error(429, &quota), ErrorClass::Billing, None),
        (
            Reply::error(429, &limit).header("retry-after", "7"),
            ErrorClass::RateLimit,
            Some(7_000),
        ),
        (
            Reply::error(529, &json!({})).header("retry-after-ms", "30"),
            ErrorClass::Overloaded,
            Some(30),
        ),
        (Reply::error(400, &context), ErrorClass::ContextLength, None),
        (Reply::error(401, &json!(null)), ErrorClass::Auth, None),
        (
            Reply::body(200, "application/json", &quota.to_string()),
            ErrorClass::Billing,
            None,
        ),
        (
            Reply::body(200, "text/html", "<html>"),
            ErrorClass::InvalidRequest,
            None,
        ),
        (
            Reply::body(500, "text/plain", &"x".repeat(1_000_000)),
            ErrorClass::Overloaded,
            None,
        ),
    ] {
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        assert_eq!(heard.len(), 1, "{heard:?}");
        let error = error_of(&heard);
        assert_eq!(
            (error.class, error.retry_after_ms),
            (class, wait),
            "{error}"
        );
        assert_eq!(server.count(), 1, "nothing is sent twice");
    }
}

// SEC-1
#[tokio::test]
async fn a_redirect_takes_the_key_nowhere() {
    let elsewhere = ModelServer::start(Reply::text("Caught.")).unwrap();
    for status in [301, 302, 303, 307, 308] {
        let to = format!("{}/chat/completions", elsewhere.url());
        let reply = Reply::body(status, "text/plain", "").header("location", &to);
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        assert_eq!(error_of(&heard).class, ErrorClass::InvalidRequest);
    }
    assert_eq!(elsewhere.count(), 0);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_error() {
    let url = ModelServer::start(Reply::nothing()).unwrap().url();
    let heard = hear(&model_at(&url), question("Hi")).await;
    assert_eq!(error_of(&heard).class, ErrorClass::Network);
}

// RUN-16
#[tokio::test]
async fn silence_ends_as_a_timeout_and_a_slow_reply_does_not() {
    let limits = Limits {
        silence: Duration::from_millis(400),
        ..Limits::default()
    };
    for pieces in [0, 1] {
        let server = ModelServer::start(Reply::text("one two").hang_after(pieces)).unwrap();
        let heard = hear(&model_with(&server.url(), limits), question("Hi")).await;
        assert_eq!(
            error_of(&heard).class,
            ErrorClass::Timeout,
            "after {pieces}"
        );
        assert_eq!(heard.len(), 1 + pieces);
    }
    let slow = Reply::text("a b c d e f g h").pace(Duration::from_millis(100));
    let server = ModelServer::start(slow).unwrap();
    let heard = hear(&model_with(&server.url(), limits), question("Hi")).await;
    assert_eq!(text_of(&heard, BlockKind::Text), "a b c d e f g h");
}

// RUN-16
#[tokio::test]
async fn dropping_the_stream_ends_the_request() {
    for pieces in [0, 1] {
        let server = ModelServer::start(Reply::text("one two").hang_after(pieces)).unwrap();
        let model = model_at(&server.url());
        let mut stream = model.stream(question("Hi"));
        if pieces == 0 {
            let waited = tokio::time::timeout(Duration::from_millis(200), stream.next()).await;
            assert!(waited.is_err(), "there is nothing to hear: {waited:?}");
        } else {
            assert!(matches!(
                stream.next().await,
                Some(Ok(ModelEvent::Text { .. }))
            ));
        }
        assert_eq!(server.requests()[0].ending, Ending::Going);
        drop(stream);
        testkit::eventually("the server to see it", async || {
            (server.requests()[0].ending == Ending::ClientLeft).then_some(())
        })
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn an_event_that_is_too_large_ends_the_call() {
    let limits = Limits {
        event_bytes: 1024 * 1024,
        ..Limits::default()
    };
    let large = format!("{{\"x\":\"{}\"}}", "y".repeat(4 * 1024 * 1024));
    let server = ModelServer::start(Reply::events([large.as_str()])).unwrap();
    let heard = hear(&model_with(&server.url(), limits), question("Hi")).await;
    assert_eq!(error_of(&heard).class, ErrorClass::Limit);
    let server = ModelServer::start(Reply::huge(8 * 1024 * 1024)).unwrap();
    let heard = hear(&model_with(&server.url(), limits), question("Hi")).await;
    assert_eq!(text_of(&heard, BlockKind::Text).len(), 8 * 1024 * 1024);
}

#[tokio::test]
async fn odd_replies_are_read_to_their_end() {
    let many: Vec<String> = (0..200).map(|n| format!("c{n}")).collect();
    let many = many.iter().map(|id| (id.as_str(), "read_file", "{}"));
    for (reply, calls) in [
        (Reply::nothing(), 0),
        (Reply::calls(many), 200),
        (
            Reply::calls([("c", "read_file", "{}"), ("c", "read_file", "{}")]),
            2,
        ),
        (Reply::calls([("c", "read_file", "{\"path\": ")]), 1),
        (Reply::calls([("c", "read_file", "{}")]).finish("stop"), 1),
    ] {
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        let is_call = |event: &&_| matches!(event, Ok(ModelEvent::Call { .. }));
        assert_eq!(heard.iter().filter(is_call).count(), calls);
        assert!(
            matches!(heard.last(), Some(Ok(ModelEvent::Finished { .. }))),
            "{heard:?}"
        );
    }
    for (reply, class) in [
        (
            Reply::text("one two").malformed_after(1),
            ErrorClass::Network,
        ),
        (
            Reply::text("one").finish("content_filter"),
            ErrorClass::ContentRefused,
        ),
        (
            Reply::calls([("c", "read_file", "{\"path")]).finish("length"),
            ErrorClass::Limit,
        ),
    ] {
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&model_at(&server.url()), question("Hi")).await;
        assert_eq!(error_of(&heard).class, class);
    }
}
