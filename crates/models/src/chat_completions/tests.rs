//! Bytes in, events out: however the network cuts them.

use protocol::BlockKind;

use super::decode::Decoder;
use crate::streams::{self, Heard, assert_no_beginning_is_whole, assert_same_at_every_cut, said};

/// Two servers' ways in one: comments, CRLF and LF, reasoning, text of all kinds, two calls.
const RECORDED: &str = concat!(
    "\u{feff}: OPENROUTER PROCESSING\n\n",
    "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Überlegen 🤔\"}}]}\n\n",
    ":\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße, 世\"}}]}\r\r",
    "data: {\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"界 \\ud83d\\ude00\\n\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read_file\",\"arguments\":\"\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\" \\\"ü\\\"}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":2,\"id\":\"b\",\"function\":{\"name\":\"list_files\",\"arguments\":\"{}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n",
    "data: [DONE]\n\n",
);

fn decode(text: &str) -> Heard {
    streams::decode(Decoder::default(), &[text.as_bytes()])
}

#[test]
fn any_cut_of_a_stream_decodes_to_the_same_events() {
    let whole = decode(RECORDED);
    assert!(whole.iter().all(Result::is_ok), "{whole:?}");
    assert_eq!(said(&whole, BlockKind::Reasoning), "Überlegen 🤔");
    assert_eq!(said(&whole, BlockKind::Text), "Grüße, 世界 😀\n");
    assert_eq!(said(&whole, BlockKind::Arguments), "{\"path\": \"ü\"}{}");
    assert_same_at_every_cut(Decoder::default, RECORDED);
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let reason = RECORDED.find("\"finish_reason\"").expect("it is there");
    assert_no_beginning_is_whole(Decoder::default, RECORDED, reason);
}
