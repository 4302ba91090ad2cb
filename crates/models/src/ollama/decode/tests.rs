//! What the decoder makes of what servers send.

use serde_json::json;

use super::*;

type Decoded = Result<Vec<ModelEvent>, ModelError>;

const DONE: &str =
    r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#;

/// Everything that these lines say; an error ends it.
fn decode(lines: &[&str]) -> Decoded {
    let mut decoder = Decoder::new("m");
    let mut said = Vec::new();
    for line in lines {
        said.extend(decoder.push(line)?);
    }
    said.extend(decoder.finish()?);
    Ok(said)
}

fn message(message: &Value) -> String {
    json!({"model": "m", "created_at": "2026-11-16T10:00:00Z", "message": message, "done": false})
        .to_string()
}

fn done(reason: &str) -> String {
    json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason})
        .to_string()
}

/// Messages, then the end for this reason.
fn reply(messages: &[Value], reason: &str) -> Decoded {
    let lines: Vec<String> = messages.iter().map(message).chain([done(reason)]).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    decode(&lines)
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

fn calls_of(events: &[ModelEvent]) -> Vec<&ModelEvent> {
    let is_call = |event: &&ModelEvent| matches!(event, ModelEvent::Call { .. });
    events.iter().filter(is_call).collect()
}

fn class(decoded: Decoded) -> ErrorClass {
    decoded.expect_err("it is no good reply").class
}

#[test]
fn blocks_are_numbered_in_the_order_in_which_they_appear() {
    let events = reply(
        &[
            json!({"role": "assistant", "content": "", "thinking": "Hm"}),
            json!({"role": "assistant", "content": "", "thinking": "m."}),
            json!({"role": "assistant", "content": "One "}),
            json!({"role": "assistant", "content": "two"}),
            json!({"role": "assistant", "content": "", "tool_calls": [
                {"function": {"name": "f", "arguments": {}}},
                {"id": "call_b", "function": {"index": 1, "name": "g", "arguments": {"a": 1}}},
            ]}),
            json!({"role": "assistant", "content": "After"}),
        ],
        "stop",
    );
    let expected = vec![
        text(0, BlockKind::Reasoning, "Hm"),
        text(0, BlockKind::Reasoning, "m."),
        ModelEvent::BlockEnded,
        text(1, BlockKind::Text, "One "),
        text(1, BlockKind::Text, "two"),
        ModelEvent::BlockEnded,
        text(2, BlockKind::Arguments, "{}"),
        ModelEvent::BlockEnded,
        text(3, BlockKind::Arguments, "{\"a\":1}"),
        ModelEvent::BlockEnded,
        text(4, BlockKind::Text, "After"),
        ModelEvent::BlockEnded,
        call("", "f", "{}"),
        call("call_b", "g", "{\"a\":1}"),
        ModelEvent::Finished {
            usage: Usage::default(),
            ending: Ending::Complete,
            native: thought::kept("m", "Hmm."),
        },
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn a_thought_is_kept_for_the_results_of_calls_and_for_this_model_alone() {
    let thinking = json!({"content": "", "thinking": "Ü \"x\"\n"});
    let called =
        json!({"content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]});
    let native = |events: Decoded| match events.expect("good").pop() {
        Some(ModelEvent::Finished { native, .. }) => native,
        other => panic!("{other:?}"),
    };
    let kept = native(reply(&[thinking.clone(), called.clone()], "stop")).expect("kept");
    assert_eq!(
        thought::told("m", Some(&kept)).as_deref(),
        Some("Ü \"x\"\n")
    );
    assert_eq!(thought::told("other", Some(&kept)), None);
    let foreign = Native {
        dialect: "messages".to_owned(),
        ..kept.clone()
    };
    assert_eq!(thought::told("m", Some(&foreign)), None);
    for items in ["", "{}", "[]", "[1]", "[{}]"] {
        let broken = Native {
            items: items.to_owned(),
            ..kept.clone()
        };
        assert_eq!(thought::told("m", Some(&broken)), None, "{items}");
    }
    assert_eq!(native(reply(&[thinking], "stop")), None);
    assert_eq!(native(reply(&[called], "stop")), None);
}

#[test]
fn argument_bytes_are_kept_exactly() {
    let written = r#"{ "b": 1.0, "a" :	"\u00e9é\/", "b": 1e400 }"#;
    let line = format!(
        r#"{{"message":{{"content":"","tool_calls":[{{"function":{{"name":"f","arguments":{written}}}}}]}}}}"#
    );
    let events = decode(&[&line, DONE]).expect("good");
    assert_eq!(calls_of(&events), [&call("", "f", written)]);
    // From servers that send them as a string, and from those that send none.
    let odd = json!({"tool_calls": [
        {"function": {"name": "f", "arguments": written}},
        {"function": {"name": "f", "arguments": null}},
        {"function": {"name": "f"}},
    ]});
    let events = reply(&[odd], "stop").expect("good");
    let expected = [call("", "f", written), call("", "f", ""), call("", "f", "")];
    assert_eq!(calls_of(&events), expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_call_without_a_name_is_an_error() {
    for odd in [
        json!({}),
        json!({"function": null}),
        json!({"function": {"arguments": {}}}),
        json!({"function": {"name": "", "arguments": {}}}),
    ] {
        let decoded = reply(&[json!({"tool_calls": [odd]})], "stop");
        assert_eq!(class(decoded), ErrorClass::Network);
    }
}

#[test]
fn a_stream_without_its_last_line_was_cut_off() {
    let open = message(&json!({"content": "Hi"}));
    let called = message(&json!({"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}));
    let not_done = r#"{"done":false,"done_reason":"stop"}"#;
    let (open, called) = (open.as_str(), called.as_str());
    for lines in [&[][..], &[open], &[called], &[open, not_done], &["{}"]] {
        let mut decoder = Decoder::new("m");
        for line in lines {
            let events = decoder.push(line).expect("good so far");
            assert_eq!(calls_of(&events), Vec::<&ModelEvent>::new());
        }
        assert!(!decoder.is_whole());
        assert_eq!(class(decoder.finish()), ErrorClass::Network, "{lines:?}");
    }
}

#[test]
fn the_end_is_said_once() {
    let mut decoder = Decoder::new("m");
    assert_eq!(decoder.push(DONE).expect("good").len(), 1);
    assert!(decoder.is_whole());
    assert_eq!(decoder.push(DONE), Ok(Vec::new()));
    assert_eq!(decoder.push("nonsense"), Ok(Vec::new()));
    assert_eq!(decoder.finish(), Ok(Vec::new()));
}

// RUN-21
#[test]
fn usage_is_what_was_said_and_nothing_else() {
    let usage = |input_tokens, output_tokens| Usage {
        input_tokens,
        output_tokens,
        cached_tokens: None,
        cache_write_tokens: None,
        cost_microusd: None,
    };
    for (counts, expected) in [
        (json!({}), usage(None, None)),
        (
            json!({"prompt_eval_count": 26, "eval_count": 0, "total_duration": 5_191_566_416_u64}),
            usage(Some(26), Some(0)),
        ),
        (json!({"eval_count": 9}), usage(None, Some(9))),
        (
            json!({"prompt_eval_count": -1, "eval_count": "9"}),
            usage(None, None),
        ),
    ] {
        let mut line: Value = serde_json::from_str(DONE).expect("JSON");
        for (name, value) in counts.as_object().expect("an object") {
            line[name] = value.clone();
        }
        let events = decode(&[&line.to_string()]).expect("good");
        assert_eq!(events, [ModelEvent::finished(expected)], "{counts}");
    }
}

// RUN-5: a call that may not be what the model wanted is never handed on.
#[test]
fn a_call_of_a_reply_that_reached_its_limit_never_comes() {
    let said = json!({"content": "A long"});
    let called =
        json!({"tool_calls": [{"function": {"name": "f", "arguments": {"path": "/etc"}}}]});
    for messages in [vec![called.clone()], vec![said.clone(), called]] {
        let error = reply(&messages, "length").expect_err("cut off");
        assert_eq!(error.class, ErrorClass::Limit);
    }
    let events = reply(&[said], "length").expect("text");
    let ending = match events.last() {
        Some(ModelEvent::Finished { ending, .. }) => *ending,
        other => panic!("{other:?}"),
    };
    assert_eq!(ending, Ending::Length);
}

#[test]
fn other_ends() {
    let said = json!({"content": "I"});
    for reason in ["load", "unload"] {
        let decoded = reply(std::slice::from_ref(&said), reason);
        assert_eq!(class(decoded), ErrorClass::Overloaded, "{reason}");
    }
    for reason in ["stop", "", "brand_new"] {
        assert!(reply(std::slice::from_ref(&said), reason).is_ok());
    }
    let old = r#"{"message":{"content":"I"},"done":true}"#;
    assert_eq!(decode(&[old]).expect("good").len(), 3);
}

// RUN-9
#[test]
fn an_error_line_ends_the_reply() {
    let open = message(&json!({"content": "Hi"}));
    for (line, expected) in [
        (
            r#"{"error":"the model runner stopped"}"#,
            ErrorClass::Overloaded,
        ),
        (
            r#"{"error":"unauthorized: rate limit"}"#,
            ErrorClass::Overloaded,
        ),
        (r#"{"error":"sign in","status":401}"#, ErrorClass::Auth),
        (r#"{"error":"slow","status":429}"#, ErrorClass::RateLimit),
        (r#"{"error":{"code":"invalid_api_key"}}"#, ErrorClass::Auth),
        (r#"{"error":"x","status":"odd"}"#, ErrorClass::Overloaded),
        (r#"{"error":"x","done":true}"#, ErrorClass::Overloaded),
    ] {
        let mut decoder = Decoder::new("m");
        decoder.push(&open).expect("good so far");
        let error = decoder.push(line).expect_err("an error");
        assert_eq!(error.class, expected, "{line}");
        assert_eq!(decoder.push(DONE), Ok(Vec::new()), "nothing comes after it");
    }
    assert!(decode(&[r#"{"error":null,"message":{"content":"Hi"},"done":true}"#]).is_ok());
}

#[test]
fn what_cannot_be_read_ends_the_reply() {
    for line in [
        "{",
        "nonsense",
        "[1]",
        "7",
        r#"{"message":{"content":7}}"#,
        r#"{"message":"x"}"#,
        r#"{"done":"yes"}"#,
        r#"{"message":{"tool_calls":{}}}"#,
    ] {
        assert_eq!(class(decode(&[line, DONE])), ErrorClass::Network, "{line}");
    }
}

#[test]
fn what_is_not_known_is_skipped() {
    let odd = r#"{"x":[1],"remote_host":"h","message":{"role":"tool","content":"Hi","images":null,"tool_name":"f","extra":{}},"logprobs":[]}"#;
    let empty = r#"{"message":{"content":null,"thinking":null,"tool_calls":null}}"#;
    let events = decode(&["", " ", "{}", r#"{"message":null}"#, empty, odd, DONE]);
    assert_eq!(
        events,
        Ok(vec![
            text(0, BlockKind::Text, "Hi"),
            ModelEvent::BlockEnded,
            ModelEvent::finished(Usage::default()),
        ])
    );
}

#[test]
fn many_calls_are_as_many_calls_even_with_one_id() {
    let calls: Vec<Value> = (0..200)
        .map(|_| json!({"id": "same", "function": {"name": "f", "arguments": {}}}))
        .collect();
    let events = reply(&[json!({ "tool_calls": calls })], "stop").expect("good");
    assert_eq!(calls_of(&events).len(), 200);
}
