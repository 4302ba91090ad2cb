//! What the decoder makes of what servers send.

mod streams;

use protocol::ErrorClass;
use serde_json::json;

use super::*;

type Decoded = Result<Vec<ModelEvent>, ModelError>;

/// Everything that these events say; an error ends it.
fn decode(events: &[&str]) -> Decoded {
    let mut decoder = Decoder::default();
    let mut said = Vec::new();
    for event in events {
        said.extend(decoder.push(event)?);
    }
    said.extend(decoder.finish()?);
    Ok(said)
}

/// Deltas, then a finish reason and the end.
fn reply(deltas: &[Value], reason: &str) -> Decoded {
    let deltas = deltas
        .iter()
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}));
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let events: Vec<String> = deltas.chain([end]).map(|event| event.to_string()).collect();
    let events: Vec<&str> = events
        .iter()
        .map(String::as_str)
        .chain(["[DONE]"])
        .collect();
    decode(&events)
}

fn calls_of(events: &[ModelEvent]) -> Vec<(&str, &str, &str)> {
    let mut calls = Vec::new();
    for event in events {
        if let ModelEvent::Call {
            id,
            tool,
            arguments,
        } = event
        {
            calls.push((id.as_str(), tool.as_str(), arguments.as_str()));
        }
    }
    calls
}

/// The calls that these fragments, one an event, make.
fn fragments(fragments: &[Value]) -> Vec<(String, String, String)> {
    let deltas: Vec<Value> = fragments
        .iter()
        .map(|fragment| json!({ "tool_calls": [fragment] }))
        .collect();
    let events = reply(&deltas, "tool_calls").expect("a good reply");
    assert_blocks_are_dense(&events);
    calls_of(&events)
        .into_iter()
        .map(|(id, tool, arguments)| (id.to_owned(), tool.to_owned(), arguments.to_owned()))
        .collect()
}

fn call(id: &str, tool: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), tool.to_owned(), arguments.to_owned())
}

fn assert_blocks_are_dense(events: &[ModelEvent]) {
    let mut kinds = Vec::new();
    for event in events {
        if let ModelEvent::Text { block, kind, text } = event {
            assert!(!text.is_empty());
            let at = *block as usize;
            assert!(at <= kinds.len(), "a gap before block {block}");
            if at == kinds.len() {
                kinds.push(*kind);
            }
            assert_eq!(kinds[at], *kind, "a block keeps its kind");
        }
    }
}

fn text(block: u32, kind: BlockKind, text: &str) -> ModelEvent {
    ModelEvent::Text {
        block,
        kind,
        text: text.to_owned(),
    }
}

