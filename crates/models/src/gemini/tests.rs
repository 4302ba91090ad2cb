//! Bytes in, events out: however the network cuts them.

use std::convert::Infallible;

use bytes::Bytes;
use engine::{ModelError, ModelEvent};
use futures_util::{FutureExt, StreamExt, stream};
use protocol::{BlockKind, Ending, ErrorClass};

use super::decode::Decoder;
use super::*;

/// Every kind of part: a thought, text of all kinds, a signed part without text, two calls of which
/// the first is signed, parts that nobody knows, and the end with its counts.
const RECORDED: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Überlegen 🤔\",\"thought\":true}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":9,\"totalTokenCount\":9},\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Grüße, 世\"}],\"role\":\"model\"},\"index\":0}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"界 \\ud83d\\ude00\\n\"},{\"text\":\"\",\"thoughtSignature\":\"c2lnMQ==\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"read_file\",\"args\":{\"path\": \"ü\"}},\"thoughtSignature\":\"c2lnMg==\"},{\"functionCall\":{\"id\":\"b\",\"name\":\"list_files\",\"args\":{}}}],\"role\":\"model\"}}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"executableCode\":{\"code\":\"1\"}}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0,\"safetyRatings\":[]}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":3,\"cachedContentTokenCount\":2,\"totalTokenCount\":16}}\n\n",
);

/// Other ends: a question that is blocked, a reply that is, a limit, an error in the middle.
const ENDS: [&str; 4] = [
    "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{\"promptTokenCount\":3}}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Grüße 世\"}]}}]}\n\ndata: {\"candidates\":[{\"finishReason\":\"RECITATION\"}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Ein langer 世\"}]},\"finishReason\":\"MAX_TOKENS\"}]}\n\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"世\"}]}}]}\n\ndata: {\"error\":{\"code\":503,\"message\":\"überlastet\",\"status\":\"UNAVAILABLE\"}}\n\n",
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
            Err(ErrorClass::ContentRefused),
            Err(ErrorClass::ContentRefused),
            Ok(Ending::Length),
            Err(ErrorClass::Overloaded),
        ]
    );
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    let bytes = RECORDED.as_bytes();
    let whole = decode(&[bytes]);
    // An event is there with its empty line.
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
}

#[test]
fn a_models_name_becomes_a_part_of_the_path() {
    for (model, expected) in [
        (
            "gemini-3-flash",
            "models/gemini-3-flash:streamGenerateContent?alt=sse",
        ),
        (
            " models/gemini-3-flash ",
            "models/gemini-3-flash:streamGenerateContent?alt=sse",
        ),
        (
            "tunedModels/a_b",
            "tunedModels/a_b:streamGenerateContent?alt=sse",
        ),
        (
            "a?b#c%d é",
            "models/a%3Fb%23c%25d%20%C3%A9:streamGenerateContent?alt=sse",
        ),
    ] {
        assert_eq!(path(model), expected);
    }
}
