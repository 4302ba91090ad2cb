//! The dialects in which a reply goes back as it came, over a real socket.

use std::sync::Arc;

use engine::{Model, ModelEvent, ModelRequest, RequestCall, RequestMessage, SystemClock};
use models::{Anthropic, Endpoint, Limits, Responses, SecretString};
use protocol::{BlockKind, Ending, ErrorClass, Native, Usage};
use serde_json::{Value, json};
use testkit::ModelServer;
use testkit::model_server::{Dialect, Reply, by_rounds, in_order};

use crate::support::{Heard, KEY, error_of, hear, question, text_of};

const DIALECTS: [Dialect; 2] = [Dialect::Anthropic, Dialect::Responses];
const ARGUMENTS: &str = "{ \"path\" : \"a.txt\",\"limit\":1.0 }";

fn endpoint(server: &ModelServer) -> Endpoint {
    Endpoint {
        key: Some(SecretString::from(KEY)),
        headers: vec![("x-team".to_owned(), SecretString::from("team-secret"))],
        ..Endpoint::new(server.url(), "scripted-1")
    }
}

fn model(dialect: Dialect, endpoint: Endpoint) -> Box<dyn Model> {
    let (limits, clock) = (Limits::default(), Arc::new(SystemClock));
    match dialect {
        Dialect::Anthropic => Box::new(Anthropic::new(endpoint, limits, clock).unwrap()),
        Dialect::Responses => Box::new(Responses::new(endpoint, limits, clock).unwrap()),
        _ => panic!("it has tests of its own"),
    }
}

fn model_at(dialect: Dialect, server: &ModelServer) -> Box<dyn Model> {
    model(dialect, endpoint(server))
}

fn calls_of(heard: &Heard) -> Vec<RequestCall> {
    let calls = heard.iter().flatten().filter_map(|event| match event {
        ModelEvent::Call {
            id,
            tool,
            arguments,
        } => Some(RequestCall {
            id: id.clone(),
            tool: tool.clone(),
            arguments: arguments.clone(),
        }),
        _ => None,
    });
    calls.collect()
}

fn end_of(heard: &Heard) -> (Usage, Ending, Option<Native>) {
    match heard.last() {
        Some(Ok(ModelEvent::Finished {
            usage,
            ending,
            native,
        })) => (*usage, *ending, native.clone()),
        other => panic!("{other:?}"),
    }
}

/// The session with what was heard and the results of its calls.
fn continued(mut request: ModelRequest, heard: &Heard) -> ModelRequest {
    let calls = calls_of(heard);
    let results = calls.iter().map(|call| RequestMessage::Result {
        call_id: call.id.clone(),
        tool: call.tool.clone(),
        text: format!("result of {}", call.id),
        is_error: false,
    });
    let results: Vec<RequestMessage> = results.collect();
    let messages = Arc::make_mut(&mut request.messages);
    messages.push(RequestMessage::Agent {
        text: text_of(heard, BlockKind::Text),
        calls,
        native: end_of(heard).2.map(Arc::new),
    });
    messages.extend(results);
    request
}

#[tokio::test]
async fn a_reply_comes_as_it_was_said() {
    for dialect in DIALECTS {
        let reply = Reply::nothing()
            .then_reasoning("Let me see …")
            .then_text("Grüße aus\n\nder 世界! 😀")
            .usage(12, 5, 8);
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(text_of(&heard, BlockKind::Reasoning), "Let me see …");
        assert_eq!(
            text_of(&heard, BlockKind::Text),
            "Grüße aus\n\nder 世界! 😀"
        );
        let counted = Usage {
            input_tokens: Some(12),
            output_tokens: Some(5),
            cached_tokens: Some(8),
            // Only one of them says.
            cache_write_tokens: (dialect == Dialect::Anthropic).then_some(0),
            cost_microusd: None,
        };
        let (usage, ending, native) = end_of(&heard);
        assert_eq!((usage, ending), (counted, Ending::Complete));
        assert!(native.is_some(), "there was a thought");
        let request = &server.requests()[0];
        assert_eq!(request.dialect, dialect);
        assert_eq!(request.body["model"], "scripted-1");
        assert_eq!(request.headers["x-team"], "team-secret");
        assert_eq!(request.tools(), ["read_file"]);
    }
}

