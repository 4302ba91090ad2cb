//! What the decoder makes of what the provider sends.

use protocol::{Ending, ErrorClass};
use serde_json::json;

use super::*;

type Decoded = Result<Vec<ModelEvent>, ModelError>;

/// Everything that these events say; an error ends it.
fn decode(events: &[&str]) -> Decoded {
    let mut decoder = Decoder::new("m");
    let mut said = Vec::new();
    for event in events {
        said.extend(decoder.push(event)?);
    }
    said.extend(decoder.finish()?);
    Ok(said)
}

/// Parts, one an event, then the end for this reason.
fn reply(parts: &[Value], reason: &str) -> Decoded {
    let parts = parts
        .iter()
        .map(|part| json!({"candidates": [{"content": {"parts": [part], "role": "model"}}]}));
    let end = json!({"candidates": [{"finishReason": reason, "index": 0}]});
    let events: Vec<String> = parts.chain([end]).map(|event| event.to_string()).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    decode(&events)
}

fn text(block: u32, kind: BlockKind, text: &str) -> ModelEvent {
    ModelEvent::Text {
        block,
        kind,
        text: text.to_owned(),
    }
}

fn call(id: &str, tool: &str, arguments: &str) -> ModelEvent {
    ModelEvent::Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn called(name: &str) -> Value {
    json!({"functionCall": {"name": name, "args": {}}})
}

fn calls_of(events: &[ModelEvent]) -> Vec<ModelEvent> {
    let is_call = |event: &&ModelEvent| matches!(event, ModelEvent::Call { .. });
    events.iter().filter(is_call).cloned().collect()
}

fn end_of(events: &[ModelEvent]) -> (Usage, Ending, Option<String>) {
    match events.last() {
        Some(ModelEvent::Finished {
            usage,
            ending,
            native,
        }) => (*usage, *ending, native.clone().map(|native| native.items)),
        other => panic!("{other:?}"),
    }
}

fn class(decoded: Decoded) -> ErrorClass {
    decoded.expect_err("it is no good reply").class
}

#[test]
fn blocks_are_numbered_in_the_order_in_which_they_appear() {
    let events = reply(
        &[
            json!({"text": "Hm", "thought": true}),
            json!({"text": "m.", "thought": true}),
            json!({"text": "One "}),
            json!({"text": ""}),
            json!({"text": "two", "thought": false}),
            json!({"functionCall": {"name": "f", "args": {"a": 1}}}),
            json!({"functionCall": {"id": "x", "name": "g"}}),
            json!({"text": "After"}),
        ],
        "STOP",
    );
    let expected = vec![
        text(0, BlockKind::Reasoning, "Hm"),
        text(0, BlockKind::Reasoning, "m."),
        ModelEvent::BlockEnded,
        text(1, BlockKind::Text, "One "),
        text(1, BlockKind::Text, "two"),
        ModelEvent::BlockEnded,
        text(2, BlockKind::Arguments, "{\"a\":1}"),
        ModelEvent::BlockEnded,
        text(3, BlockKind::Arguments, "{}"),
        ModelEvent::BlockEnded,
        text(4, BlockKind::Text, "After"),
        ModelEvent::BlockEnded,
        call("", "f", "{\"a\":1}"),
        call("x", "g", "{}"),
        ModelEvent::finished(Usage::default()),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn argument_bytes_are_kept_exactly() {
    let written = r#"{ "b": 1.0, "a" :	"\u00e9é\/", "b": 1e400 }"#;
    let event = format!(
        r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"f","args":{written}}}}}]}},"finishReason":"STOP"}}]}}"#
    );
    let events = decode(&[&event]).expect("good");
    assert_eq!(calls_of(&events), [call("", "f", written)]);
}

