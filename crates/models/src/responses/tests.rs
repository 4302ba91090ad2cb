//! Bytes in, events out: however the network cuts them.

use engine::ModelEvent;
use protocol::{BlockKind, Ending, Usage};

use super::decode::Decoder;
use crate::streams::{
    self, Heard, assert_mangled_ends_well, assert_no_beginning_is_whole, assert_same_at_every_cut,
};

const REASONING: &str = r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Überlegen 🤔"}],"encrypted_content":"gAAAAAB/+=="}"#;
const MESSAGE: &str = r#"{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Grüße, 世界 😀\n","annotations":[]}]}"#;
const FIRST_CALL: &str = r#"{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"read_file","arguments":"{ \"path\" : \"ü\",\"n\":1.0}"}"#;
const SECOND_CALL: &str = r#"{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"list_files","arguments":"{}"}"#;

/// Every kind of event that is documented for what we ask, and some that are not. A name in angle
/// brackets stands for that item.
const EVENTS: &[(&str, &str)] = &[
    (
        "response.created",
        r#","response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null,"error":null,"incomplete_details":null}"#,
    ),
    (
        "response.queued",
        r#","response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null,"error":null,"incomplete_details":null}"#,
    ),
    (
        "response.in_progress",
        r#","response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"usage":null,"error":null,"incomplete_details":null}"#,
    ),
    (
        "response.output_item.added",
        r#","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}"#,
    ),
    (
        "response.reasoning_summary_part.added",
        r#","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}"#,
    ),
    (
        "response.reasoning_summary_text.delta",
        r#","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Überlegen ","obfuscation":"x9""#,
    ),
    (
        "response.reasoning_summary_text.delta",
        r#","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"🤔""#,
    ),
    (
        "response.reasoning_summary_text.done",
        r#","item_id":"rs_1","output_index":0,"summary_index":0,"text":"Überlegen 🤔""#,
    ),
    (
        "response.reasoning_summary_part.done",
        r#","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Überlegen 🤔"}"#,
    ),
    (
        "response.output_item.done",
        r#","output_index":0,"item":<REASONING>"#,
    ),
    (
        "response.output_item.added",
        r#","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}"#,
    ),
    (
        "response.content_part.added",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}"#,
    ),
    (
        "response.output_text.delta",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Grüße, 世","logprobs":[]"#,
    ),
    (
        "response.output_text.annotation.added",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"annotation_index":0,"annotation":{"type":"url_citation"}"#,
    ),
    (
        "response.output_text.delta",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"delta":"界 \ud83d\ude00\n""#,
    ),
    (
        "response.output_text.done",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"text":"Grüße, 世界 😀\n""#,
    ),
    (
        "response.content_part.done",
        r#","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","text":"x"}"#,
    ),
    (
        "response.output_item.done",
        r#","output_index":1,"item":<MESSAGE>"#,
    ),
    (
        "response.output_item.added",
        r#","output_index":2,"item":{"id":"ws_1","type":"web_search_call","status":7,"content":"odd"}"#,
    ),
    (
        "response.web_search_call.searching",
        r#","output_index":2,"item_id":"ws_1""#,
    ),
    (
        "response.output_item.done",
        r#","output_index":2,"item":{"id":"ws_1","type":"web_search_call","status":{}}"#,
    ),
    (
        "response.output_item.added",
        r#","output_index":3,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"read_file","arguments":""}"#,
    ),
    (
        "response.output_item.added",
        r#","output_index":4,"item":{"id":"fc_2","type":"function_call","status":"in_progress","call_id":"call_2","name":"list_files","arguments":""}"#,
    ),
    (
        "response.function_call_arguments.delta",
        r#","item_id":"fc_1","output_index":3,"delta":"{ \"path\" :""#,
    ),
    (
        "response.function_call_arguments.delta",
        r#","item_id":"fc_2","output_index":4,"delta":"{}""#,
    ),
    (
        "response.function_call_arguments.delta",
        r#","item_id":"fc_1","output_index":3,"delta":" \"ü\",\"n\":1.0}""#,
    ),
    (
        "response.function_call_arguments.done",
        r#","item_id":"fc_1","output_index":3,"arguments":"{ \"path\" : \"ü\",\"n\":1.0}""#,
    ),
    (
        "response.output_item.done",
        r#","output_index":3,"item":<FIRST_CALL>"#,
    ),
    (
        "response.output_item.done",
        r#","output_index":4,"item":<SECOND_CALL>"#,
    ),
    ("response.sparkle", r#","delta":{"odd":[1]},"item":3"#),
    (
        "response.completed",
        r#","response":{"id":"resp_1","status":"completed","output":[<REASONING>,<MESSAGE>,{"type":"web_search_call"},<FIRST_CALL>,<SECOND_CALL>],"usage":{"input_tokens":2112,"input_tokens_details":{"cached_tokens":2000,"cache_write_tokens":3},"output_tokens":89,"output_tokens_details":{"reasoning_tokens":40},"total_tokens":2201},"error":null,"incomplete_details":null}"#,
    ),
];

