//! Bytes in, events out: however the network cuts them.

use engine::ModelEvent;
use protocol::{BlockKind, Ending, ErrorClass};

use super::decode::Decoder;
use crate::streams::{self, Heard, assert_no_beginning_is_whole, assert_same_at_every_cut, said};

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
            Err(ErrorClass::Overloaded),
            Err(ErrorClass::RateLimit),
            Ok(Ending::Length),
            Err(ErrorClass::Limit),
        ]
    );
}

#[test]
fn no_beginning_of_a_stream_is_a_whole_reply() {
    // Only the last line's end may be missing.
    assert_no_beginning_is_whole(|| Decoder::new("m"), RECORDED, RECORDED.len() - 1);
    let unended = &RECORDED[..RECORDED.len() - 1];
    assert_eq!(decode(unended), decode(RECORDED));
}