#[tokio::test]
async fn the_key_and_the_version_are_where_the_dialect_wants_them() {
    let server = ModelServer::start(Reply::text("Hi.")).unwrap();
    for dialect in DIALECTS {
        hear(&*model_at(dialect, &server), question("Hi")).await;
    }
    let older = Endpoint {
        api_version: Some("2023-06-01".to_owned()),
        ..endpoint(&server)
    };
    hear(&*model(Dialect::Anthropic, older), question("Hi")).await;
    let requests = server.requests();
    for (request, version) in [(&requests[0], "2026-10-21"), (&requests[2], "2023-06-01")] {
        assert_eq!(request.headers["x-api-key"], KEY);
        assert_eq!(request.headers.get("authorization"), None);
        assert_eq!(request.headers["anthropic-version"], version);
    }
    assert_eq!(
        requests[1].headers["authorization"],
        format!("Bearer {KEY}")
    );
    assert_eq!(requests[1].headers.get("x-api-key"), None);
    assert_eq!(requests[1].body["store"], false);
}

// RUN-20
#[tokio::test]
async fn a_conversation_with_tools_goes_back_as_it_came() {
    for dialect in DIALECTS {
        let first = Reply::nothing()
            .then_reasoning("Let me see.")
            .then_text("I look.")
            .then_calls([("c1", "read_file", ARGUMENTS), ("c2", "read_file", "{}")]);
        let second =
            Reply::nothing()
                .then_reasoning("Once more.")
                .then_calls([("c3", "read_file", "{}")]);
        let script = by_rounds([first, second, Reply::text("All are there.")]);
        let server = ModelServer::start(script).unwrap();
        let model = model_at(dialect, &server);
        let mut request = question("Look");
        let mut natives = Vec::new();
        for (calls, thought) in [(2, "Let me see."), (1, "Once more.")] {
            let heard = hear(&*model, request.clone()).await;
            assert_eq!(calls_of(&heard).len(), calls);
            assert_eq!(text_of(&heard, BlockKind::Reasoning), thought);
            natives.push(end_of(&heard).2.expect("there was a thought"));
            request = continued(request, &heard);
        }
        assert_eq!(calls_of(&hear(&*model, request.clone()).await), []);
        let requests = server.requests();
        let results: Vec<String> = requests[2].results().into_iter().map(|r| r.text).collect();
        assert_eq!(results, ["result of c1", "result of c2", "result of c3"]);
        let body = String::from_utf8(requests[2].bytes.clone()).unwrap();
        for native in natives {
            let items = native.items.trim_start_matches('[').trim_end_matches(']');
            assert!(body.contains(items), "{items} in {body}");
        }
        // Exactly as they were written.
        let written = match dialect {
            Dialect::Anthropic => ARGUMENTS.to_owned(),
            _ => json!(ARGUMENTS).to_string(),
        };
        assert!(body.contains(&written), "{body}");
        assert_same_beginning(&requests[1].body, &requests[2].body);
        assert_eq!(server.count(), 3);
    }
}

/// What was sent is sent again, apart from the cache marks.
fn assert_same_beginning(before: &Value, after: &Value) {
    let unmarked = |body: &Value, list: &str| {
        let mark = r#""cache_control":{"type":"ephemeral"},"#;
        let elements = body[list].as_array().cloned().unwrap_or_default();
        let elements = elements.iter().map(|one| one.to_string().replace(mark, ""));
        elements.collect::<Vec<String>>()
    };
    assert_eq!(
        (&before["tools"], &before["system"]),
        (&after["tools"], &after["system"])
    );
    for list in ["messages", "input"] {
        let (before, after) = (unmarked(before, list), unmarked(after, list));
        assert_eq!(before[..], after[..before.len()]);
    }
}

// RUN-8
#[tokio::test]
async fn a_reply_that_is_cut_off_anywhere_before_its_end_is_never_whole() {
    let reply = Reply::nothing()
        .then_reasoning("Hm hm")
        .then_text("one two")
        .then_calls([("c1", "read_file", ARGUMENTS)]);
    for dialect in DIALECTS {
        let count = reply.piece_count_in(dialect);
        for pieces in 0..count {
            let server = ModelServer::start(reply.clone().cut_off_after(pieces)).unwrap();
            let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
            let error = error_of(&heard);
            assert_eq!(
                error.class,
                ErrorClass::Network,
                "{dialect:?} after {pieces}"
            );
            assert_eq!(calls_of(&heard), [], "{dialect:?} after {pieces}");
            assert_eq!(server.count(), 1, "nothing is sent twice");
        }
        let server = ModelServer::start(reply.clone().cut_off_after(count)).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(end_of(&heard).1, Ending::Complete);
    }
}