#[test]
fn blocks_are_numbered_in_the_order_in_which_they_appear() {
    let events = reply(
        &[
            json!({"role": "assistant", "content": "", "reasoning_content": null}),
            json!({"reasoning_content": "Hm", "content": ""}),
            json!({"reasoning": "m."}),
            json!({"role": "assistant", "content": "One "}),
            json!({"content": "two"}),
            json!({"tool_calls": [{"index": 1, "id": "c", "function": {"name": "f", "arguments": ""}}]}),
            json!({"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]}),
            json!({"content": "After"}),
        ],
        "tool_calls",
    );
    let expected = vec![
        text(0, BlockKind::Reasoning, "Hm"),
        text(0, BlockKind::Reasoning, "m."),
        ModelEvent::BlockEnded,
        text(1, BlockKind::Text, "One "),
        text(1, BlockKind::Text, "two"),
        ModelEvent::BlockEnded,
        text(2, BlockKind::Arguments, "{}"),
        text(3, BlockKind::Text, "After"),
        ModelEvent::BlockEnded,
        ModelEvent::BlockEnded,
        ModelEvent::Call {
            id: "c".to_owned(),
            tool: "f".to_owned(),
            arguments: "{}".to_owned(),
        },
        ModelEvent::finished(Usage::default()),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn the_same_thought_under_two_names_is_heard_once() {
    let events = reply(
        &[json!({"reasoning": "a", "reasoning_content": "a"})],
        "stop",
    );
    assert_eq!(events.expect("good")[0], text(0, BlockKind::Reasoning, "a"));
}

#[test]
fn calls_are_put_together_however_they_come() {
    // As documented: id and name first, arguments in pieces, calls one after the other.
    assert_eq!(
        fragments(&[
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}),
            json!({"index": 0, "function": {"arguments": "{\"x\""}}),
            json!({"index": 0, "function": {"arguments": ": 1}"}}),
            json!({"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}}),
        ]),
        [call("a", "f", "{\"x\": 1}"), call("b", "g", "{}")]
    );
    // Numbers with gaps, from 1, and interleaved.
    assert_eq!(
        fragments(&[
            json!({"index": 1, "id": "a", "function": {"name": "f", "arguments": "{"}}),
            json!({"index": 7, "id": "b", "function": {"name": "g", "arguments": "{"}}),
            json!({"index": 1, "function": {"arguments": "}"}}),
            json!({"index": 7, "function": {"arguments": " }"}}),
        ]),
        [call("a", "f", "{}"), call("b", "g", "{ }")]
    );
    // No numbers.
    assert_eq!(
        fragments(&[
            json!({"id": "a", "function": {"name": "f", "arguments": "{"}}),
            json!({"function": {"arguments": "}"}}),
            json!({"id": "b", "function": {"name": "g", "arguments": "{}"}}),
            json!({"id": "a", "function": {"arguments": " "}}),
        ]),
        [call("a", "f", "{} "), call("b", "g", "{}")]
    );
    // Neither numbers nor ids.
    assert_eq!(
        fragments(&[
            json!({"function": {"name": "f", "arguments": "{}"}}),
            json!({"function": {"name": "f", "arguments": "{\"x\""}}),
            json!({"function": {"name": "f", "arguments": ":1}"}}),
        ]),
        [call("", "f", "{}"), call("", "f", "{\"x\":1}")]
    );
    // The same number for every call.
    assert_eq!(
        fragments(&[
            json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}),
            json!({"index": 0, "id": "b", "function": {"name": "f", "arguments": "{\"x\":1}"}}),
        ]),
        [call("a", "f", "{}"), call("b", "f", "{\"x\":1}")]
    );
}

#[test]
fn names_and_ids_that_are_repeated_are_said_once() {
    assert_eq!(
        fragments(&[
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": ""}}),
            json!({"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{"}}),
            json!({"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}),
            json!({"index": 0, "id": null, "function": {"name": null, "arguments": null}}),
            json!({"index": 0}),
        ]),
        [call("a", "read_file", "{}")]
    );
    // A new id with every fragment, but only one name.
    assert_eq!(
        fragments(&[
            json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}),
            json!({"index": 0, "id": "b", "function": {"arguments": "}"}}),
        ]),
        [call("a", "f", "{}")]
    );
    // A name in pieces.
    assert_eq!(
        fragments(&[
            json!({"index": 0, "id": "a", "function": {"name": "read_"}}),
            json!({"index": 0, "function": {"name": "file", "arguments": "{}"}}),
        ]),
        [call("a", "read_file", "{}")]
    );
}

// RUN-20: telling two calls with one id apart is left to whoever stores them.
#[test]
fn two_calls_with_one_id_stay_two_calls() {
    let twice = [0, 1].map(
        |index| json!({"index": index, "id": "a", "function": {"name": "f", "arguments": "{}"}}),
    );
    assert_eq!(
        fragments(&twice),
        [call("a", "f", "{}"), call("a", "f", "{}")]
    );
}

#[test]
fn argument_bytes_are_kept_exactly() {
    let written = "{ \"b\": 1.0, \"a\" :\t\"\\u00e9é\\/\", \"b\": 1e400 }\n";
    for pieces in 1..6 {
        let characters: Vec<char> = written.chars().collect();
        let size = characters.len().div_ceil(pieces);
        let fragments_: Vec<Value> = characters
            .chunks(size)
            .map(|piece| piece.iter().collect::<String>())
            .map(|piece| json!({"index": 0, "function": {"name": "f", "arguments": piece}}))
            .collect();
        assert_eq!(fragments(&fragments_), [call("", "f", written)]);
    }
    // From servers that send the object itself.
    let event = r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":{ "b": 1.0, "a":2 }}}]},"finish_reason":"stop"}]}"#;
    let events = decode(&[event, "[DONE]"]).expect("good");
    assert_eq!(calls_of(&events), [("", "f", r#"{ "b": 1.0, "a":2 }"#)]);
}

#[test]
fn many_whole_calls_in_one_event_are_as_many_calls() {
    let calls: Vec<Value> = (0..200)
        .map(|n| json!({"index": n, "id": format!("c{n}"), "function": {"name": "f", "arguments": "{}"}}))
        .collect();
    let unnumbered: Vec<Value> = (0..200)
        .map(|_| json!({"function": {"name": "f", "arguments": "{}"}}))
        .collect();
    for calls in [calls, unnumbered] {
        let events = reply(&[json!({ "tool_calls": calls })], "stop").expect("good");
        assert_eq!(calls_of(&events).len(), 200);
        assert_blocks_are_dense(&events);
    }
}

#[test]
fn a_call_without_arguments_is_a_call() {
    let events = reply(
        &[json!({"tool_calls": [{"index": 0, "function": {"name": "f"}}]})],
        "stop",
    );
    assert_eq!(calls_of(&events.expect("good")), [("", "f", "")]);
}

#[test]
fn a_call_without_a_name_is_an_error() {
    let delta = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"arguments": "{}"}}]});
    assert_eq!(
        reply(&[delta], "tool_calls").expect_err("no name").class,
        ErrorClass::Network
    );
}
