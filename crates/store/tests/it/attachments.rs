//! Attachments: once for each content, for as long as a message has them, gone when nobody does.

use store::{AttachmentChange, Change, Content, Due, Error, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{beginning, message, message_id, session_id};
use crate::sample_attachment::{IMAGE, PDF, add, attachment_id, enqueue_with, image, pdf};
use crate::sample_whole::delete_session;

fn apply(store: &Store, changes: Vec<Change>) -> Result<(), Error> {
    store.apply(barrier(changes))
}

fn count(place: &Place, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    raw::number(&place.database(), &sql, [])
}

fn opened() -> (Place, Store) {
    let place = Place::new();
    let store = place.open();
    apply(&store, beginning(1)).unwrap();
    (place, store)
}

/// A message by the person at the end of session 1, with these.
fn said(position: u64, number: u64) -> Change {
    let mut said = message(message_id(900 + position), position, "See this.");
    said.attachments = vec![pdf(number).view];
    Change::AddMessage {
        session_id: session_id(1),
        message: said,
        native: None,
    }
}

fn next_position(store: &Store) -> u64 {
    let (messages, _) = store
        .read(|reader| reader.messages_before(session_id(1), u64::MAX >> 1, 100))
        .unwrap();
    messages.len() as u64 + 1
}

#[test]
fn the_same_content_is_kept_once() {
    let (place, store) = opened();
    apply(&store, vec![add(image(1)), add(image(2)), add(pdf(3))]).unwrap();
    assert_eq!(
        (count(&place, "attachments"), count(&place, "blobs")),
        (3, 2)
    );
    let again = apply(&store, vec![add(image(1))]);
    assert!(matches!(again, Err(Error::Conflict(_))), "{again:?}");
    let row = store.read(|reader| reader.attachment(attachment_id(1)));
    let row = row.unwrap().unwrap();
    assert_eq!((row.view, row.expires_at_ms), (image(1).view, Some(1_000)));
    store
        .read(|reader| {
            assert_eq!(
                reader.attachment_content(attachment_id(1))?,
                Some(Content::Image(IMAGE.to_vec()))
            );
            assert_eq!(
                reader.attachment_content(attachment_id(3))?,
                Some(Content::Text("High water at noon.".to_owned()))
            );
            assert_eq!(reader.attachment_content(attachment_id(404))?, None);
            let piece = |offset, bytes| reader.attachment_piece(attachment_id(3), offset, bytes);
            assert_eq!(piece(2, 8)?.unwrap(), PDF[2..10]);
            assert_eq!(piece(2, 1_000)?.unwrap(), PDF[2..]);
            assert_eq!(piece(1_000, 8)?.unwrap(), b"");
            Ok(())
        })
        .unwrap();
}

// ATT-4
#[test]
fn what_no_message_has_goes_in_time_and_what_one_has_stays() {
    let (place, store) = opened();
    apply(&store, vec![add(image(1)), add(pdf(2))]).unwrap();
    assert_eq!(
        store.read(|reader| reader.next_due(0)).unwrap(),
        Some(1_000)
    );
    apply(&store, vec![said(next_position(&store), 2)]).unwrap();
    let due = |now_ms| store.read(|reader| reader.due(now_ms, 0)).unwrap();
    assert_eq!(due(999), []);
    assert_eq!(due(1_000), [Due::Attachments]);
    let purge = Change::Attachment(AttachmentChange::Purge { at_ms: 1_000 });
    apply(&store, vec![purge]).unwrap();
    assert_eq!(
        (count(&place, "attachments"), count(&place, "blobs")),
        (1, 1)
    );
    assert_eq!(store.read(|reader| reader.next_due(0)).unwrap(), None);
    let remove = Change::Attachment(AttachmentChange::Remove {
        attachment_id: attachment_id(2),
        at_ms: 5,
    });
    let removed = apply(&store, vec![remove]);
    assert!(matches!(removed, Err(Error::Conflict(_))), "{removed:?}");
}

#[test]
fn a_message_with_something_that_is_gone_is_refused_whole() {
    let (place, store) = opened();
    let before = count(&place, "messages");
    let refused = apply(&store, vec![said(next_position(&store), 2)]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert_eq!(count(&place, "messages"), before);
}

#[test]
fn a_message_keeps_its_attachments_from_the_queue_on() {
    let (place, store) = opened();
    let views = vec![image(1).view, pdf(2).view];
    let id = message_id(950);
    let queue = enqueue_with(session_id(1), id, views.clone());
    apply(&store, vec![add(image(1)), add(pdf(2)), queue]).unwrap();
    let waiting = store.read(|reader| reader.queue(session_id(1))).unwrap();
    assert_eq!(waiting[0].attachments, views);
    let position = next_position(&store);
    let mut sent = message(id, position, "What is this?");
    sent.attachments = views.clone();
    let sent = Change::AddMessage {
        session_id: session_id(1),
        message: sent,
        native: None,
    };
    apply(&store, vec![Change::Dequeue { message_id: id }, sent]).unwrap();
    assert_eq!(store.read(|reader| reader.next_due(0)).unwrap(), None);
    store
        .read(|reader| {
            let rows = reader.messages_after(session_id(1), position - 1)?;
            assert_eq!(rows[0].message.attachments, views);
            assert_eq!(
                rows[0].contents,
                [
                    Some(Content::Image(IMAGE.to_vec())),
                    Some(Content::Text("High water at noon.".to_owned())),
                ]
            );
            let (_, one) = reader.message(id)?.unwrap();
            assert_eq!(one.attachments, views);
            Ok(())
        })
        .unwrap();
    assert_eq!(count(&place, "message_attachments"), 2);
}

#[test]
fn what_is_taken_from_the_queue_lets_its_attachments_go() {
    let (place, store) = opened();
    let id = message_id(950);
    let queue = enqueue_with(session_id(1), id, vec![image(1).view]);
    apply(&store, vec![add(image(1)), queue]).unwrap();
    apply(&store, vec![Change::Dequeue { message_id: id }]).unwrap();
    assert_eq!(store.read(|reader| reader.next_due(0)).unwrap(), Some(0));
    let purge = Change::Attachment(AttachmentChange::Purge { at_ms: 1 });
    apply(&store, vec![purge]).unwrap();
    assert_eq!(
        (count(&place, "attachments"), count(&place, "blobs")),
        (0, 0)
    );
}

// STO-14
#[test]
fn what_two_sessions_share_stays_until_both_are_gone() {
    let (place, store) = opened();
    apply(&store, beginning(2)).unwrap();
    let queue = |number| {
        let id = message_id(950 + number);
        enqueue_with(session_id(number), id, vec![image(1).view])
    };
    apply(&store, vec![add(image(1)), queue(1), queue(2)]).unwrap();
    for (number, left) in [(1, 1), (2, 0)] {
        let session_id = session_id(number);
        let purge = Change::PurgeSession { session_id };
        apply(&store, vec![delete_session(session_id, Some(9)), purge]).unwrap();
        assert_eq!(count(&place, "attachments"), left);
        assert_eq!(count(&place, "blobs"), left);
        assert_eq!(count(&place, "message_attachments"), left);
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_written() {
    let (place, store) = opened();
    let mut large = image(1);
    large.body = vec![0; protocol::limits::ATTACHMENT_BYTES + 1].into();
    let refused = apply(&store, vec![add(large)]);
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );
    let mut long = pdf(2);
    long.text = Some(
        "x".repeat(protocol::limits::ATTACHMENT_TEXT_BYTES + 1)
            .into(),
    );
    let refused = apply(&store, vec![add(long)]);
    assert!(
        matches!(refused, Err(Error::TooLarge { .. })),
        "{refused:?}"
    );
    assert_eq!(count(&place, "blobs"), 0);
}