fn recorded() -> String {
    let mut text = String::from("\u{feff}: a comment\n\n");
    for (number, (kind, rest)) in EVENTS.iter().enumerate() {
        let rest = rest
            .replace("<REASONING>", REASONING)
            .replace("<MESSAGE>", MESSAGE)
            .replace("<FIRST_CALL>", FIRST_CALL)
            .replace("<SECOND_CALL>", SECOND_CALL);
        let end = if number % 3 == 0 { "\r\n" } else { "\n" };
        text.push_str(&format!(
            "event: {kind}{end}data: {{\"type\":\"{kind}\",\"sequence_number\":{number}{rest}}}{end}{end}"
        ));
    }
    text
}

fn decode(text: &str) -> Heard {
    streams::decode(Decoder::new("gpt-x"), &[text.as_bytes()])
}

fn said(events: &Heard, wanted: BlockKind) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for event in events.iter().flatten() {
        if let ModelEvent::Text { block, kind, text } = event {
            let at = *block as usize;
            blocks.resize(blocks.len().max(at + 1), String::new());
            if *kind == wanted {
                blocks[at].push_str(text);
            }
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

#[test]
fn a_recorded_reply_is_what_it_says() {
    let whole = decode(&recorded());
    assert!(whole.iter().all(Result::is_ok), "{whole:?}");
    assert_eq!(said(&whole, BlockKind::Reasoning), ["Überlegen 🤔"]);
    assert_eq!(said(&whole, BlockKind::Text), ["Grüße, 世界 😀\n"]);
    let arguments = "{ \"path\" : \"ü\",\"n\":1.0}";
    assert_eq!(said(&whole, BlockKind::Arguments), [arguments, "{}"]);
    let call = |id: &str, tool: &str, arguments: &str| ModelEvent::Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    };
    let [.., first, second, last] = &whole[..] else {
        panic!("{whole:?}");
    };
    assert_eq!(first, &Ok(call("call_1", "read_file", arguments)));
    assert_eq!(second, &Ok(call("call_2", "list_files", "{}")));
    let Ok(ModelEvent::Finished {
        usage,
        ending,
        native: Some(native),
    }) = last
    else {
        panic!("{last:?}");
    };
    let counted = Usage {
        input_tokens: Some(2_112),
        output_tokens: Some(89),
        cached_tokens: Some(2_000),
        cache_write_tokens: None,
        cost_microusd: None,
    };
    assert_eq!((*usage, *ending), (counted, Ending::Complete));
    assert_eq!(
        (native.dialect.as_str(), native.model.as_str()),
        ("responses", "gpt-x")
    );
    let items = format!("[{REASONING},{MESSAGE},{FIRST_CALL},{SECOND_CALL}]");
    assert_eq!(native.items, items, "byte for byte");
    let ends = whole
        .iter()
        .filter(|event| **event == Ok(ModelEvent::BlockEnded));
    assert_eq!(ends.count(), 4);
}

#[test]
fn any_cut_of_a_stream_decodes_to_the_same_events() {
    assert_same_at_every_cut(|| Decoder::new("gpt-x"), &recorded());
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let recorded = recorded();
    let end = recorded
        .find("data: {\"type\":\"response.completed\"")
        .expect("it is there");
    assert_no_beginning_is_whole(|| Decoder::new("gpt-x"), &recorded, end);
}

#[test]
fn whatever_arrives_ends_in_a_reply_or_an_error_and_calls_only_come_with_a_reply() {
    assert_mangled_ends_well(|| Decoder::new("gpt-x"), &recorded());
}
