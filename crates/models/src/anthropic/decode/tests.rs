//! What the decoder makes of what servers send.

use protocol::{BlockKind, ErrorClass, Native, Usage};
use serde_json::{Value, json};

use super::*;

type Decoded = Result<Vec<ModelEvent>, ModelError>;

fn decode(events: &[Value]) -> Decoded {
    let mut decoder = Decoder::new("m");
    let mut said = Vec::new();
    for event in events {
        said.extend(decoder.push(&event.to_string())?);
    }
    said.extend(decoder.finish()?);
    Ok(said)
}

fn start(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn text_delta(index: u64, text: &str) -> Value {
    delta(index, &json!({"type": "text_delta", "text": text}))
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn text_block(index: u64, text: &str) -> Vec<Value> {
    let block = json!({"type": "text", "text": ""});
    vec![start(index, &block), text_delta(index, text), stop(index)]
}

fn tool_start(index: u64, id: &str) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    start(index, &block)
}

fn json_delta(index: u64, piece: &str) -> Value {
    delta(
        index,
        &json!({"type": "input_json_delta", "partial_json": piece}),
    )
}

fn thought(index: u64) -> Vec<Value> {
    vec![
        start(
            index,
            &json!({"type": "thinking", "thinking": "", "signature": ""}),
        ),
        delta(index, &json!({"type": "thinking_delta", "thinking": "Hm."})),
        delta(
            index,
            &json!({"type": "signature_delta", "signature": "c2ln"}),
        ),
        stop(index),
    ]
}

fn end(reason: &str) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ]
}

fn reply(blocks: &[Vec<Value>], reason: &str) -> Decoded {
    let mut events = vec![json!({"type": "message_start", "message": {}})];
    events.extend(blocks.concat());
    events.extend(end(reason));
    decode(&events)
}

fn said(block: u32, kind: BlockKind, text: &str) -> ModelEvent {
    ModelEvent::Text {
        block,
        kind,
        text: text.to_owned(),
    }
}

fn calls_of(events: &[ModelEvent]) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    for event in events {
        if let ModelEvent::Call { id, arguments, .. } = event {
            calls.push((id.as_str(), arguments.as_str()));
        }
    }
    calls
}

fn finished(events: &[ModelEvent]) -> (Usage, Ending, Option<&Native>) {
    match events.last() {
        Some(ModelEvent::Finished {
            usage,
            ending,
            native,
        }) => (*usage, *ending, native.as_ref()),
        other => panic!("{other:?}"),
    }
}

fn class(decoded: Decoded) -> ErrorClass {
    decoded.expect_err("it is no good reply").class
}

#[test]
fn blocks_are_numbered_in_the_order_in_which_they_have_text() {
    let blocks = [
        vec![start(0, &json!({"type": "text", "text": ""})), stop(0)],
        thought(1),
        text_block(2, "One."),
        vec![tool_start(3, "a"), json_delta(3, "{}"), stop(3)],
    ];
    let events = reply(&blocks, "tool_use").expect("good");
    assert_eq!(
        events[..7],
        [
            said(0, BlockKind::Reasoning, "Hm."),
            ModelEvent::BlockEnded,
            said(1, BlockKind::Text, "One."),
            ModelEvent::BlockEnded,
            said(2, BlockKind::Arguments, "{}"),
            ModelEvent::BlockEnded,
            ModelEvent::Call {
                id: "a".to_owned(),
                tool: "f".to_owned(),
                arguments: "{}".to_owned(),
            },
        ]
    );
    assert_eq!(events.len(), 8);
}

#[test]
fn blocks_that_are_written_side_by_side_stay_apart() {
    let blocks = [vec![
        start(0, &json!({"type": "text", "text": "A"})),
        tool_start(1, "a"),
        json_delta(1, "{\"x\""),
        text_delta(0, "B"),
        json_delta(1, ": 1}"),
        stop(0),
        stop(1),
    ]];
    let events = reply(&blocks, "tool_use").expect("good");
    assert_eq!(events[0], said(0, BlockKind::Text, "A"));
    assert_eq!(events[2], said(0, BlockKind::Text, "B"));
    assert_eq!(calls_of(&events), [("a", "{\"x\": 1}")]);
}

