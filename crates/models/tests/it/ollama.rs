//! Ollama's dialect over a real socket.

use std::sync::Arc;
use std::time::Duration;

use engine::{ModelEvent, RequestCall, RequestMessage, SystemClock};
use models::{Endpoint, Limits, Ollama, SecretString};
use protocol::{BlockKind, Ending, ErrorClass, Usage};
use serde_json::json;

use crate::small_server::{Asked, Said, SmallServer};
use crate::support::{Heard, KEY, error_of, hear, question, text_of};

const NDJSON: &str = "application/x-ndjson";
const CALLS: &str = concat!(
    r#"{"model":"m","message":{"role":"assistant","content":"","thinking":"Let me see …"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"I look. 世界 😀"},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":{ "path" : "a.txt","limit":1.0 }}},{"id":"c2","function":{"name":"read_file","arguments":{}}}]},"done":false}"#,
    "\n",
    r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":9}"#,
    "\n",
);
const TEXT: &str = concat!(
    r#"{"message":{"content":"Both are there."}}"#,
    "\n",
    r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#,
);

fn model_with(url: &str, limits: Limits) -> Ollama {
    let endpoint = Endpoint {
        key: Some(SecretString::from(KEY)),
        context_tokens: Some(16_384),
        ..Endpoint::new(url, "qwen3:8b")
    };
    Ollama::new(endpoint, limits, Arc::new(SystemClock)).unwrap()
}

async fn heard(said: Said) -> Heard {
    let server = SmallServer::start(move |_| said.clone());
    let model = model_with(&server.url(), Limits::default());
    let heard = hear(&model, question("Hi")).await;
    assert_eq!(server.asked().len(), 1, "nothing is sent twice");
    heard
}

fn calls(heard: &Heard) -> Vec<(&str, &str)> {
    let calls = heard.iter().filter_map(|event| match event {
        Ok(ModelEvent::Call { id, arguments, .. }) => Some((id.as_str(), arguments.as_str())),
        _ => None,
    });
    calls.collect()
}

// RUN-20
#[tokio::test]
async fn a_conversation_with_tools() {
    let script = |asked: &Asked| {
        let has_results = asked.json()["messages"].as_array().unwrap().len() > 2;
        Said::stream(NDJSON, if has_results { TEXT } else { CALLS }).cut_into(7)
    };
    let server = SmallServer::start(script);
    let model = model_with(&server.url(), Limits::default());
    let mut request = question("Look");
    let first = hear(&model, request.clone()).await;
    assert_eq!(text_of(&first, BlockKind::Reasoning), "Let me see …");
    assert_eq!(text_of(&first, BlockKind::Text), "I look. 世界 😀");
    let arguments = "{ \"path\" : \"a.txt\",\"limit\":1.0 }";
    assert_eq!(calls(&first), [("", arguments), ("c2", "{}")]);
    let Some(Ok(ModelEvent::Finished {
        usage,
        ending,
        native,
    })) = first.last()
    else {
        panic!("{first:?}");
    };
    assert_eq!(*ending, Ending::Complete);
    let expected = Usage {
        input_tokens: Some(26),
        output_tokens: Some(9),
        ..Usage::default()
    };
    assert_eq!(*usage, expected);
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
    Arc::make_mut(&mut request.messages).extend([
        RequestMessage::Agent {
            text: "I look. 世界 😀".to_owned(),
            calls: vec![called("made", arguments), called("c2", "{}")],
            native: native.clone().map(Arc::new),
        },
        result("made"),
        result("c2"),
    ]);
    let second = hear(&model, request).await;
    assert_eq!(text_of(&second, BlockKind::Text), "Both are there.");
    let asked = server.asked();
    for one in &asked {
        assert_eq!(
            (one.method.as_str(), one.path.as_str()),
            ("POST", "/api/chat")
        );
        assert_eq!(one.headers["accept"], NDJSON);
        assert_eq!(one.headers["authorization"], format!("Bearer {KEY}"));
        assert_eq!(one.json()["options"], json!({"num_ctx": 16_384}));
        assert_eq!(one.json().get("keep_alive"), None);
    }
    let sent = String::from_utf8(asked[1].body.clone()).unwrap();
    assert!(sent.contains(arguments), "byte for byte: {sent}");
    let body = asked[1].json();
    assert_eq!(body["messages"][2]["thinking"], "Let me see …");
    assert_eq!(body["messages"][3]["content"], "result of made");
    assert_eq!(body["messages"][4]["tool_call_id"], "c2");
}

#[tokio::test]
async fn a_break_in_the_middle_is_never_a_whole_reply() {
    for bytes in (0..CALLS.len() - 1).step_by(17) {
        let heard = heard(Said::stream(NDJSON, CALLS).cut_off_after(bytes)).await;
        assert_eq!(error_of(&heard).class, ErrorClass::Network, "after {bytes}");
        assert_eq!(calls(&heard), [], "after {bytes}");
    }
    // The server closes as if all were well.
    let half = &CALLS[..CALLS.find("tool_calls").unwrap()];
    let whole_lines = &half[..=half.rfind('\n').unwrap()];
    for body in ["", half, whole_lines] {
        let heard = heard(Said::stream(NDJSON, body)).await;
        assert_eq!(error_of(&heard).class, ErrorClass::Network, "{body}");
    }
}

// RUN-8, RUN-9
#[tokio::test]
async fn errors_have_their_classes_wherever_they_come() {
    let line = format!("{{\"message\":{{\"content\":\"Hi\"}}}}\n{{\"error\":\"{KEY} stopped\"}}\n");
    let many = "x".repeat(2_000_000);
    for (said, class, wait) in [
        (Said::stream(NDJSON, &line), ErrorClass::Overloaded, None),
        (
            Said::json(404, &json!({"error": "model \"m\" not found"})),
            ErrorClass::InvalidRequest,
            None,
        ),
        (
            Said::json(503, &json!({"error": "busy"})).header("retry-after", "2"),
            ErrorClass::Overloaded,
            Some(2_000),
        ),
        (
            Said::json(401, &json!({"error": KEY})),
            ErrorClass::Auth,
            None,
        ),
        (
            Said::json(200, &json!({"error": "odd"})),
            ErrorClass::Internal,
            None,
        ),
        (
            Said::stream("text/html", "<html>"),
            ErrorClass::InvalidRequest,
            None,
        ),
        (
            Said::stream(NDJSON, "not JSON\n"),
            ErrorClass::Network,
            None,
        ),
        (Said::stream("text/plain", &many), ErrorClass::Network, None),
    ] {
        let heard = heard(said).await;
        let error = error_of(&heard);
        assert_eq!(
            (error.class, error.retry_after_ms),
            (class, wait),
            "{error}"
        );
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    }
}

// RUN-16
#[tokio::test]
async fn silence_and_size_have_their_limits() {
    let limits = Limits {
        silence: Duration::from_millis(300),
        event_bytes: 100_000,
        ..Limits::default()
    };
    let first = &CALLS[..=CALLS.find('\n').unwrap()];
    let endless = format!("{{\"x\":\"{}", "y".repeat(1_000_000));
    for (said, class) in [
        (
            Said::stream(NDJSON, first).then_silence(),
            ErrorClass::Timeout,
        ),
        (Said::stream(NDJSON, &endless), ErrorClass::Limit),
    ] {
        let server = SmallServer::start(move |_| said.clone());
        let heard = hear(&model_with(&server.url(), limits), question("Hi")).await;
        assert_eq!(error_of(&heard).class, class);
    }
}
