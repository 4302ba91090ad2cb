//! What is being streamed: appended at its end, read from where the reader is, gone with its end.

use protocol::{BlockKind, LiveBlock, StepStatus};
use store::{LiveCursor, Piece, Store};

use crate::fixture::{Place, barrier, relaxed};
use crate::raw;
use crate::sample::{append, beginning, end_attempt, piece, session_id, step_id};

fn stream(store: &Store, before: u64, pieces: Vec<Piece>) {
    let change = append(session_id(1), step_id(1), before, pieces);
    store.apply(relaxed(vec![change])).unwrap();
}

fn follow(store: &Store, cursor: &mut LiveCursor) -> Vec<(u32, u64, String)> {
    let deltas = store
        .read(|reader| reader.deltas_after(session_id(1), cursor))
        .unwrap();
    deltas
        .into_iter()
        .map(|delta| (delta.block, delta.offset, delta.text))
        .collect()
}

/// Pieces of a block follow each other without gap, wherever the reader was.
#[test]
fn a_reader_gets_what_was_streamed_since_and_nothing_twice() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let mut cursor = LiveCursor::default();
    assert_eq!(follow(&store, &mut cursor), [(0, 0, "hello".to_owned())]);
    assert_eq!(follow(&store, &mut cursor), []);
    stream(
        &store,
        5,
        vec![piece(0, 5, ", wörld"), piece(1, 0, "second")],
    );
    assert_eq!(
        follow(&store, &mut cursor),
        [(0, 5, ", wörld".to_owned()), (1, 0, "second".to_owned())]
    );
    stream(&store, 19, vec![piece(1, 6, " block")]);
    assert_eq!(follow(&store, &mut cursor), [(1, 6, " block".to_owned())]);
    assert_eq!(
        follow(&store, &mut LiveCursor::default()),
        [
            (0, 0, "hello, wörld".to_owned()),
            (1, 0, "second block".to_owned())
        ]
    );
}

/// Blocks need not begin in the order of their numbers.
#[test]
fn a_block_that_begins_late_is_not_missed() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let mut cursor = LiveCursor::default();
    stream(&store, 5, vec![piece(4, 0, "four")]);
    assert_eq!(follow(&store, &mut cursor).len(), 2);
    stream(
        &store,
        9,
        vec![piece(2, 0, "two"), piece(u32::MAX, 0, "last")],
    );
    assert_eq!(
        follow(&store, &mut cursor),
        [(2, 0, "two".to_owned()), (u32::MAX, 0, "last".to_owned())]
    );
    stream(
        &store,
        16,
        vec![
            piece(2, 3, "!"),
            piece(3, 0, "three"),
            piece(u32::MAX, 4, "!"),
        ],
    );
    assert_eq!(
        follow(&store, &mut cursor),
        [
            (2, 3, "!".to_owned()),
            (3, 0, "three".to_owned()),
            (u32::MAX, 4, "!".to_owned())
        ]
    );
}

/// The whole of it, for a first look.
#[test]
fn the_live_step_holds_all_blocks() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let mut thought = piece(1, 0, "hm");
    thought.kind = BlockKind::Reasoning;
    stream(&store, 5, vec![thought, piece(0, 5, "!")]);
    let live = store
        .read(|reader| reader.live_step(session_id(1)))
        .unwrap()
        .unwrap();
    assert_eq!((live.step_id, live.attempt), (step_id(1), 1));
    let block = |block, kind, text: &str| LiveBlock {
        block,
        kind,
        text: text.to_owned(),
    };
    assert_eq!(
        live.blocks,
        [
            block(0, BlockKind::Text, "hello!"),
            block(1, BlockKind::Reasoning, "hm")
        ]
    );
    let state = store
        .read(|reader| reader.session_state(session_id(1)))
        .unwrap()
        .unwrap();
    let step = state.run.unwrap().step.unwrap();
    assert_eq!((step.streamed_bytes, step.blocks.len()), (8, 2));
}

/// The outcome holds the text; the deltas go with the end of the attempt.
#[test]
fn ending_an_attempt_deletes_its_deltas() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store.apply(barrier(beginning(2))).unwrap();
    store
        .apply(barrier(vec![end_attempt(
            step_id(1),
            5,
            StepStatus::Interrupted,
        )]))
        .unwrap();
    assert_eq!(
        store
            .read(|reader| reader.live_step(session_id(1)))
            .unwrap(),
        None
    );
    assert_eq!(follow(&store, &mut LiveCursor::default()), []);
    let left = raw::number(&place.database(), "SELECT count(*) FROM deltas", []);
    assert_eq!(left, 2, "those of the other session");
}