#[test]
fn argument_bytes_are_kept_exactly() {
    let written = "{ \"b\": 1.0, \"a\" :\t\"\\u00e9é\\/\", \"b\": 1e400 }\n";
    let characters: Vec<char> = written.chars().collect();
    for size in [1, 3, 7, 100] {
        let pieces = characters
            .chunks(size)
            .map(|piece| piece.iter().collect::<String>());
        let mut block = vec![tool_start(0, "a")];
        block.extend(pieces.map(|piece| json_delta(0, &piece)));
        block.push(stop(0));
        let events = reply(&[thought(1), block], "tool_use").expect("good");
        assert_eq!(calls_of(&events), [("a", written)]);
        let native = finished(&events).2.expect("there was a thought");
        assert!(native.items.contains(written.trim()), "{}", native.items);
    }
}

#[test]
fn arguments_may_come_with_the_beginning_or_not_at_all() {
    let whole = json!({"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}});
    let none = json!({"type": "tool_use", "id": "b", "name": "f"});
    let null = json!({"type": "tool_use", "id": "c", "name": "f", "input": null});
    let blocks = [&whole, &none, &null].map(|block| vec![start(0, block), stop(0)]);
    let events = reply(&blocks, "tool_use").expect("good");
    assert_eq!(
        calls_of(&events),
        [("a", "{\"x\":1}"), ("b", ""), ("c", "")]
    );
}

// RUN-20: telling two calls with one id apart is left to whoever stores them.
#[test]
fn repeated_ids_and_numbers_stay_two_calls() {
    let call = || vec![tool_start(0, "a"), json_delta(0, "{}"), stop(0)];
    let events = reply(&[call(), call()], "tool_use").expect("good");
    assert_eq!(calls_of(&events), [("a", "{}"), ("a", "{}")]);
}

// RUN-5: a call that may not be what the model wanted is never handed on.
#[test]
fn a_call_that_is_cut_off_never_comes() {
    let whole = vec![tool_start(0, "a"), json_delta(0, "{}"), stop(0)];
    let open = vec![tool_start(1, "b"), json_delta(1, "{\"path\": \"/etc")];
    let stopped = vec![
        tool_start(1, "b"),
        json_delta(1, "{\"path\": \"/etc"),
        stop(1),
    ];
    let looks_whole = vec![tool_start(1, "b"), json_delta(1, "{}")];
    let bare = vec![tool_start(1, "b"), json_delta(1, ""), stop(1)];
    for (cut, reason, expected) in [
        (&open, "max_tokens", ErrorClass::Limit),
        (&stopped, "max_tokens", ErrorClass::Limit),
        (&looks_whole, "max_tokens", ErrorClass::Limit),
        (&bare, "max_tokens", ErrorClass::Limit),
        (&open, "model_context_window_exceeded", ErrorClass::Limit),
        (&open, "tool_use", ErrorClass::Network),
        (&looks_whole, "end_turn", ErrorClass::Network),
    ] {
        let decoded = reply(&[whole.clone(), cut.clone()], reason);
        assert_eq!(class(decoded), expected, "{cut:?} {reason}");
    }
    let events = reply(&[whole], "max_tokens").expect("it is whole");
    assert_eq!(calls_of(&events), [("a", "{}")]);
    assert_eq!(finished(&events).1, Ending::Length);
    let events = reply(&[bare], "tool_use").expect("it is whole");
    assert_eq!(calls_of(&events), [("b", "{}")]);
}

#[test]
fn malformed_arguments_of_a_whole_reply_come_as_they_are_and_go_back_as_an_object() {
    let call = vec![tool_start(1, "a"), json_delta(1, "{\"path\": "), stop(1)];
    let events = reply(&[thought(0), call], "tool_use").expect("whole");
    assert_eq!(calls_of(&events), [("a", "{\"path\": ")]);
    let native = finished(&events).2.expect("there was a thought");
    assert!(
        native
            .items
            .ends_with(r#"{"id":"a","input":{},"name":"f","type":"tool_use"}]"#)
    );
}

#[test]
fn every_end_has_its_meaning() {
    let text = || vec![text_block(0, "I")];
    for (reason, expected) in [
        ("end_turn", Ending::Complete),
        ("stop_sequence", Ending::Complete),
        ("tool_use", Ending::Complete),
        ("something_new", Ending::Complete),
        ("max_tokens", Ending::Length),
        ("model_context_window_exceeded", Ending::Length),
        ("pause_turn", Ending::Paused),
    ] {
        let events = reply(&text(), reason).expect("good");
        assert_eq!(finished(&events).1, expected, "{reason}");
    }
    assert_eq!(class(reply(&text(), "refusal")), ErrorClass::ContentRefused);
    let mut events = text_block(0, "I");
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "bio", "explanation": "Not that."}}}),
    );
    events.push(json!({"type": "message_stop"}));
    let error = decode(&events).expect_err("a refusal");
    assert_eq!(error.class, ErrorClass::ContentRefused);
    assert!(error.message.ends_with("Not that."), "{error}");
}

