//! What the decoder makes of what servers send.

use protocol::{BlockKind, ErrorClass, Native};

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

fn added(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn done(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn delta(kind: &str, index: u64, text: &str) -> Value {
    json!({"type": format!("response.{kind}.delta"), "output_index": index, "content_index": 0, "delta": text})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": "fc_1", "status": "completed", "call_id": id, "name": "f", "arguments": arguments})
}

fn reasoning(encrypted: &Value) -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": encrypted})
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed"}})
}

fn incomplete(reason: &str) -> Value {
    json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": reason}}})
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
fn what_the_pieces_left_out_is_said_with_the_item() {
    let events = decode(&[
        delta("output_text", 0, "One "),
        done(0, &message("One two.")),
        // No pieces at all.
        done(1, &call("a", "{\"x\": 1}")),
        completed(),
    ]);
    let expected = vec![
        said(0, BlockKind::Text, "One "),
        said(0, BlockKind::Text, "two."),
        ModelEvent::BlockEnded,
        said(1, BlockKind::Arguments, "{\"x\": 1}"),
        ModelEvent::BlockEnded,
        ModelEvent::Call {
            id: "a".to_owned(),
            tool: "f".to_owned(),
            arguments: "{\"x\": 1}".to_owned(),
        },
        ModelEvent::finished(Usage::default()),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn items_that_only_the_end_names_are_not_lost() {
    let end = json!({"type": "response.completed", "response": {"output": [message("Hi"), call("a", "{}")]}});
    for events in [
        vec![end.clone()],
        vec![done(0, &message("Hi")), end.clone()],
        vec![
            done(0, &message("Hi")),
            done(1, &call("a", "{}")),
            end.clone(),
        ],
        vec![added(1, &call("a", "")), delta("output_text", 0, "H"), end],
    ] {
        let events = decode(&events).expect("good");
        assert_eq!(calls_of(&events), [("a", "{}")]);
        let mut text = String::new();
        for event in &events {
            if let ModelEvent::Text {
                kind: BlockKind::Text,
                text: piece,
                ..
            } = event
            {
                text.push_str(piece);
            }
        }
        assert_eq!(text, "Hi");
    }
}

#[test]
fn the_end_does_not_take_back_what_an_item_said() {
    let thought = reasoning(&json!("gAAA"));
    let output = json!([reasoning(&Value::Null), message("Hi")]);
    let end = json!({"type": "response.completed", "response": {"output": output}});
    let events = decode(&[done(0, &thought), end]).expect("good");
    let native = finished(&events).2.expect("the thought is there");
    assert!(native.items.contains("gAAA"), "{}", native.items);
}

#[test]
fn argument_bytes_are_those_of_the_whole_item() {
    let written = "{ \"b\": 1.0, \"a\" :\t\"\\u00e9é\\/\", \"b\": 1e400 }\n";
    let events = decode(&[
        added(0, &call("a", "")),
        delta("function_call_arguments", 0, "{ \"b\""),
        delta("function_call_arguments", 0, "lost"),
        done(0, &call("a", written)),
        completed(),
    ]);
    assert_eq!(calls_of(&events.expect("good")), [("a", written)]);
}

// RUN-20: telling two calls with one id apart is left to whoever stores them.
#[test]
fn repeated_ids_stay_two_calls_and_items_without_numbers_keep_their_order() {
    let events = decode(&[
        done(0, &call("a", "{}")),
        done(1, &call("a", "{}")),
        completed(),
    ]);
    assert_eq!(calls_of(&events.expect("good")).len(), 2);
    let bare = |kind: &str, id: &str| json!({"type": format!("response.output_item.{kind}"), "item": call(id, "{}")});
    let events = decode(&[
        bare("added", "a"),
        bare("done", "a"),
        bare("added", "b"),
        bare("done", "b"),
        completed(),
    ]);
    assert_eq!(calls_of(&events.expect("good")), [("a", "{}"), ("b", "{}")]);
}

// RUN-5: a call that may not be what the model wanted is never handed on.
#[test]
fn a_call_that_is_cut_off_never_comes() {
    let mut half = call("b", "{\"path\": \"/etc");
    half["status"] = json!("incomplete");
    let mut looks_whole = call("b", "{}");
    looks_whole["status"] = json!("in_progress");
    let limit = || incomplete("max_output_tokens");
    for (events, expected) in [
        (vec![added(0, &call("b", "")), limit()], ErrorClass::Limit),
        (vec![done(0, &half), limit()], ErrorClass::Limit),
        (vec![done(0, &looks_whole), limit()], ErrorClass::Limit),
        (
            vec![done(0, &call("b", "{\"pa")), limit()],
            ErrorClass::Limit,
        ),
        (vec![done(0, &call("b", "")), limit()], ErrorClass::Limit),
        (
            vec![done(0, &call("a", "{}")), added(1, &call("b", "")), limit()],
            ErrorClass::Limit,
        ),
        (
            vec![added(0, &call("b", "")), completed()],
            ErrorClass::Network,
        ),
        (
            vec![done(0, &looks_whole), completed()],
            ErrorClass::Network,
        ),
    ] {
        assert_eq!(class(decode(&events)), expected, "{events:?}");
    }
    let events = decode(&[done(0, &call("a", "{}")), limit()]).expect("it is whole");
    assert_eq!(calls_of(&events), [("a", "{}")]);
    assert_eq!(finished(&events).1, Ending::Length);
    // What is malformed but whole comes as it is.
    let events = decode(&[done(0, &call("a", "{\"pa")), completed()]).expect("whole");
    assert_eq!(calls_of(&events), [("a", "{\"pa")]);
}

#[test]
fn every_end_has_its_meaning() {
    let text = || done(0, &message("I"));
    for (end, expected) in [
        (completed(), Ending::Complete),
        (incomplete("max_output_tokens"), Ending::Length),
        (incomplete("steered"), Ending::Paused),
    ] {
        let events = decode(&[text(), end]).expect("good");
        assert_eq!(finished(&events).1, expected);
    }
    let filtered = decode(&[text(), incomplete("content_filter")]);
    assert_eq!(class(filtered), ErrorClass::ContentRefused);
}

#[test]
fn a_refusal_is_shown_and_ends_as_one() {
    let mut decoder = Decoder::new("m");
    let piece = delta("refusal", 0, "I will not.").to_string();
    assert_eq!(
        decoder.push(&piece),
        Ok(vec![said(0, BlockKind::Text, "I will not.")])
    );
    assert_eq!(
        class(decoder.push(&completed().to_string())),
        ErrorClass::ContentRefused
    );
    let whole = json!({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
    assert_eq!(
        class(decode(&[done(0, &whole), completed()])),
        ErrorClass::ContentRefused
    );
}

// RUN-9
#[test]
fn failures_have_their_classes() {
    let failed = |error: Value| json!({"type": "response.failed", "response": {"status": "failed", "error": error}});
    let coded = |code: &str| json!({"code": code, "message": "No."});
    for (event, expected) in [
        (failed(coded("server_error")), ErrorClass::Overloaded),
        (
            failed(coded("server_is_overloaded")),
            ErrorClass::Overloaded,
        ),
        (failed(coded("rate_limit_exceeded")), ErrorClass::RateLimit),
        (failed(coded("insufficient_quota")), ErrorClass::Billing),
        (failed(coded("usage_not_included")), ErrorClass::Permission),
        (
            failed(coded("context_length_exceeded")),
            ErrorClass::ContextLength,
        ),
        (failed(coded("invalid_prompt")), ErrorClass::ContentRefused),
        (failed(coded("bio_policy")), ErrorClass::ContentRefused),
        (failed(Value::Null), ErrorClass::Internal),
        (
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "Slow.", "param": null}),
            ErrorClass::RateLimit,
        ),
        (
            json!({"type": "error", "error": {"type": "insufficient_quota"}}),
            ErrorClass::Billing,
        ),
        (json!({"error": {"code": 502}}), ErrorClass::Overloaded),
    ] {
        let events = [delta("output_text", 0, "Hi"), event.clone()];
        assert_eq!(class(decode(&events)), expected, "{event}");
    }
    let said = json!({"type": "error", "code": "x", "message": "Something odd."});
    let error = decode(&[said]).expect_err("an error");
    assert!(error.message.contains("Something odd."), "{error}");
}

#[test]
fn a_stream_without_its_end_was_cut_off() {
    for events in [
        vec![],
        vec![delta("output_text", 0, "Hi")],
        vec![done(0, &message("Hi")), done(1, &call("a", "{}"))],
    ] {
        assert_eq!(class(decode(&events)), ErrorClass::Network, "{events:?}");
    }
    let mut decoder = Decoder::new("m");
    assert_eq!(decoder.push("[DONE]"), Ok(Vec::new()));
    assert_eq!(class(decoder.finish()), ErrorClass::Network);
}

#[test]
fn the_end_is_said_once() {
    let mut decoder = Decoder::new("m");
    decoder
        .push(&done(0, &message("Hi")).to_string())
        .expect("good");
    assert!(!decoder.is_whole());
    decoder.push(&completed().to_string()).expect("good");
    assert!(decoder.is_whole());
    assert_eq!(decoder.push(&completed().to_string()), Ok(Vec::new()));
    assert_eq!(decoder.finish(), Ok(Vec::new()));
}

// RUN-21
#[test]
fn usage_is_what_was_said_and_nothing_else() {
    for (usage, expected) in [
        (json!(null), Usage::default()),
        (json!("odd"), Usage::default()),
        (json!({"input_tokens": -1}), Usage::default()),
        (
            json!({"input_tokens": 10, "output_tokens": 0, "input_tokens_details": {"cached_tokens": 4}}),
            Usage {
                input_tokens: Some(10),
                output_tokens: Some(0),
                cached_tokens: Some(4),
                cache_write_tokens: None,
                cost_microusd: None,
            },
        ),
    ] {
        let end = json!({"type": "response.completed", "response": {"usage": usage}});
        let events = decode(&[done(0, &message("Hi")), end]).expect("good");
        assert_eq!(finished(&events).0, expected, "{usage}");
    }
}

#[test]
fn thoughts_are_shown_in_short_or_whole() {
    let summary = |index: u64, text: &str| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": index, "delta": text});
    let events = decode(&[
        summary(0, "One."),
        summary(1, "Two."),
        delta("reasoning_text", 1, "All of it."),
        done(2, &message("Hi")),
        completed(),
    ]);
    let events = events.expect("good");
    assert_eq!(events[0], said(0, BlockKind::Reasoning, "One."));
    assert_eq!(events[1], said(1, BlockKind::Reasoning, "Two."));
    assert_eq!(events[2], said(2, BlockKind::Reasoning, "All of it."));
    let ends = events
        .iter()
        .filter(|event| **event == ModelEvent::BlockEnded);
    assert_eq!(ends.count(), 4);
}

#[test]
fn what_is_not_known_is_skipped_and_what_cannot_be_read_ends_the_reply() {
    let events = decode(&[
        json!({}),
        json!({"type": "response.new", "output_index": "odd", "delta": 7}),
        added(0, &json!({"type": "hologram", "content": 7, "name": []})),
        done(0, &json!({"type": "hologram", "content": 7, "status": []})),
        done(
            1,
            &json!({"type": "message", "content": [{"type": "output_smell", "text": 7}, {"type": "output_text", "text": "Hi"}]}),
        ),
        completed(),
    ]);
    let expected = [said(0, BlockKind::Text, "Hi"), ModelEvent::BlockEnded];
    assert_eq!(events.expect("good")[..2], expected);
    for event in [
        json!([1]),
        json!({"type": 7}),
        json!({"type": "response.output_text.delta", "delta": 7}),
        json!({"type": "response.output_text.delta"}),
        json!({"type": "response.output_item.done"}),
        done(0, &json!({"type": "function_call", "arguments": {}})),
        done(
            0,
            &json!({"type": "function_call", "call_id": "a", "arguments": "{}"}),
        ),
        json!({"type": "response.completed"}),
    ] {
        let events = [event.clone(), done(1, &message("Hi")), completed()];
        assert_eq!(class(decode(&events)), ErrorClass::Network, "{event}");
    }
}

#[test]
fn its_own_words_are_kept_where_they_say_more_than_ours_and_can_go_back() {
    let kept = |items: &[Value]| {
        let mut events: Vec<Value> = (0..).zip(items).map(|(at, item)| done(at, item)).collect();
        events.push(completed());
        finished(&decode(&events).expect("good")).2.cloned()
    };
    let (text, asked) = (message("Hi"), call("a", "{}"));
    let (thought, lost) = (reasoning(&json!("gAAA")), reasoning(&Value::Null));
    assert_eq!(
        kept(&[text.clone(), asked.clone()]),
        None,
        "ours say the same"
    );
    assert_eq!(
        kept(&[lost.clone(), text.clone()]),
        None,
        "there is no thought"
    );
    assert_eq!(kept(&[thought.clone(), lost, text.clone()]), None);
    let native = kept(&[thought.clone(), text.clone(), asked.clone()]).expect("a thought");
    assert_eq!(native.items, format!("[{thought},{text},{asked}]"));
    let mut phased = text.clone();
    phased["phase"] = json!("final_answer");
    assert!(kept(&[phased]).is_some());
    assert!(kept(&[asked, text]).is_some(), "their order");
}

#[test]
fn what_nobody_hears_of_has_a_limit_too() {
    let sealed = reasoning(&json!("x".repeat(1 << 20)));
    let mut decoder = Decoder::new("m");
    let mut pushed = (0..100).map(|index| decoder.push(&done(index, &sealed).to_string()));
    let error = pushed.find_map(Result::err).expect("it ends");
    assert_eq!(error.class, ErrorClass::Limit);
}
