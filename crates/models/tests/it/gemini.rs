//! Gemini's dialect over a real socket.

use std::sync::Arc;

use engine::{ModelEvent, RequestCall, RequestMessage, SystemClock};
use models::{Endpoint, Gemini, Limits, SecretString};
use protocol::{BlockKind, ErrorClass, Usage};
use serde_json::json;

use crate::small_server::{Asked, Said, SmallServer};
use crate::support::{Heard, KEY, error_of, hear, question, text_of};

const SSE: &str = "text/event-stream";
const SIGNED: &str = r#"{ "functionCall":{"name":"read_file","args":{ "path" : "a.txt","limit":1.0 }}, "thoughtSignature":"c2ln" }"#;
const SECOND: &str = r#"{"functionCall":{"id":"own","name":"read_file","args":{}}}"#;

fn calls_stream() -> String {
    let event = |parts: &str, rest: &str| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{parts}],\"role\":\"model\"}}{rest}}}]}}\r\n\r\n"
        )
    };
    [
        event(r#"{"text":"Let me see …","thought":true}"#, ""),
        event(r#"{"text":"I look. "}"#, ""),
        event(r#"{"text":"世界 😀"}"#, ""),
        event(&format!("{SIGNED},{SECOND}"), ""),
        event(r#"{"text":""}"#, r#","finishReason":"STOP""#),
        "data: {\"usageMetadata\":{\"promptTokenCount\":20,\"cachedContentTokenCount\":5,\"candidatesTokenCount\":7,\"thoughtsTokenCount\":3}}\r\n\r\n".to_owned(),
    ]
    .concat()
}

const TEXT: &str = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Both are there.\"}]},\"finishReason\":\"STOP\"}]}\n\n";

fn model(url: &str) -> Gemini {
    let endpoint = Endpoint {
        key: Some(SecretString::from(KEY)),
        ..Endpoint::new(format!("{url}/v1beta"), "gemini-3-flash")
    };
    Gemini::new(endpoint, Limits::default(), Arc::new(SystemClock)).unwrap()
}

async fn heard(said: Said) -> Heard {
    let server = SmallServer::start(move |_| said.clone());
    let heard = hear(&model(&server.url()), question("Hi")).await;
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
async fn a_conversation_with_tools_keeps_what_is_signed() {
    let script = |asked: &Asked| {
        let has_results = asked.json()["contents"].as_array().unwrap().len() > 1;
        let body = if has_results {
            TEXT.to_owned()
        } else {
            calls_stream()
        };
        Said::stream(SSE, &body).cut_into(11)
    };
    let server = SmallServer::start(script);
    let model = model(&server.url());
    let mut request = question("Look");
    let first = hear(&model, request.clone()).await;
    assert_eq!(text_of(&first, BlockKind::Reasoning), "Let me see …");
    assert_eq!(text_of(&first, BlockKind::Text), "I look. 世界 😀");
    let arguments = "{ \"path\" : \"a.txt\",\"limit\":1.0 }";
    assert_eq!(calls(&first), [("", arguments), ("own", "{}")]);
    let Some(Ok(ModelEvent::Finished { usage, native, .. })) = first.last() else {
        panic!("{first:?}");
    };
    let expected = Usage {
        input_tokens: Some(20),
        output_tokens: Some(10),
        cached_tokens: Some(5),
        cache_write_tokens: None,
        cost_microusd: None,
    };
    assert_eq!(*usage, expected);
    let called = |id: &str, arguments: &str| RequestCall {
        id: id.to_owned(),
        tool: "read_file".to_owned(),
        arguments: arguments.to_owned(),
    };
    let result = |id: &str, is_error| RequestMessage::Result {
        call_id: id.to_owned(),
        tool: "read_file".to_owned(),
        text: format!("result of {id}"),
        is_error,
    };
    Arc::make_mut(&mut request.messages).extend([
        RequestMessage::Agent {
            text: "I look. 世界 😀".to_owned(),
            calls: vec![called("made", arguments), called("own", "{}")],
            native: native.clone().map(Arc::new),
        },
        result("made", false),
        result("own", true),
    ]);
    let second = hear(&model, request).await;
    assert_eq!(text_of(&second, BlockKind::Text), "Both are there.");
    let asked = server.asked();
    for one in &asked {
        let path = "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse";
        assert_eq!((one.method.as_str(), one.path.as_str()), ("POST", path));
        assert_eq!(one.headers["x-goog-api-key"], KEY);
        assert_eq!(one.headers.get("authorization"), None);
    }
    let sent = String::from_utf8(asked[1].body.clone()).unwrap();
    assert!(
        sent.contains(&format!("{SIGNED},{SECOND}")),
        "byte for byte: {sent}"
    );
    assert!(
        !sent.contains("Let me see"),
        "an unsigned thought stays here"
    );
    let results = &asked[1].json()["contents"][2];
    let expected = json!({"role": "user", "parts": [
        {"functionResponse": {"name": "read_file", "response": {"output": "result of made"}}},
        {"functionResponse": {"id": "own", "name": "read_file", "response": {"error": "result of own"}}},
    ]});
    assert_eq!(results, &expected);
}

#[tokio::test]
async fn a_break_in_the_middle_is_never_a_whole_reply() {
    let body = calls_stream();
    let end = body.find("finishReason").unwrap();
    for bytes in (0..end).step_by(37) {
        let cut = Said::stream(SSE, &body).cut_off_after(bytes);
        for said in [
            cut,
            Said::stream(SSE, body.get(..bytes).unwrap_or_default()),
        ] {
            let heard = heard(said).await;
            assert_eq!(error_of(&heard).class, ErrorClass::Network, "after {bytes}");
            assert_eq!(calls(&heard), [], "after {bytes}");
        }
    }
    // After the reason only the usage is missing.
    let usage = body.find("data: {\"usageMetadata\"").unwrap();
    let heard = heard(Said::stream(SSE, &body).cut_off_after(usage)).await;
    assert!(matches!(
        heard.last(),
        Some(Ok(ModelEvent::Finished { .. }))
    ));
}

// RUN-8, RUN-9
#[tokio::test]
async fn errors_have_their_classes_wherever_they_come() {
    let bad_key = json!({"error": {"code": 400, "message": format!("{KEY} is not valid."), "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}});
    let quota = json!({"error": {"code": 429, "message": "Quota.", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32s"}]}});
    let blocked = "data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"}}\n\n";
    let safety = "data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n";
    let in_stream = format!(
        "{}data: {quota}\n\n",
        &calls_stream()[..300.min(calls_stream().find("\r\n\r\n").unwrap() + 4)]
    );
    for (said, class, wait) in [
        (Said::json(400, &bad_key), ErrorClass::Auth, None),
        (Said::json(429, &quota), ErrorClass::RateLimit, Some(32_000)),
        (
            Said::json(429, &quota).header("retry-after", "1"),
            ErrorClass::RateLimit,
            Some(1_000),
        ),
        (
            Said::json(429, &json!([quota])),
            ErrorClass::RateLimit,
            Some(32_000),
        ),
        (
            Said::stream(SSE, &in_stream),
            ErrorClass::RateLimit,
            Some(32_000),
        ),
        (Said::stream(SSE, blocked), ErrorClass::ContentRefused, None),
        (Said::stream(SSE, safety), ErrorClass::ContentRefused, None),
        (
            Said::stream("text/html", "<html>"),
            ErrorClass::InvalidRequest,
            None,
        ),
        // Without `alt=sse` a list would come.
        (
            Said::stream("application/json", "[{\"candidates\":[]}]"),
            ErrorClass::InvalidRequest,
            None,
        ),
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