#[test]
fn text_that_the_limit_cut_off_is_kept() {
    let open = vec![
        start(0, &json!({"type": "text", "text": ""})),
        text_delta(0, "A long"),
    ];
    let events = reply(&[open], "max_tokens").expect("text");
    assert_eq!(
        events[..2],
        [said(0, BlockKind::Text, "A long"), ModelEvent::BlockEnded]
    );
    // A thought without its signature is none that could go back.
    let mut open = thought(0);
    open.truncate(2);
    let events = reply(&[open], "max_tokens").expect("a thought");
    assert_eq!(finished(&events).2, None);
}

// RUN-21
#[test]
fn usage_is_what_was_said_last_and_nothing_else() {
    let usage = |first: Value, last: Value| {
        let mut events = vec![json!({"type": "message_start", "message": {"usage": first}})];
        events.extend(text_block(0, "Hi"));
        events.push(
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": last}),
        );
        events.push(json!({"type": "message_stop"}));
        finished(&decode(&events).expect("good")).0
    };
    assert_eq!(usage(json!(null), json!(null)), Usage::default());
    assert_eq!(
        usage(json!("odd"), json!({"output_tokens": -1})),
        Usage::default()
    );
    let counted = |input, output, cached| Usage {
        input_tokens: input,
        output_tokens: output,
        cached_tokens: cached,
        cache_write_tokens: None,
        cost_microusd: None,
    };
    assert_eq!(
        usage(
            json!({"input_tokens": 5, "output_tokens": 1}),
            json!({"output_tokens": 9})
        ),
        counted(Some(5), Some(9), None)
    );
    assert_eq!(
        usage(
            json!({"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}),
            json!({"input_tokens": 6, "cache_creation_input_tokens": 10, "output_tokens": 2})
        ),
        Usage {
            cache_write_tokens: Some(10),
            ..counted(Some(23), Some(2), Some(7))
        }
    );
    assert_eq!(
        usage(
            json!({"input_tokens": u64::MAX, "cache_read_input_tokens": 1}),
            json!({})
        ),
        counted(Some(u64::MAX), None, Some(1))
    );
}

#[test]
fn a_stream_without_its_end_was_cut_off() {
    let text = text_block(0, "Hi");
    let stop_alone = json!({"type": "message_stop"});
    let reason_alone = end("end_turn").swap_remove(0);
    for events in [
        vec![],
        text.clone(),
        [text.clone(), vec![reason_alone]].concat(),
        [text, vec![stop_alone]].concat(),
    ] {
        assert_eq!(class(decode(&events)), ErrorClass::Network, "{events:?}");
    }
}

#[test]
fn the_end_is_said_once() {
    let mut decoder = Decoder::new("m");
    for event in [text_block(0, "Hi"), end("end_turn")].concat() {
        decoder.push(&event.to_string()).expect("good");
    }
    assert!(decoder.is_whole());
    assert_eq!(
        decoder.push(&json!({"type": "message_stop"}).to_string()),
        Ok(Vec::new())
    );
    assert_eq!(
        decoder.push(&text_delta(0, "more").to_string()),
        Ok(Vec::new())
    );
    assert_eq!(decoder.finish(), Ok(Vec::new()));
}

// RUN-9
#[test]
fn an_error_in_the_middle_ends_the_reply() {
    for (error, expected) in [
        (
            json!({"type": "overloaded_error", "message": "Overloaded"}),
            ErrorClass::Overloaded,
        ),
        (json!({"type": "rate_limit_error"}), ErrorClass::RateLimit),
        (json!({"type": "api_error"}), ErrorClass::Overloaded),
        (json!({"type": "authentication_error"}), ErrorClass::Auth),
        (
            json!({"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}),
            ErrorClass::Billing,
        ),
        (json!("odd"), ErrorClass::Internal),
    ] {
        let event = json!({"type": "error", "error": error, "request_id": "req_1"});
        let events = [text_block(0, "Hi"), vec![event]].concat();
        assert_eq!(class(decode(&events)), expected, "{error}");
    }
    let null = json!({"type": "ping", "error": null});
    assert!(reply(&[vec![null], text_block(0, "Hi")], "end_turn").is_ok());
}

#[test]
fn what_is_not_known_is_skipped() {
    let odd = [
        json!({}),
        json!({"type": "new_event", "index": {}, "delta": 7}),
        json!({"type": "content_block_stop", "index": 99}),
        start(0, &json!({"type": "hologram", "text": "x"})),
        text_delta(0, "x"),
        delta(0, &json!({"type": "new_delta", "text": 7})),
        stop(0),
        delta(50, &json!({"type": "signature_delta", "signature": "x"})),
    ];
    let events = reply(&[odd.to_vec(), text_block(1, "Hi")], "end_turn").expect("good");
    assert_eq!(
        events[..2],
        [said(0, BlockKind::Text, "Hi"), ModelEvent::BlockEnded]
    );
    assert_eq!((events.len(), finished(&events).2), (3, None));
}

#[test]
fn what_cannot_be_read_ends_the_reply() {
    for event in [
        json!([1]),
        json!(7),
        json!({"type": 7}),
        json!({"type": "content_block_start", "index": 0}),
        json!({"type": "content_block_start", "index": -1, "content_block": {"type": "text"}}),
        start(0, &json!({"text": "no type"})),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}),
        json_delta(9, "{}"),
    ] {
        let events = [vec![event.clone()], text_block(0, "Hi"), end("end_turn")].concat();
        assert_eq!(class(decode(&events)), ErrorClass::Network, "{event}");
    }
    let mut decoder = Decoder::new("m");
    assert_eq!(class(decoder.push("{")), ErrorClass::Network);
    let nameless = vec![start(0, &json!({"type": "tool_use", "id": "a"})), stop(0)];
    assert_eq!(class(reply(&[nameless], "tool_use")), ErrorClass::Network);
}

#[test]
fn text_without_its_beginning_is_not_lost() {
    let bare = vec![
        delta(0, &json!({"type": "thinking_delta", "thinking": "Hm."})),
        text_delta(1, "Hi"),
    ];
    let events = reply(&[bare], "end_turn").expect("good");
    assert_eq!(events[0], said(0, BlockKind::Reasoning, "Hm."));
    assert_eq!(events[1], said(1, BlockKind::Text, "Hi"));
}

#[test]
fn its_own_words_are_kept_where_they_say_more_than_ours() {
    let call = |index| vec![tool_start(index, "a"), json_delta(index, "{}"), stop(index)];
    let plain = [
        vec![text_block(0, "Hi")],
        vec![call(0)],
        vec![text_block(0, "Hi"), call(1), call(2)],
    ];
    for blocks in plain {
        assert_eq!(finished(&reply(&blocks, "tool_use").expect("good")).2, None);
    }
    let redacted = vec![
        start(0, &json!({"type": "redacted_thinking", "data": "x"})),
        stop(0),
    ];
    let cited = vec![
        start(0, &json!({"type": "text", "text": "", "citations": []})),
        text_delta(0, "Hi"),
        delta(0, &json!({"type": "citations_delta", "citation": {"a": 1}})),
        stop(0),
    ];
    let caller = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}, "caller": {"type": "direct"}});
    for blocks in [
        vec![thought(0), text_block(1, "Hi")],
        vec![redacted, text_block(1, "Hi")],
        vec![cited],
        vec![call(0), text_block(1, "After")],
        vec![text_block(0, "One"), text_block(1, "Two")],
        vec![vec![start(0, &caller), stop(0)]],
    ] {
        let events = reply(&blocks, "tool_use").expect("good");
        assert!(finished(&events).2.is_some(), "{blocks:?}");
    }
}

#[test]
fn what_nobody_hears_of_has_a_limit_too() {
    let piece = "x".repeat(1 << 20);
    let sealed = json!({"type": "redacted_thinking", "data": piece});
    let signature = delta(0, &json!({"type": "signature_delta", "signature": piece})).to_string();
    let citation = delta(1, &json!({"type": "citations_delta", "citation": piece})).to_string();
    for event in [&start(2, &sealed).to_string(), &signature, &citation] {
        let mut decoder = Decoder::new("m");
        for begin in [json!({"type": "thinking"}), json!({"type": "text"})] {
            let index = u64::from(begin["type"] == "text");
            decoder
                .push(&start(index, &begin).to_string())
                .expect("good");
        }
        let mut pushed = (0..100).map(|_| decoder.push(event));
        let error = pushed.find_map(Result::err).expect("it ends");
        assert_eq!(error.class, ErrorClass::Limit);
    }
}
