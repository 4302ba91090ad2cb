//! Bytes in, events out: however the network cuts them.

use std::convert::Infallible;

use bytes::Bytes;
use engine::{ModelError, ModelEvent};
use futures_util::{FutureExt, StreamExt, stream};
use protocol::BlockKind;

use super::decode::Decoder;
use crate::wire;

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

fn decode(pieces: &[&[u8]]) -> Vec<Result<ModelEvent, ModelError>> {
    let pieces: Vec<Result<Bytes, Infallible>> = pieces
        .iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    wire::decoded_for_tests(stream::iter(pieces), Decoder::default())
        .collect()
        .now_or_never()
        .expect("nothing to wait for")
}

#[test]
fn any_cut_of_a_stream_decodes_to_the_same_events() {
    let bytes = RECORDED.as_bytes();
    let whole = decode(&[bytes]);
    assert!(whole.iter().all(Result::is_ok), "{whole:?}");
    let said = |wanted| {
        let mut said = String::new();
        for event in whole.iter().flatten() {
            if let ModelEvent::Text { kind, text, .. } = event
                && *kind == wanted
            {
                said.push_str(text);
            }
        }
        said
    };
    assert_eq!(said(BlockKind::Reasoning), "Überlegen 🤔");
    assert_eq!(said(BlockKind::Text), "Grüße, 世界 😀\n");
    assert_eq!(said(BlockKind::Arguments), "{\"path\": \"ü\"}{}");
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(decode(&[left, right]), whole, "cut at {cut}");
    }
    for size in 1..40 {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        assert_eq!(decode(&pieces), whole, "pieces of {size}");
    }
    // Pieces of ever other sizes, and empty ones among them.
    let mut state = 1_u64;
    for _ in 0..500 {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (piece, after) = rest.split_at(rest.len().min((state >> 33) as usize % 120));
            pieces.push(piece);
            rest = after;
        }
        assert_eq!(decode(&pieces), whole);
    }
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let bytes = RECORDED.as_bytes();
    let whole = decode(&[bytes]);
    let reason = RECORDED.find("\"finish_reason\"").expect("it is there");
    for end in 0..reason {
        let events = decode(&[&bytes[..end]]);
        let (last, before) = events.split_last().expect("at least an error");
        assert!(last.is_err(), "{last:?} at {end}");
        assert_eq!(
            before,
            &whole[..before.len()],
            "what came before is what came"
        );
        let is_call = |event: &Result<_, _>| matches!(event, Ok(ModelEvent::Call { .. }));
        assert!(!before.iter().any(is_call));
    }
}
