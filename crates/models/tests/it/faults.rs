//! What can go wrong between here and a provider, the same for every dialect, over a real socket.
//! What only one of them can do is in the file of that one.

use std::sync::Arc;
use std::time::Duration;

use engine::{Model, ModelEvent, SystemClock};
use models::{Endpoint, Limits, SecretString, connect};
use protocol::{BlockKind, ErrorClass};
use serde_json::{Value, json};
use testkit::model_server::{Dialect, Reply};

use crate::small_server::{Said, SmallServer};
use crate::support::{Heard, KEY, error_of, hear, question, spoken, text_of};

const TEXT: &str = "Grüße aus der 世界! 😀";

fn model(dialect: Dialect, server: &SmallServer, limits: Limits) -> Arc<dyn Model> {
    let version = match dialect {
        Dialect::Ollama => "",
        Dialect::Gemini => "/v1beta",
        _ => "/v1",
    };
    let endpoint = Endpoint {
        key: Some(SecretString::from(KEY)),
        ..Endpoint::new(format!("{}{version}", server.url()), "m")
    };
    connect(spoken(dialect), endpoint, limits, Arc::new(SystemClock)).unwrap()
}

/// What is heard of one answer, which is asked for once.
async fn heard(dialect: Dialect, said: Said, limits: Limits) -> Heard {
    let server = SmallServer::start(move |_| said.clone());
    let heard = hear(&*model(dialect, &server, limits), question("Hi")).await;
    assert_eq!(server.asked().len(), 1, "nothing is sent twice");
    heard
}

fn impatient() -> Limits {
    Limits {
        silence: Duration::from_millis(300),
        ..Limits::default()
    }
}

fn whole(dialect: Dialect) -> String {
    let reply = Reply::nothing().then_reasoning("Hm.").then_text(TEXT);
    let call = [("c1", "read_file", "{\"path\":\"a\"}")];
    reply.then_calls(call).body_in(dialect)
}

fn stream(dialect: Dialect, body: impl AsRef<[u8]>) -> Said {
    Said::stream(dialect.media_type(), body)
}

fn assert_no_call(heard: &Heard, why: &str) {
    let is_call = |event: &_| matches!(event, Ok(ModelEvent::Call { .. }));
    assert!(!heard.iter().any(is_call), "{why}");
}

/// Where the reply is whole at the latest: with the last of its events.
fn last_event(dialect: Dialect, body: &str) -> usize {
    let sign = match dialect {
        Dialect::ChatCompletions => "\"finish_reason\":\"tool_calls\"",
        Dialect::Anthropic => "{\"type\":\"message_stop\"",
        Dialect::Responses => "event: response.completed",
        Dialect::Ollama => "\"done\":true",
        Dialect::Gemini => "\"finishReason\"",
    };
    body.find(sign).unwrap()
}

// RUN-8
#[tokio::test]
async fn a_connection_that_is_reset_or_closed_is_never_a_whole_reply() {
    for dialect in Dialect::ALL {
        let body = whole(dialect);
        let last = last_event(dialect, &body);
        for bytes in (0..last).step_by(1 + last / 12) {
            for said in [
                stream(dialect, &body).reset_after(bytes),
                stream(dialect, &body).cut_off_after(bytes),
                // As if all were well.
                stream(dialect, &body.as_bytes()[..bytes]),
            ] {
                let why = format!("{dialect:?} after {bytes}");
                let heard = heard(dialect, said, Limits::default()).await;
                assert_eq!(error_of(&heard).class, ErrorClass::Network, "{why}");
                assert_no_call(&heard, &why);
            }
        }
    }
}

// RUN-8
#[tokio::test]
async fn half_a_character_at_the_end_is_a_break_and_not_a_letter() {
    for dialect in Dialect::ALL {
        let body = whole(dialect);
        let smile = body.find('😀').unwrap();
        for bytes in smile + 1..smile + 4 {
            let said = stream(dialect, &body.as_bytes()[..bytes]);
            let heard = heard(dialect, said, Limits::default()).await;
            assert_eq!(error_of(&heard).class, ErrorClass::Network, "{dialect:?}");
            let text = text_of(&heard, BlockKind::Text);
            assert!(
                TEXT.starts_with(&text) && !text.contains('\u{fffd}'),
                "{text}"
            );
        }
    }
}

