//! A session's state: staged by its calls, merged in their order, promoted whole or not at all.

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value, json};
use store::{Change, Error, StateChange, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{message_id, session_id};
use crate::sample_call::{call_id, with_calls};

fn stage(call: u64, changes: Vec<StateChange>) -> Change {
    Change::StageState {
        call_id: call_id(call),
        changes,
    }
}

fn merge(number: u64) -> Change {
    Change::MergeState {
        session_id: session_id(number),
        message_id: message_id(number * 100),
    }
}

fn set(key: &str, value: Value) -> StateChange {
    StateChange::Set {
        key: key.to_owned(),
        value,
    }
}

fn add(key: &str, by: i64) -> StateChange {
    StateChange::Add {
        key: key.to_owned(),
        by,
    }
}

fn append(key: &str, value: Value) -> StateChange {
    StateChange::Append {
        key: key.to_owned(),
        value,
    }
}

fn remove(key: &str) -> StateChange {
    StateChange::Remove {
        key: key.to_owned(),
    }
}

fn state(store: &Store) -> Value {
    let state = store.read(|reader| reader.state(session_id(1))).unwrap();
    json!(state)
}

/// STO-19: N calls that end at once, in whatever order, each add one and append themselves: the
/// count is N, and the list is in the order of the calls.
#[test]
fn parallel_calls_merge_in_the_order_of_the_calls() {
    const CALLS: u32 = 24;
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, CALLS))).unwrap();
    thread::scope(|scope| {
        for ordinal in (0..u64::from(CALLS)).rev() {
            let store = &store;
            scope.spawn(move || {
                let changes = vec![add("count", 1), append("seen", json!(ordinal))];
                store
                    .apply(barrier(vec![stage(100 + ordinal, changes)]))
                    .unwrap();
            });
        }
    });
    assert_eq!(state(&store), json!({}), "staged is not promoted");
    store.apply(barrier(vec![merge(1)])).unwrap();
    let order: Vec<u32> = (0..CALLS).collect();
    assert_eq!(state(&store), json!({ "count": CALLS, "seen": order }));
    store.apply(barrier(vec![merge(1)])).unwrap();
    assert_eq!(
        state(&store),
        json!({ "count": CALLS, "seen": order }),
        "merged once"
    );
    let left = raw::number(&place.database(), "SELECT count(*) FROM staged_state", []);
    assert_eq!(left, 0);
}

/// STO-19: a call that stages with a transition that fails has staged nothing, and one that staged
/// before cannot stage again.
#[test]
fn a_failed_outcome_promotes_nothing() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    let failing = vec![
        stage(100, vec![add("count", 1)]),
        stage(404, vec![add("count", 1)]),
    ];
    assert!(store.apply(barrier(failing)).is_err());
    store
        .apply(barrier(vec![stage(101, vec![add("count", 10)])]))
        .unwrap();
    let again = store.apply(barrier(vec![stage(101, vec![add("count", 10)])]));
    assert!(matches!(again, Err(Error::Conflict(_))), "{again:?}");
    store.apply(barrier(vec![merge(1)])).unwrap();
    assert_eq!(state(&store), json!({ "count": 10 }));
}

/// STO-19: replacing everything drops what is absent and leaves no row of it.
#[test]
fn replacing_leaves_no_orphan() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 3))).unwrap();
    let values = BTreeMap::from([
        ("b".to_owned(), json!(2)),
        ("c".to_owned(), json!({ "nested": [1] })),
    ]);
    store
        .apply(barrier(vec![
            stage(100, vec![set("a", json!(1)), set("b", json!(1))]),
            merge(1),
        ]))
        .unwrap();
    store
        .apply(barrier(vec![
            stage(101, vec![StateChange::Replace { values }, add("d", 1)]),
            stage(102, vec![remove("d"), remove("never there")]),
            merge(1),
        ]))
        .unwrap();
    assert_eq!(state(&store), json!({ "b": 2, "c": { "nested": [1] } }));
    let rows = raw::number(&place.database(), "SELECT count(*) FROM state", []);
    assert_eq!(rows, 2);
}

/// What is added to is a number or 0, what is appended to a list or an empty one.
#[test]
fn adding_to_something_else_begins_anew() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 1))).unwrap();
    let changes = vec![
        set("text", json!("seven")),
        add("text", 1),
        set("fraction", json!(0.5)),
        add("fraction", 2),
        set("most", json!(i64::MAX)),
        add("most", 1),
        set("object", json!({})),
        append("object", json!(null)),
        append("list", json!([1])),
        append("list", json!("2")),
        add("down", -3),
    ];
    store
        .apply(barrier(vec![stage(100, changes), merge(1)]))
        .unwrap();
    assert_eq!(
        state(&store),
        json!({
            "text": 1,
            "fraction": 2.5,
            "most": i64::MAX,
            "object": [null],
            "list": [[1], "2"],
            "down": -3,
        })
    );
}

/// STO-7: a merge writes the keys it changes and no other: what another hand wrote beside it stays,
/// and so does another session's.
#[test]
fn a_merge_writes_only_its_own_keys() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(with_calls(1, 2))).unwrap();
    store.apply(barrier(with_calls(2, 1))).unwrap();
    store
        .apply(barrier(vec![
            stage(100, vec![set("a", json!(1)), set("b", json!(1))]),
            merge(1),
            stage(200, vec![set("a", json!("of another session"))]),
        ]))
        .unwrap();
    raw::execute(
        &place.database(),
        "CREATE TRIGGER untouched BEFORE UPDATE ON state WHEN old.key = 'b'
         BEGIN SELECT RAISE(ABORT, 'not asked to'); END",
    );
    store
        .apply(barrier(vec![stage(101, vec![add("a", 1)]), merge(1)]))
        .unwrap();
    assert_eq!(state(&store), json!({ "a": 2, "b": 1 }));
    let of_another = Change::MergeState {
        session_id: session_id(1),
        message_id: message_id(200),
    };
    store.apply(barrier(vec![of_another])).unwrap();
    assert_eq!(state(&store), json!({ "a": 2, "b": 1 }));
    let left = raw::number(&place.database(), "SELECT count(*) FROM staged_state", []);
    assert_eq!(left, 1, "what the other session staged is still there");
}
