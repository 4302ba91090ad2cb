//! Bytes in, events out: however the network cuts them.

use engine::ModelEvent;
use protocol::{BlockKind, Ending, ErrorClass};

use super::decode::Decoder;
use super::*;
use crate::streams::{self, Heard, assert_no_beginning_is_whole, assert_same_at_every_cut, said};

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

fn decode(text: &str) -> Heard {
    streams::decode(Decoder::new("m"), &[text.as_bytes()])
}

#[test]
fn any_cut_of_a_stream_decodes_to_the_same_events() {
    let whole = decode(RECORDED);
    assert!(whole.iter().all(Result::is_ok), "{whole:?}");
    assert_eq!(said(&whole, BlockKind::Reasoning), "Überlegen 🤔");
    assert_eq!(said(&whole, BlockKind::Text), "Grüße, 世界 😀\n");
    assert_eq!(said(&whole, BlockKind::Arguments), "{\"path\": \"ü\"}{}");
    assert_same_at_every_cut(|| Decoder::new("m"), RECORDED);
    for recorded in ENDS {
        assert_same_at_every_cut(|| Decoder::new("m"), recorded);
    }
}

#[test]
fn every_end_is_what_it_is() {
    let ends = ENDS.map(|recorded| match decode(recorded).pop() {
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
    // An event is there with its empty line.
    assert_no_beginning_is_whole(|| Decoder::new("m"), RECORDED, RECORDED.len() - 1);
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
