//! How streams end, and what comes between.

use super::*;

const WHOLE: &str = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
const CUT_CALL: &str = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\": \"/etc"}}]}"#;

fn finished(events: &[ModelEvent]) -> Usage {
    match events.last() {
        Some(ModelEvent::Finished { usage, .. }) => *usage,
        other => panic!("{other:?}"),
    }
}

fn class(decoded: Decoded) -> ErrorClass {
    decoded.expect_err("it is no good reply").class
}

#[test]
fn a_stream_without_its_finish_reason_was_cut_off() {
    let open = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}"#;
    let empty_reason = r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":""}]}"#;
    for events in [
        &[][..],
        &[open],
        &[open, "[DONE]"],
        &["[DONE]"],
        &[empty_reason, "[DONE]"],
    ] {
        assert_eq!(class(decode(events)), ErrorClass::Network, "{events:?}");
    }
}

#[test]
fn after_the_finish_reason_the_reply_is_whole_even_if_nothing_else_comes() {
    assert_eq!(
        finished(&decode(&[WHOLE]).expect("whole")),
        Usage::default()
    );
    let mut decoder = Decoder::default();
    assert!(!decoder.is_whole());
    decoder.push(WHOLE).expect("good");
    assert!(decoder.is_whole());
}

#[test]
fn the_end_is_said_once() {
    let mut decoder = Decoder::default();
    decoder.push(WHOLE).expect("good");
    assert_eq!(decoder.push("[DONE]").expect("good").len(), 2);
    assert_eq!(decoder.push("[DONE]"), Ok(Vec::new()));
    assert_eq!(decoder.push(WHOLE), Ok(Vec::new()));
    assert_eq!(decoder.finish(), Ok(Vec::new()));
}

// RUN-21
#[test]
fn usage_is_what_was_said_and_nothing_else() {
    for (usage, expected) in [
        (json!(null), Usage::default()),
        (json!({}), Usage::default()),
        (json!("odd"), Usage::default()),
        (
            json!({"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 4}}),
            Usage {
                input_tokens: Some(10),
                output_tokens: Some(0),
                cached_tokens: Some(4),
                cache_write_tokens: None,
                cost_microusd: None,
            },
        ),
        (
            json!({"prompt_tokens": 1, "prompt_cache_hit_tokens": 1, "cost": 0.0123}),
            Usage {
                input_tokens: Some(1),
                output_tokens: None,
                cached_tokens: Some(1),
                cache_write_tokens: None,
                cost_microusd: Some(12_300),
            },
        ),
        (json!({"prompt_tokens": -1, "cost": -1.0}), Usage::default()),
    ] {
        let event = json!({"choices": [], "usage": usage}).to_string();
        let events = decode(&[WHOLE, &event, "[DONE]"]).expect("good");
        assert_eq!(finished(&events), expected, "{usage}");
        assert_eq!(events.len(), 3, "{events:?}");
    }
    // With every event, counting up: the last one counts.
    let some = r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let more = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;
    let null = r#"{"choices":[],"usage":null}"#;
    let usage = finished(&decode(&[some, more, null, "[DONE]"]).expect("good"));
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(1), Some(2))
    );
}

// RUN-5: a call that may not be what the model wanted is never handed on.
#[test]
fn a_call_that_the_length_limit_cut_off_never_comes() {
    let cut: Value = serde_json::from_str(CUT_CALL).expect("JSON");
    let empty = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]});
    let whole = json!({"tool_calls": [{"index": 5, "id": "b", "function": {"name": "g", "arguments": "{}"}}]});
    for deltas in [
        vec![cut.clone()],
        vec![empty],
        vec![whole.clone(), cut.clone()],
        vec![cut, whole.clone()],
    ] {
        let error = reply(&deltas, "length").expect_err("cut off");
        assert_eq!(error.class, ErrorClass::Limit);
        assert!(error.message.contains("length limit"), "{error}");
    }
    let events = reply(&[whole], "length").expect("it is whole");
    assert_eq!(calls_of(&events), [("b", "g", "{}")]);
    let events = reply(&[json!({"content": "A long"})], "length").expect("text");
    assert_eq!(finished(&events), Usage::default());
}

#[test]
fn a_call_that_the_connection_cut_off_never_comes() {
    let event = format!(r#"{{"choices":[{{"delta":{CUT_CALL}}}]}}"#);
    let mut decoder = Decoder::default();
    let events = decoder.push(&event).expect("good so far");
    assert_eq!(calls_of(&events), []);
    assert_eq!(class(decoder.finish()), ErrorClass::Network);
}

#[test]
fn malformed_arguments_of_a_reply_that_is_whole_come_as_they_are() {
    let cut: Value = serde_json::from_str(CUT_CALL).expect("JSON");
    let events = reply(&[cut], "stop").expect("whole");
    assert_eq!(calls_of(&events), [("a", "f", r#"{"path": "/etc"#)]);
}

#[test]
fn other_ends_have_their_classes() {
    let said = json!({"content": "I"});
    for (reason, expected) in [
        ("content_filter", ErrorClass::ContentRefused),
        ("insufficient_system_resource", ErrorClass::Overloaded),
        ("error", ErrorClass::Internal),
    ] {
        assert_eq!(
            class(reply(std::slice::from_ref(&said), reason)),
            expected,
            "{reason}"
        );
    }
    for reason in ["stop", "tool_calls", "function_call", "eos", "STOP"] {
        assert!(
            reply(std::slice::from_ref(&said), reason).is_ok(),
            "{reason}"
        );
    }
}

#[test]
fn a_refusal_is_shown_and_ends_as_one() {
    let mut decoder = Decoder::default();
    let refusal = r#"{"choices":[{"delta":{"refusal":"I will not."},"finish_reason":"stop"}]}"#;
    assert_eq!(
        decoder.push(refusal),
        Ok(vec![text(0, BlockKind::Text, "I will not.")])
    );
    assert_eq!(class(decoder.push("[DONE]")), ErrorClass::ContentRefused);
}

// RUN-9
#[test]
fn an_error_in_the_middle_ends_the_reply() {
    let open = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
    let error = r#"{"id":"x","error":{"code":502,"message":"upstream"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#;
    assert_eq!(class(decode(&[open, error])), ErrorClass::Overloaded);
    assert_eq!(
        class(decode(&[r#"{"error":"out of memory"}"#])),
        ErrorClass::Internal
    );
    let no_error =
        r#"{"error":null,"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    assert!(decode(&[no_error, "[DONE]"]).is_ok());
}

#[test]
fn what_cannot_be_read_ends_the_reply() {
    for event in [
        "{",
        "nonsense",
        "[1]",
        "7",
        r#"{"choices":[{"delta":{"content":7}}]}"#,
        r#"{"choices":{}}"#,
    ] {
        assert_eq!(
            class(decode(&[event, WHOLE, "[DONE]"])),
            ErrorClass::Network,
            "{event}"
        );
    }
}

#[test]
fn what_is_not_known_is_skipped() {
    let padded = r#"{"obfuscation":"xyz","x":{"y":[1]},"choices":[{"index":0,"logprobs":null,"delta":{"content":"Hi","audio":{"id":1},"reasoning_details":[{"text":"t"}]},"finish_reason":"stop"},{"index":1,"delta":{"content":"other"},"finish_reason":"length"}]}"#;
    let events = decode(&[
        "",
        "{}",
        r#"{"choices":null}"#,
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        padded,
        "[DONE]",
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