// RUN-16
#[tokio::test]
async fn silence_ends_as_a_timeout_wherever_it_begins() {
    for dialect in Dialect::ALL {
        let body = whole(dialect);
        for bytes in [0, 40, body.find('世').unwrap()] {
            let said = stream(dialect, &body.as_bytes()[..bytes]).then_silence();
            let heard = heard(dialect, said, impatient()).await;
            assert_eq!(
                error_of(&heard).class,
                ErrorClass::Timeout,
                "{dialect:?} {bytes}"
            );
            assert_no_call(&heard, "silence");
        }
    }
}

// RUN-16
#[tokio::test]
async fn a_reply_that_drips_is_read_to_its_end() {
    for dialect in Dialect::ALL {
        let body = Reply::text("Slow.").body_in(dialect);
        let count = 40;
        let said = stream(dialect, &body)
            .cut_into(1 + body.len() / count)
            .slowly(Duration::from_millis(20));
        let heard = heard(dialect, said, impatient()).await;
        assert_eq!(text_of(&heard, BlockKind::Text), "Slow.", "{dialect:?}");
        assert!(matches!(
            heard.last(),
            Some(Ok(ModelEvent::Finished { .. }))
        ));
    }
}

#[tokio::test]
async fn an_event_of_five_megabytes_is_read_and_one_above_the_limit_is_not() {
    let small = Limits {
        event_bytes: 1024 * 1024,
        ..Limits::default()
    };
    let word = "y".repeat(5 * 1024 * 1024);
    for dialect in Dialect::ALL {
        let body = Reply::text(&word).body_in(dialect);
        let read = heard(dialect, stream(dialect, &body), Limits::default()).await;
        assert_eq!(
            text_of(&read, BlockKind::Text).len(),
            word.len(),
            "{dialect:?}"
        );
        let refused = heard(dialect, stream(dialect, &body), small).await;
        assert_eq!(error_of(&refused).class, ErrorClass::Limit, "{dialect:?}");
        // One that never ends, and keeps coming.
        let endless = stream(dialect, &body.as_bytes()[..body.len() / 2]).then_drips();
        let refused = heard(dialect, endless, small).await;
        assert_eq!(error_of(&refused).class, ErrorClass::Limit, "{dialect:?}");
    }
}

// RUN-8
#[tokio::test]
async fn every_way_to_say_when_to_come_back_is_understood() {
    const DATE: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:07 GMT");
    type Headers = &'static [(&'static str, &'static str)];
    let ways: [(Headers, Option<u64>); 6] = [
        (&[], None),
        (&[("retry-after", "7")], Some(7_000)),
        (&[("retry-after", "0.25")], Some(250)),
        (&[("retry-after-ms", "30")], Some(30)),
        (
            &[("retry-after", "2"), ("retry-after-ms", "1500")],
            Some(1_500),
        ),
        (
            &[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), DATE],
            Some(30_000),
        ),
    ];
    for dialect in Dialect::ALL {
        for (status, class) in [(429, ErrorClass::RateLimit), (529, ErrorClass::Overloaded)] {
            for (headers, wait) in ways {
                let mut said = Said::json(status, &refusal(dialect, status));
                for (name, value) in headers {
                    said = said.header(name, value);
                }
                let heard = heard(dialect, said, Limits::default()).await;
                let error = error_of(&heard);
                assert_eq!(
                    (error.class, error.retry_after_ms),
                    (class, wait),
                    "{dialect:?}"
                );
            }
        }
        // Google's way is in the body, and compatible servers pass it on.
        let info =
            json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32s"}]);
        let said = Said::json(429, &json!({"error": {"code": 429, "details": info}}));
        let heard = heard(dialect, said, Limits::default()).await;
        assert_eq!(error_of(&heard).retry_after_ms, Some(32_000), "{dialect:?}");
    }
}

