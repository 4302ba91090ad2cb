//! Bytes in, events out: however the network cuts them.

use std::convert::Infallible;

use bytes::Bytes;
use engine::{ModelError, ModelEvent};
use futures_util::{FutureExt, StreamExt, stream};
use protocol::{BlockKind, Ending, ErrorClass};

use super::decode::Decoder;
use crate::wire;

/// Every kind of line: thoughts, text of all kinds, two calls, line ends of both kinds, an empty line,
/// and the end with its counts.
const RECORDED: &str = concat!(
    "{\"model\":\"m\",\"created_at\":\"2026-11-16T10:00:00.1Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":\"Überlegen 🤔\"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Grüße, 世\"},\"done\":false}\r\n",
    "\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"界 \\ud83d\\ude00\\n\"},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"read_file\",\"arguments\":{\"path\": \"ü\"}}},{\"id\":\"b\",\"function\":{\"index\":1,\"name\":\"list_files\",\"arguments\":{}}}]},\"done\":false}\n",
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done_reason\":\"stop\",\"done\":true,\"total_duration\":5191566416,\"prompt_eval_count\":9,\"eval_count\":4}\n",
);

/// Other ends: an error in the middle, with and without a status, and a limit with and without a call.
const ENDS: [&str; 4] = [
    "{\"message\":{\"content\":\"Grüße 世\"}}\r\n{\"error\":\"die Maschine stürzte ab 🤖\"}\n",
    "{\"error\":\"später\",\"status\":429}",
    "{\"message\":{\"content\":\"Ein langer 世\"}}\n{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"length\",\"eval_count\":2}\n",
    "{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":\"世\"}}}]}}\n{\"done\":true,\"done_reason\":\"length\"}\n",
];

fn decode(pieces: &[&[u8]]) -> Vec<Result<ModelEvent, ModelError>> {
    let pieces: Vec<Result<Bytes, Infallible>> = pieces
        .iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    wire::decoded_for_tests(stream::iter(pieces), Decoder::new("m"))
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
    assert_same_at_every_cut(RECORDED);
    for recorded in ENDS {
        assert_same_at_every_cut(recorded);
    }
}

fn assert_same_at_every_cut(recorded: &str) {
    let bytes = recorded.as_bytes();
    let whole = decode(&[bytes]);
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(decode(&[left, right]), whole, "cut at {cut}");
    }
    for size in 1..40 {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        assert_eq!(decode(&pieces), whole, "pieces of {size}");
    }
}

#[test]
fn every_end_is_what_it_is() {
    let ends = ENDS.map(|recorded| match decode(&[recorded.as_bytes()]).pop() {
        Some(Ok(ModelEvent::Finished { ending, .. })) => Ok(ending),
        Some(Err(error)) => Err(error.class),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        ends,
        [
            Err(ErrorClass::Overloaded),
            Err(ErrorClass::RateLimit),
            Ok(Ending::Length),
            Err(ErrorClass::Limit),
        ]
    );
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let bytes = RECORDED.as_bytes();
    let whole = decode(&[bytes]);
    // Only the last line's end may be missing.
    for end in 0..bytes.len() - 1 {
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
    assert_eq!(decode(&[&bytes[..bytes.len() - 1]]), whole);
}