#[test]
fn signed_parts_are_kept_as_they_came_and_in_their_place() {
    let signed_call = r#"{ "thoughtSignature":"QQ==", "functionCall":{"name":"f","args":{ "a":1.0 }}, "later": [1] }"#;
    let parts = [
        r#"{"text":"secret","thought":true}"#,
        r#"{"text":"On"}"#,
        r#"{"text":"e"}"#,
        signed_call,
        r#"{"functionCall":{"name":"g","args":{}}}"#,
        r#"{"text":"signed","thought":true,"thoughtSignature":"Qg=="}"#,
        r#"{"text":"","thoughtSignature":"Qw=="}"#,
    ];
    let events: Vec<String> = parts
        .iter()
        .map(|part| format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#))
        .chain([r#"{"candidates":[{"finishReason":"STOP"}]}"#.to_owned()])
        .collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let (_, _, native) = end_of(&decode(&events).expect("good"));
    let expected = format!(
        "[{},{signed_call},{},{},{}]",
        r#"{"text":"One"}"#, parts[4], parts[5], parts[6]
    );
    assert_eq!(native, Some(expected));
    // Our own words lose nothing of what is not signed.
    let (_, _, native) =
        end_of(&reply(&[json!({"text": "a"}), called("f")], "STOP").expect("good"));
    assert_eq!(native, None);
}

#[test]
fn a_call_that_is_not_whole_is_an_error() {
    for odd in [
        json!({"functionCall": {}}),
        json!({"functionCall": {"name": ""}}),
        json!({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a"}], "willContinue": true}}),
    ] {
        assert_eq!(class(reply(&[odd], "STOP")), ErrorClass::Network);
    }
}

#[test]
fn a_stream_without_its_finish_reason_was_cut_off() {
    let open = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#;
    let called = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]}}]}"#;
    let usage = r#"{"usageMetadata":{"promptTokenCount":1}}"#;
    let other = r#"{"candidates":[{"index":1,"finishReason":"STOP"}]}"#;
    let goes_on = r#"{"candidates":[{"finishReason":"FINISH_REASON_UNSPECIFIED"}]}"#;
    for events in [
        &[][..],
        &[open],
        &[called],
        &[open, usage],
        &[open, other],
        &[open, goes_on],
    ] {
        assert_eq!(class(decode(events)), ErrorClass::Network, "{events:?}");
    }
}

#[test]
fn the_end_is_said_once_and_usage_may_come_after_the_reason() {
    let mut decoder = Decoder::new("m");
    assert!(!decoder.is_whole());
    let end = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}"#;
    decoder.push(end).expect("good");
    assert!(decoder.is_whole());
    let usage = r#"{"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}"#;
    decoder.push(usage).expect("good");
    let events = decoder.finish().expect("whole");
    assert_eq!(end_of(&events).0.output_tokens, Some(2));
    assert_eq!(decoder.finish(), Ok(Vec::new()));
    assert_eq!(decoder.push(end), Ok(Vec::new()));
}

// RUN-21
#[test]
fn usage_is_what_was_said_and_nothing_else() {
    let usage = |input_tokens, output_tokens, cached_tokens| Usage {
        input_tokens,
        output_tokens,
        cached_tokens,
        cache_write_tokens: None,
        cost_microusd: None,
    };
    for (said, expected) in [
        (json!({}), Usage::default()),
        (json!("odd"), Usage::default()),
        (
            json!({"promptTokenCount": 5}),
            usage(Some(5), None, Some(0)),
        ),
        (
            json!({"promptTokenCount": 5, "toolUsePromptTokenCount": 2, "cachedContentTokenCount": 4,
                "candidatesTokenCount": 7, "thoughtsTokenCount": 11, "totalTokenCount": 25}),
            usage(Some(7), Some(18), Some(4)),
        ),
        (json!({"thoughtsTokenCount": 3}), usage(None, Some(3), None)),
        (json!({"promptTokenCount": -1}), Usage::default()),
    ] {
        let event = json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": said});
        let events = decode(&[&event.to_string()]).expect("good");
        assert_eq!(end_of(&events).0, expected, "{said}");
    }
}

