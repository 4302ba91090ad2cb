//! Bytes in, events out: however the network cuts them.

use engine::ModelEvent;
use protocol::{BlockKind, Ending, Usage};

use super::decode::Decoder;
use crate::streams::{
    self, Heard, assert_mangled_ends_well, assert_no_beginning_is_whole, assert_same_at_every_cut,
    said,
};

/// Every kind of event, block and delta that is documented, and some that are not.
const RECORDED: &str = concat!(
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"claude-x\",\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":12,\"cache_creation_input_tokens\":100,\"cache_read_input_tokens\":2000,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    ": a comment\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Überlegen \"}}\n\n",
    "event: content_block_delta\r\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"🤔\"}}\r\n\r\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQBCg/+==\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"RW5jcnlwdGVk\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"\",\"citations\":null}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße, 世\"}}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"type\":\"page_location\",\"cited_text\":\"c\",\"document_index\":0}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\r\ndata: \"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"界 \\ud83d\\ude00\\n\"}}\r\n\r\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"sparkle_delta\",\"sparkle\":7}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\": \\\"q\\\"}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":3}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"a\": 1.0}]}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":4}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":5,\"content_block\":{\"type\":\"hologram\",\"text\":\"not for us\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":5,\"delta\":{\"type\":\"text_delta\",\"text\":\"not for us\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":5}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":6,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"read_file\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":6,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":6,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{ \\\"path\\\" :\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":6,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\" \\\"ü\\\",\\\"n\\\":1.0}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":6}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":7,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"list_files\",\"input\":{}}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":7}\n\n",
    "event: telemetry\ndata: {\"type\":\"telemetry\",\"index\":\"odd\"}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"stop_details\":null,\"container\":null},\"usage\":{\"output_tokens\":89}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

/// What goes back, byte for byte.
const ITEMS: &str = concat!(
    r#"[{"signature":"EqQBCg/+==","thinking":"Überlegen 🤔","type":"thinking"},"#,
    r#"{"data":"RW5jcnlwdGVk","type":"redacted_thinking"},"#,
    r#"{"citations":[{"cited_text":"c","document_index":0,"type":"page_location"}],"text":"Grüße, 世界 😀\n","type":"text"},"#,
    r#"{"id":"srvtoolu_1","input":{"query": "q"},"name":"web_search","type":"server_tool_use"},"#,
    r#"{"content":[{"a": 1.0}],"tool_use_id":"srvtoolu_1","type":"web_search_tool_result"},"#,
    r#"{"id":"toolu_1","input":{ "path" : "ü","n":1.0},"name":"read_file","type":"tool_use"},"#,
    r#"{"id":"toolu_2","input":{},"name":"list_files","type":"tool_use"}]"#,
);

fn decode(text: &str) -> Heard {
    streams::decode(Decoder::new("claude-x"), &[text.as_bytes()])
}

#[test]
fn a_recorded_reply_is_what_it_says() {
    let whole = decode(RECORDED);
    assert!(whole.iter().all(Result::is_ok), "{whole:?}");
    assert_eq!(said(&whole, BlockKind::Reasoning), "Überlegen 🤔");
    assert_eq!(said(&whole, BlockKind::Text), "Grüße, 世界 😀\n");
    let arguments = "{ \"path\" : \"ü\",\"n\":1.0}";
    assert_eq!(said(&whole, BlockKind::Arguments), arguments);
    let call = |id: &str, tool: &str, arguments: &str| ModelEvent::Call {
        id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    };
    let [.., first, second, last] = &whole[..] else {
        panic!("{whole:?}");
    };
    assert_eq!(first, &Ok(call("toolu_1", "read_file", arguments)));
    assert_eq!(second, &Ok(call("toolu_2", "list_files", "{}")));
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
        cache_write_tokens: Some(100),
        cost_microusd: None,
    };
    assert_eq!((*usage, *ending), (counted, Ending::Complete));
    assert_eq!(
        (native.dialect.as_str(), native.model.as_str()),
        ("anthropic", "claude-x")
    );
    assert_eq!(native.items, ITEMS);
}

#[test]
fn any_cut_of_a_stream_decodes_to_the_same_events() {
    assert_same_at_every_cut(|| Decoder::new("claude-x"), RECORDED);
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let end = RECORDED
        .find("{\"type\":\"message_stop\"}")
        .expect("it is there");
    assert_no_beginning_is_whole(|| Decoder::new("claude-x"), RECORDED, end);
}

#[test]
fn whatever_arrives_ends_in_a_reply_or_an_error_and_calls_only_come_with_a_reply() {
    assert_mangled_ends_well(|| Decoder::new("claude-x"), RECORDED);
}
