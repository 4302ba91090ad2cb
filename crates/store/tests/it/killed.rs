//! What was answered is there after the process was ended.

use std::path::Path;
use std::thread;

use store::Store;

use crate::child::{Running, say};
use crate::fixture::{Dice, Place, barrier, open_when_free, relaxed};
use crate::raw;
use crate::sample::{add_message, create_session, event, message, message_id, renamed, session_id};

const SESSIONS: u64 = 3;

/// In the child: writers that tell of every answer, and go on.
pub(crate) fn write_for_ever(folder: &Path) {
    let store = open_when_free(folder);
    thread::scope(|scope| {
        for session in 1..=SESSIONS {
            let store = &store;
            scope.spawn(move || write_session(store, session));
        }
    });
}

fn write_session(store: &Store, number: u64) {
    let session = session_id(number);
    let state = store.read(|reader| reader.session_state(session)).unwrap();
    if state.is_none() {
        store.apply(barrier(vec![create_session(session)])).unwrap();
    }
    for position in state.map_or(0, |state| state.message_count) + 1.. {
        let id = message_id(number * 1_000_000 + position);
        let text = format!("{number} {position}");
        let changes = vec![
            add_message(session, message(id, position, &text)),
            event(session, renamed(&text)),
        ];
        let transition = if position % 2 == 0 {
            barrier(changes)
        } else {
            relaxed(changes)
        };
        store.apply(transition).unwrap();
        say(&format!("{number} {position}"));
    }
}

/// STO-3: thirty times the process is ended between two instructions, wherever that happens to
/// be. Every row that was answered is there, whole and in order, barrier or not.
#[test]
fn what_was_answered_survives_the_end_of_the_process() {
    let place = Place::new();
    let mut dice = Dice(0x0dd_ba11);
    let mut acknowledged = [0_u64; SESSIONS as usize];
    for round in 0..30 {
        let mut child = Running::start("write_for_ever", place.folder.root());
        let wanted = 1 + dice.roll(80);
        let mut said: Vec<String> = (0..wanted)
            .map(|_| child.heard().expect("the child goes on"))
            .collect();
        said.extend(child.kill());
        for line in said {
            let (session, position) = line.split_once(' ').unwrap();
            let newest = &mut acknowledged[session.parse::<usize>().unwrap() - 1];
            let position: u64 = position.parse().unwrap();
            assert!(position > *newest, "told in order");
            *newest = position;
        }
        let (store, opened) = place.try_open().unwrap();
        assert!(!opened.was_clean && !opened.is_new);
        for (session, newest) in (1..).zip(acknowledged) {
            check_session(&store, session, newest, round);
        }
        // Not closed: the next round begins after a crash as well.
        drop(store);
    }
    raw::connect(&place.database())
        .query_row("PRAGMA integrity_check", [], |row| {
            assert_eq!(row.get::<_, String>(0)?, "ok");
            Ok(())
        })
        .unwrap();
}

fn check_session(store: &Store, number: u64, newest: u64, round: u32) {
    let session = session_id(number);
    let (messages, events) = store
        .read(|reader| {
            let (messages, _) = reader.messages_before(session, 1 << 40, 1_000_000)?;
            Ok((messages, reader.events_after(session, 0, 1_000_000)?))
        })
        .unwrap();
    let count = messages.len() as u64;
    assert!(
        newest <= count,
        "round {round}: {newest} of session {number} were answered, {count} are there"
    );
    assert_eq!(events.len() as u64, count);
    for (position, (message, envelope)) in (1..).zip(messages.iter().zip(&events)) {
        assert_eq!((message.position, envelope.seq), (position, position));
        assert_eq!(message.text(), format!("{number} {position}"));
        assert_eq!(envelope.event, renamed(&message.text()));
    }
}