fn refusal(dialect: Dialect, status: u16) -> Value {
    match dialect {
        Dialect::Anthropic => json!({"type": "error", "error": {"message": "No."}}),
        Dialect::Gemini => json!({"error": {"code": status, "message": "No."}}),
        Dialect::Ollama => json!({"error": "No."}),
        Dialect::ChatCompletions | Dialect::Responses => json!({"error": {"message": "No."}}),
    }
}

// RUN-8, RUN-9
#[tokio::test]
async fn a_model_that_refused_answers_when_it_is_asked_again() {
    for dialect in Dialect::ALL {
        for (status, class) in [
            (529, ErrorClass::Overloaded),
            (409, ErrorClass::Overloaded),
            (401, ErrorClass::Auth),
            (403, ErrorClass::Permission),
        ] {
            let good = stream(dialect, Reply::text(TEXT).body_in(dialect));
            let bad = Said::json(status, &refusal(dialect, status));
            let turns = std::sync::Mutex::new(vec![good, bad]);
            let server = SmallServer::start(move |_| turns.lock().unwrap().pop().unwrap());
            let model = model(dialect, &server, Limits::default());
            let first = hear(&*model, question("Hi")).await;
            assert_eq!(error_of(&first).class, class, "{dialect:?}");
            let second = hear(&*model, question("Hi")).await;
            assert_eq!(text_of(&second, BlockKind::Text), TEXT, "{dialect:?}");
            let asked = server.asked();
            assert_eq!(asked.len(), 2);
            assert_eq!(asked[0].body, asked[1].body, "the same bytes");
        }
    }
}

// RUN-9
#[tokio::test]
async fn an_error_inside_of_a_good_answer_keeps_what_was_said() {
    for dialect in Dialect::ALL {
        let (event, class) = match dialect {
            Dialect::ChatCompletions => (
                json!({"error": {"code": 502, "message": "Odd."}, "choices": [{"delta": {}, "finish_reason": "error"}]}),
                ErrorClass::Overloaded,
            ),
            Dialect::Anthropic => (
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Odd."}}),
                ErrorClass::Overloaded,
            ),
            Dialect::Responses => (
                json!({"type": "error", "code": "rate_limit_exceeded", "message": "Odd."}),
                ErrorClass::RateLimit,
            ),
            Dialect::Ollama => (json!({"error": "Odd."}), ErrorClass::Overloaded),
            Dialect::Gemini => (
                json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "Odd."}}),
                ErrorClass::Overloaded,
            ),
        };
        let reply = Reply::text(TEXT).then_events([event.to_string().as_str()]);
        let body = reply.then_text("Never said.").body_in(dialect);
        let heard = heard(dialect, stream(dialect, body), Limits::default()).await;
        assert_eq!(text_of(&heard, BlockKind::Text), TEXT, "{dialect:?}");
        let error = error_of(&heard);
        assert_eq!(error.class, class, "{dialect:?}: {error}");
        assert!(error.message.contains("Odd."), "{error}");
    }
}

#[tokio::test]
async fn a_page_in_place_of_a_stream_is_said_to_be_none() {
    for dialect in Dialect::ALL {
        for said in [
            Said::stream("text/html; charset=utf-8", "<html>Sign in</html>"),
            Said::stream("application/json", "{\"welcome\":true}"),
        ] {
            let heard = heard(dialect, said, Limits::default()).await;
            assert_eq!(
                error_of(&heard).class,
                ErrorClass::InvalidRequest,
                "{dialect:?}"
            );
        }
        // A stream that is called something else is one all the same.
        let body = Reply::text(TEXT).body_in(dialect);
        for kind in ["text/plain", "application/octet-stream"] {
            let heard = heard(dialect, Said::stream(kind, &body), Limits::default()).await;
            assert_eq!(text_of(&heard, BlockKind::Text), TEXT, "{dialect:?} {kind}");
        }
    }
}
