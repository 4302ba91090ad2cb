//! What a provider said in its own words: beside its message, byte for byte, or not at all.

use std::sync::Arc;

use protocol::{Ending, MessageStatus, Native, limits};
use store::{Change, Error, MessageRow};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{
    add_message, add_native, create_session, message, message_id, native, session_id,
};

fn rows(store: &store::Store) -> Vec<MessageRow> {
    store
        .read(|reader| reader.messages_after(session_id(1), 0))
        .unwrap()
}

fn beginning() -> Vec<Change> {
    let mut cut_off = message(message_id(2), 2, "two");
    cut_off.ending = Ending::Length;
    vec![
        create_session(session_id(1)),
        add_message(session_id(1), message(message_id(1), 1, "one")),
        add_native(session_id(1), cut_off),
    ]
}

#[test]
fn it_is_there_after_the_end_of_the_process() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning())).unwrap();
    let image = place.crash_image();
    for store in [store, image.open()] {
        let rows = rows(&store);
        assert_eq!(
            (rows[0].native.clone(), rows[1].native.clone()),
            (None, Some(native()))
        );
        let endings: Vec<Ending> = rows.iter().map(|row| row.message.ending).collect();
        assert_eq!(endings, [Ending::Complete, Ending::Length]);
        store.close().unwrap();
    }
}

#[test]
fn what_cannot_be_read_costs_nothing_but_itself() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning())).unwrap();
    for value in ["{}", "[]", "7", "{\"dialect\": 1}"] {
        let sql = format!("UPDATE messages SET native = '{value}' WHERE position = 2");
        raw::execute(&place.database(), &sql);
        let rows = rows(&store);
        assert_eq!((rows.len(), rows[1].native.clone()), (2, None), "{value}");
        assert_eq!(rows[1].message.status, MessageStatus::Complete);
        assert_eq!(rows[1].message.text(), "two");
    }
    let connection = raw::connect(&place.database());
    for value in ["native = '{'", "ending = 'tired'"] {
        let sql = format!("UPDATE messages SET {value} WHERE position = 2");
        connection.execute_batch(&sql).expect_err(value);
    }
    store.close().unwrap();
}

#[test]
fn what_is_too_large_is_refused_with_its_message() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning())).unwrap();
    let large = |bytes: usize| Change::AddMessage {
        session_id: session_id(1),
        message: message(message_id(3), 3, "three"),
        native: Some(Arc::new(Native {
            items: "x".repeat(bytes),
            ..native().as_ref().clone()
        })),
    };
    let refused = store.apply(barrier(vec![large(limits::NATIVE_BYTES + 1)]));
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );
    assert_eq!(rows(&store).len(), 2);
    store
        .apply(barrier(vec![large(limits::NATIVE_BYTES)]))
        .unwrap();
    assert_eq!(rows(&store).len(), 3);
    store.close().unwrap();
}
