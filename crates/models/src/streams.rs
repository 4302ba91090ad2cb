//! What every dialect's decoder must hold, whatever the network does to a stream.

use std::convert::Infallible;

use bytes::Bytes;
use engine::{ModelError, ModelEvent};
use futures_util::{FutureExt, StreamExt, stream};
use protocol::BlockKind;

use crate::mangling::{Dice, mangled};
use crate::wire::{self, Decode};

/// What is heard of a stream.
pub(crate) type Heard = Vec<Result<ModelEvent, ModelError>>;

/// Decodes a stream that arrives in these pieces.
pub(crate) fn decode<D: Decode>(decoder: D, pieces: &[&[u8]]) -> Heard {
    let pieces: Vec<Result<Bytes, Infallible>> = pieces
        .iter()
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    wire::decoded_for_tests(stream::iter(pieces), decoder)
        .collect()
        .now_or_never()
        .expect("nothing to wait for")
}

/// The text of one kind, of all blocks.
pub(crate) fn said(heard: &Heard, wanted: BlockKind) -> String {
    let text = |event: &ModelEvent| {
        let ModelEvent::Text { kind, text, .. } = event else {
            return None;
        };
        (*kind == wanted).then(|| text.clone())
    };
    heard.iter().flatten().filter_map(text).collect()
}

/// However it is cut, it says the same.
pub(crate) fn assert_same_at_every_cut<D: Decode>(decoder: impl Fn() -> D, recorded: &str) {
    let bytes = recorded.as_bytes();
    let decode = |pieces: &[&[u8]]| decode(decoder(), pieces);
    let whole = decode(&[bytes]);
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(decode(&[left, right]), whole, "cut at {cut}");
    }
    for size in 1..40 {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        assert_eq!(decode(&pieces), whole, "pieces of {size}");
    }
    // Pieces of ever other sizes, and empty ones among them.
    let mut dice = Dice::new(1);
    for _ in 0..500 {
        let (mut pieces, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(dice.roll(120)));
            pieces.push(piece);
            rest = after;
        }
        assert_eq!(decode(&pieces), whole);
    }
}

/// No beginning that ends before this byte is a whole reply, and what it says is the beginning of that.
pub(crate) fn assert_no_beginning_is_whole<D: Decode>(
    decoder: impl Fn() -> D,
    recorded: &str,
    until: usize,
) {
    let bytes = recorded.as_bytes();
    let whole = decode(decoder(), &[bytes]);
    for end in 0..until {
        let events = decode(decoder(), &[&bytes[..end]]);
        let (last, before) = events.split_last().expect("at least an error");
        assert!(last.is_err(), "{last:?} at {end}");
        assert_eq!(
            before,
            &whole[..before.len()],
            "what came before is what came"
        );
        assert!(!before.iter().any(is_call));
    }
}

/// Whatever arrives ends in a reply or an error, and calls come with a reply alone.
pub(crate) fn assert_mangled_ends_well<D: Decode>(decoder: impl Fn() -> D, good: &str) {
    let mut ends = [0, 0];
    for seed in 0..3_000 {
        let events = decode(decoder(), &[&mangled(good, seed)]);
        let (last, before) = events.split_last().expect("at least an error");
        assert!(before.iter().all(Result::is_ok), "{seed}: {events:?}");
        let is_whole = matches!(last, Ok(ModelEvent::Finished { .. }));
        assert!(is_whole || last.is_err(), "{seed}: {last:?}");
        assert!(
            is_whole || !before.iter().any(is_call),
            "{seed}: {events:?}"
        );
        ends[usize::from(is_whole)] += 1;
    }
    assert!(
        ends.iter().all(|count| *count > 300),
        "both are tried: {ends:?}"
    );
}

fn is_call(event: &Result<ModelEvent, ModelError>) -> bool {
    matches!(event, Ok(ModelEvent::Call { .. }))
}