// RUN-5, RUN-9
#[test]
fn every_reason_has_its_end() {
    let said = [json!({"text": "I"})];
    let asked = [json!({"text": "I"}), called("f")];
    for (reason, of_text, of_calls) in [
        ("STOP", Ok(Ending::Complete), Ok(Ending::Complete)),
        ("MAX_TOKENS", Ok(Ending::Length), Err(ErrorClass::Limit)),
        ("FUNCTION_CALL", Ok(Ending::Complete), Ok(Ending::Complete)),
        ("CONTINUATION", Ok(Ending::Length), Err(ErrorClass::Limit)),
        ("BRAND_NEW", Ok(Ending::Complete), Err(ErrorClass::Internal)),
    ] {
        let end = |decoded: Decoded| match decoded {
            Ok(events) => Ok(end_of(&events).1),
            Err(error) => Err(error.class),
        };
        assert_eq!(end(reply(&said, reason)), of_text, "{reason}");
        assert_eq!(end(reply(&asked, reason)), of_calls, "{reason}");
    }
    for (reason, expected) in [
        ("SAFETY", ErrorClass::ContentRefused),
        ("RECITATION", ErrorClass::ContentRefused),
        ("LANGUAGE", ErrorClass::ContentRefused),
        ("BLOCKLIST", ErrorClass::ContentRefused),
        ("PROHIBITED_CONTENT", ErrorClass::ContentRefused),
        ("SPII", ErrorClass::ContentRefused),
        ("IMAGE_SAFETY", ErrorClass::ContentRefused),
        ("MALFORMED_FUNCTION_CALL", ErrorClass::Network),
        ("UNEXPECTED_TOOL_CALL", ErrorClass::Internal),
        ("TOO_MANY_TOOL_CALLS", ErrorClass::Limit),
        ("MISSING_THOUGHT_SIGNATURE", ErrorClass::InvalidRequest),
        ("OTHER", ErrorClass::Internal),
    ] {
        assert_eq!(class(reply(&said, reason)), expected, "{reason}");
        assert_eq!(class(reply(&asked, reason)), expected, "{reason}");
    }
}

#[test]
fn a_question_that_is_blocked_is_refused() {
    for reason in ["SAFETY", "OTHER", "PROHIBITED_CONTENT", "BRAND_NEW"] {
        let event = json!({"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 1}});
        let error = decode(&[&event.to_string()]).expect_err("blocked");
        assert_eq!(error.class, ErrorClass::ContentRefused);
        assert!(error.message.contains(reason), "{error}");
    }
    let odd = json!({"promptFeedback": {"blockReason": "<b>\n".repeat(1_000)}});
    let error = decode(&[&odd.to_string()]).expect_err("blocked");
    assert!(error.message.len() < 120, "{error}");
    let none = r#"{"promptFeedback":{"safetyRatings":[]},"candidates":[{"finishReason":"STOP"}]}"#;
    assert!(decode(&[none]).is_ok());
}

// RUN-8, RUN-9
#[test]
fn an_error_in_the_middle_ends_the_reply() {
    let open = r#"{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}"#;
    let error = json!({"error": {"code": 429, "message": "Slow.", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32.5s"}]}});
    let error = decode(&[open, &error.to_string()]).expect_err("an error");
    assert_eq!(error.class, ErrorClass::RateLimit);
    assert_eq!(error.retry_after_ms, Some(32_500));
}

#[test]
fn what_cannot_be_read_ends_the_reply() {
    let end = r#"{"candidates":[{"finishReason":"STOP"}]}"#;
    for event in [
        "{",
        "nonsense",
        "[DONE]",
        "7",
        r#"{"candidates":{}}"#,
        r#"{"candidates":[{"content":{"parts":[7]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":7}]}}]}"#,
    ] {
        assert_eq!(class(decode(&[event, end])), ErrorClass::Network, "{event}");
    }
}

#[test]
fn what_is_not_known_is_skipped() {
    let odd = r#"{"x":1,"candidates":[{"index":0,"avgLogprobs":-1,"groundingMetadata":{},"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"brandNew":{}},{},{"text":"Hi","videoMetadata":{}}]},"finishReason":"STOP"},{"index":1,"content":{"parts":[{"text":"other"}]},"finishReason":"SAFETY"}]}"#;
    let events = decode(&[
        "",
        "{}",
        r#"{"candidates":null}"#,
        r#"{"candidates":[]}"#,
        r#"{"candidates":[{}]}"#,
        r#"{"candidates":[{"content":{}}]}"#,
        r#"{"candidates":[{"content":{"parts":null},"finishReason":""}]}"#,
        odd,
    ]);
    assert_eq!(
        events,
        Ok(vec![
            text(0, BlockKind::Text, "Hi"),
            ModelEvent::BlockEnded,
            ModelEvent::finished(Usage::default()),
        ])
    );
}
