//! All of a transition or nothing of it, and never a neighbour's.

use protocol::{RunStatus, StepStatus};
use rusqlite::types::Value;
use store::{Change, Error};

use crate::fixture::{Place, barrier, hold_writer, submit};
use crate::raw;
use crate::sample::{
    add_message, append, beginning, create_session, create_step, end_attempt, event, message,
    message_id, move_run, move_step, new_run, piece, renamed, run_id, session_id, start_attempt,
    step_id,
};
use crate::sample_whole::{everything, missing_kinds};

/// One change of every kind that cannot be applied, whatever came before it in a `beginning(1)`.
fn impossible() -> Vec<Change> {
    let (session, missing) = (session_id(1), session_id(404));
    let mut nameless_model = new_run(run_id(2), session_id(9), message_id(9));
    nameless_model.model = String::new();
    let mut of_no_run = message(message_id(8), 1, "whose?");
    of_no_run.run_id = Some(run_id(404));
    vec![
        create_session(session_id(9)),
        Change::RenameSession {
            session_id: missing,
            title: "x".to_owned(),
            at_ms: 1,
        },
        add_message(session, message(message_id(7), 77, "not the next")),
        add_message(session_id(10), of_no_run),
        Change::CreateRun(new_run(run_id(9), session, message_id(9))),
        Change::CreateRun(nameless_model),
        move_run(run_id(404), RunStatus::Running, RunStatus::Stopped),
        move_run(run_id(1), RunStatus::Completed, RunStatus::Running),
        create_step(step_id(2), run_id(404)),
        create_step(step_id(9), run_id(9)),
        move_step(step_id(404), StepStatus::Planned, StepStatus::Running),
        start_attempt(step_id(404), 1),
        append(session, step_id(1), 999, vec![piece(0, 0, "x")]),
        end_attempt(step_id(1), 999, StepStatus::Completed),
        event(missing, renamed("x")),
        event(
            session,
            protocol::Event::Unrecognised {
                kind: "x".to_owned(),
            },
        ),
    ]
}

/// STO-2, STO-6: wherever in a transition the failure is, and whatever fails, nothing of the
/// transition exists.
#[test]
fn a_failure_anywhere_in_a_transition_leaves_nothing_of_it() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    store
        .apply(barrier(vec![create_session(session_id(10))]))
        .unwrap();
    let before = raw::rows(&place.database());
    for (which, fault) in impossible().into_iter().enumerate() {
        for at in 0..=beginning(1).len() {
            let mut changes = beginning(1);
            changes.insert(at, fault.clone());
            let result = store.apply(barrier(changes));
            assert!(result.is_err(), "fault {which} at {at}");
            let after = raw::rows(&place.database());
            assert_eq!(before, after, "fault {which} at {at}: {fault:?}");
        }
    }
    store.apply(barrier(beginning(1))).unwrap();
}

/// Lets every row that is written, changed or deleted count down, whatever the table and also where
/// a foreign key does it; at zero the statement fails.
fn arm_every_table(place: &Place) {
    let connection = raw::connect(&place.database());
    let tables = raw::tables(&connection);
    connection
        .execute_batch(
            "CREATE TABLE countdown (left INTEGER NOT NULL); INSERT INTO countdown VALUES (0)",
        )
        .unwrap();
    for table in tables.iter().filter(|table| *table != "runtime") {
        for statement in ["INSERT", "UPDATE", "DELETE"] {
            connection
                .execute_batch(&format!(
                    "CREATE TRIGGER fault_{table}_{statement} AFTER {statement} ON {table}
                     BEGIN
                         UPDATE countdown SET left = left - 1;
                         SELECT RAISE(ABORT, 'fault') FROM countdown WHERE left = 0;
                     END"
                ))
                .unwrap();
        }
    }
}

fn rows_but_the_countdown(place: &Place) -> std::collections::BTreeMap<String, Vec<Vec<Value>>> {
    let mut rows = raw::rows(&place.database());
    rows.remove("countdown");
    rows
}

/// STO-5, STO-6: SQLite itself fails after each row of each statement of every change there is; the
/// caller hears of it, nothing is half-written, and the same call works once the fault is gone.
#[test]
fn a_fault_after_any_statement_leaves_nothing_and_the_same_call_works_later() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    arm_every_table(&place);
    let (before, whole) = (rows_but_the_countdown(&place), everything(1));
    assert_eq!(missing_kinds(&whole), Vec::<usize>::new());
    let mut faults = 0;
    loop {
        faults += 1;
        raw::execute(
            &place.database(),
            &format!("UPDATE countdown SET left = {faults}"),
        );
        let Err(error) = store.apply(barrier(whole.clone())) else {
            break;
        };
        assert!(error.to_string().contains("fault"), "{faults}: {error}");
        assert_eq!(before, rows_but_the_countdown(&place), "fault {faults}");
    }
    assert!(faults > whole.len(), "{faults} faults");
    assert_ne!(before, rows_but_the_countdown(&place));
}

/// STO-4, STO-6: transitions that share a commit share nothing else.
#[test]
fn a_refused_transition_does_not_touch_those_that_share_its_commit() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    store
        .apply(barrier(vec![create_session(session_id(10))]))
        .unwrap();
    for (which, fault) in (100..).step_by(2).zip(impossible()) {
        let held = hold_writer(&store);
        let first = submit(&store, barrier(vec![create_session(session_id(which))]));
        let refused = submit(&store, barrier(vec![create_session(session_id(1)), fault]));
        let last = submit(&store, barrier(vec![create_session(session_id(which + 1))]));
        drop(held);
        assert!(matches!(first.recv().unwrap(), Ok(())), "{which}");
        assert!(refused.recv().unwrap().is_err(), "{which}");
        assert!(matches!(last.recv().unwrap(), Ok(())), "{which}");
        let count = |id| {
            let found = store
                .read(|reader| reader.session_row(session_id(id)))
                .unwrap();
            usize::from(found.is_some())
        };
        assert_eq!((count(which), count(1), count(which + 1)), (1, 0, 1));
    }
}

/// A message may name a run that a later change of the same transition creates, and no other.
#[test]
fn a_message_of_a_run_that_does_not_exist_is_a_conflict() {
    let place = Place::new();
    let store = place.open();
    let mut changes = beginning(1);
    changes.truncate(2);
    let error = store.apply(barrier(changes)).unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error:?}");
    store.apply(barrier(beginning(1))).unwrap();
}