// RUN-9
#[tokio::test]
async fn an_error_inside_of_a_good_answer_ends_it() {
    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let failed = json!({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "Slow."}}});
    let bare = json!({"type": "error", "code": "server_error", "message": "Odd.", "param": null});
    for (dialect, event, class) in [
        (Dialect::Anthropic, overloaded, ErrorClass::Overloaded),
        (Dialect::Responses, failed, ErrorClass::RateLimit),
        (Dialect::Responses, bare, ErrorClass::Overloaded),
    ] {
        let reply = Reply::text("one two").then_events([event.to_string().as_str()]);
        let server = ModelServer::start(reply).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(
            text_of(&heard, BlockKind::Text),
            "one two",
            "it is there for the person"
        );
        assert_eq!(error_of(&heard).class, class);
    }
}

// RUN-8, RUN-9
#[tokio::test]
async fn an_error_has_its_class_and_says_how_long_to_wait() {
    let typed = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "No."}, "request_id": "req_1"});
    let spent = json!({"type": "error", "error": {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}});
    for dialect in DIALECTS {
        for (reply, class, wait) in [
            (
                Reply::error(529, &typed("overloaded_error")),
                ErrorClass::Overloaded,
                None,
            ),
            (
                Reply::error(429, &typed("rate_limit_error")).header("retry-after", "7"),
                ErrorClass::RateLimit,
                Some(7_000),
            ),
            (
                Reply::error(429, &json!({})).header("retry-after-ms", "30"),
                ErrorClass::RateLimit,
                Some(30),
            ),
            (Reply::error(429, &spent), ErrorClass::Billing, None),
            (
                Reply::error(401, &typed("authentication_error")),
                ErrorClass::Auth,
                None,
            ),
            (
                Reply::error(402, &typed("billing_error")),
                ErrorClass::Billing,
                None,
            ),
            (
                Reply::error(413, &typed("request_too_large")),
                ErrorClass::ContextLength,
                None,
            ),
            (
                Reply::body(200, "text/html", "<html>"),
                ErrorClass::InvalidRequest,
                None,
            ),
        ] {
            let server = ModelServer::start(in_order([reply, Reply::text("Now.")])).unwrap();
            let model = model_at(dialect, &server);
            let heard = hear(&*model, question("Hi")).await;
            assert_eq!(heard.len(), 1, "{heard:?}");
            let error = error_of(&heard);
            assert_eq!(
                (error.class, error.retry_after_ms),
                (class, wait),
                "{error}"
            );
            assert_eq!(server.count(), 1, "nothing is sent twice");
            // Whoever tries again is answered.
            let heard = hear(&*model, question("Hi")).await;
            assert_eq!(text_of(&heard, BlockKind::Text), "Now.");
        }
    }
}

#[tokio::test]
async fn a_limit_keeps_what_is_whole() {
    for dialect in DIALECTS {
        let server = ModelServer::start(Reply::text("A long").finish("length")).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(end_of(&heard).1, Ending::Length);
        let server = ModelServer::start(Reply::text("I").finish("content_filter")).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(error_of(&heard).class, ErrorClass::ContentRefused);
        let half = Reply::calls([("c1", "read_file", "{\"path\": ")]).finish("length");
        let server = ModelServer::start(half).unwrap();
        let heard = hear(&*model_at(dialect, &server), question("Hi")).await;
        assert_eq!(error_of(&heard).class, ErrorClass::Limit);
    }
}

// SEC-1
#[tokio::test]
async fn what_is_secret_is_in_no_error_and_no_debug_output() {
    for dialect in DIALECTS {
        let said = format!("Bad key {KEY} of team-secret.");
        let reply = Reply::error(401, &json!({"error": {"message": said}}));
        let server = ModelServer::start(reply).unwrap();
        let model = model_at(dialect, &server);
        let heard = hear(&*model, question("Hi")).await;
        assert!(
            error_of(&heard)
                .message
                .ends_with("Bad key [key] of [key].")
        );
        let shown = format!("{model:?} {:?} {heard:?}", model.info());
        assert!(
            !shown.contains(KEY) && !shown.contains("team-secret"),
            "{shown}"
        );
    }
}
