//! A session with ten thousand calls is read as a small one is.
#![expect(
    clippy::disallowed_methods,
    reason = "a test that something is quick must look at the time"
)]

use std::time::{Duration, Instant};

use protocol::CallStatus;

use crate::fixture::{Place, barrier, relaxed};
use crate::sample::{add_message, message, message_id, run_id, session_id};
use crate::sample_call::{add_call, call, call_id, with_calls};
use crate::sample_whole::{at, checkpoint};

const MESSAGES: u64 = 500;
const EACH: u32 = 20;

/// Ten thousand calls that are over, each with some kilobytes of result, in one run.
fn fill(store: &store::Store) {
    store.apply(barrier(with_calls(1, 0))).unwrap();
    for number in 0..MESSAGES {
        let id = message_id(1_000 + number);
        let mut asked = message(id, 3 + number, "again");
        asked.run_id = Some(run_id(1));
        let mut changes = vec![add_message(session_id(1), asked)];
        for ordinal in 0..EACH {
            let mut row = at(call(1, ordinal), 0, CallStatus::Completed);
            row.view.call_id = call_id(100_000 + number * 100 + u64::from(ordinal));
            row.view.message_id = id;
            row.view.created_at_ms = 100 + number;
            row.view.ended_at_ms = Some(100 + number);
            row.provider_id = format!("toolu_{number}_{ordinal}");
            if let Some(result) = &mut row.view.result {
                result.text = "tide ".repeat(400);
            }
            changes.push(add_call(row));
        }
        changes.push(store::Change::AddCheckpoint {
            call_id: call_id(100_000 + number * 100),
            checkpoint: checkpoint("notes.md", Some(&number.to_le_bytes())),
        });
        store.apply(relaxed(changes)).unwrap();
    }
}

/// What a window or a decision needs does not grow with the session; what a model is asked with is
/// all of it. The times are generous: they are for an unoptimised build on a machine that does much
/// else, and are there for a query that reads everything again for each call.
#[test]
fn ten_thousand_calls_are_read_quickly() {
    let place = Place::new();
    let store = place.open();
    fill(&store);
    let timed = |what: &str, most: Duration, read: &dyn Fn(&store::Reader<'_>) -> usize, count| {
        let started = Instant::now();
        let found = store.read(|reader| Ok(read(reader))).unwrap();
        let took = started.elapsed();
        assert_eq!(found, count, "{what}");
        assert!(took < most, "{what} took {took:?}");
    };
    let (little, much) = (Duration::from_secs(1), Duration::from_secs(20));
    let session = session_id(1);
    timed(
        "the state",
        little,
        &|reader| {
            let state = reader.session_state(session).unwrap().unwrap();
            state.run.unwrap().calls.len()
        },
        EACH as usize,
    );
    timed(
        "the list",
        little,
        &|reader| reader.session_rows(10, false).unwrap().len(),
        1,
    );
    timed(
        "attention",
        little,
        &|reader| {
            let facts = reader.attention_facts(run_id(1)).unwrap();
            facts.last_done.into_iter().count()
        },
        1,
    );
    timed(
        "the newest page",
        little,
        &|reader| {
            let (messages, _) = reader.messages_before(session, 1 << 40, 10).unwrap();
            let ids: Vec<_> = messages.iter().map(|one| one.message_id).collect();
            reader.calls_of(session, &ids).unwrap().len()
        },
        10 * EACH as usize,
    );
    timed(
        "open calls",
        little,
        &|reader| reader.open_calls(None).unwrap().len(),
        0,
    );
    let all = (MESSAGES * u64::from(EACH)) as usize;
    timed(
        "the whole path",
        much,
        &|reader| reader.call_rows_of_path(session).unwrap().len(),
        all,
    );
    timed(
        "an id of the provider",
        little,
        &|reader| {
            let asked = ["toolu_1_0".to_owned(), "toolu_none".to_owned()];
            reader.provider_ids(session, &asked).unwrap().len()
        },
        1,
    );
    timed(
        "what to undo",
        much,
        &|reader| reader.checkpoints_of_run(run_id(1)).unwrap().len(),
        MESSAGES as usize,
    );
    timed(
        "violations",
        much,
        &|reader| reader.violations(&[session]).unwrap().len(),
        0,
    );
}
