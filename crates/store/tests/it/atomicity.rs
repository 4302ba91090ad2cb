//! All of a transition or nothing of it, and never a neighbour's.

use protocol::{RunStatus, StepStatus};
use store::{Change, Error};

use crate::fixture::{Place, barrier, hold_writer, submit};
use crate::raw;
use crate::sample::{
    add_message, append, beginning, create_session, create_step, end_attempt, event, message,
    message_id, move_run, move_step, new_run, piece, renamed, run_id, session_id, start_attempt,
    step_id,
};

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
        create_step(step_id(2), run_id(9)),
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

/// STO-5, STO-6: SQLite itself fails in the middle, at each table and each kind of statement; the
/// caller hears of it, nothing is half-written, and the same call works once the fault is gone.
#[test]
fn a_fault_in_any_statement_leaves_nothing_and_the_same_call_works_later() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(9))).unwrap();
    let mut whole = beginning(1);
    whole.push(move_run(run_id(1), RunStatus::Running, RunStatus::Waiting));
    whole.push(end_attempt(step_id(1), 5, StepStatus::Completed));
    whole.push(move_step(
        step_id(1),
        StepStatus::Running,
        StepStatus::Completed,
    ));
    let faults = [
        ("INSERT", "sessions"),
        ("INSERT", "messages"),
        ("INSERT", "runs"),
        ("INSERT", "steps"),
        ("INSERT", "attempts"),
        ("INSERT", "deltas"),
        ("INSERT", "events"),
        ("UPDATE", "sessions"),
        ("UPDATE", "runs"),
        ("UPDATE", "steps"),
        ("UPDATE", "attempts"),
        ("DELETE", "deltas"),
    ];
    let before = raw::rows(&place.database());
    for (statement, table) in faults {
        for time in ["BEFORE", "AFTER"] {
            raw::execute(
                &place.database(),
                &format!(
                    "CREATE TRIGGER fault {time} {statement} ON {table}
                     BEGIN SELECT RAISE(ABORT, 'fault'); END"
                ),
            );
            let error = store.apply(barrier(whole.clone())).unwrap_err();
            assert!(error.to_string().contains("fault"), "{error}");
            assert_eq!(
                before,
                raw::rows(&place.database()),
                "{time} {statement} {table}"
            );
            raw::execute(&place.database(), "DROP TRIGGER fault");
        }
    }
    store.apply(barrier(whole)).unwrap();
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
