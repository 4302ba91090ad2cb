//! Queued, serialised, compared, counted.

use std::thread;

use protocol::{RunStatus, StepStatus};
use store::{Change, Error};

use crate::fixture::{Dice, Place, barrier, relaxed, submit};
use crate::raw;
use crate::sample::{
    WORKSPACE, add_message, append, beginning, create_session, end_attempt, event, message,
    message_id, move_run, move_step, new_run, piece, renamed, run_id, session_id, start_attempt,
    step_id,
};
use crate::sample_whole::{delete_session, start_branch};

/// STO-1: the row is there once; who came second is told so, and can read it.
#[test]
fn a_session_created_by_many_at_once_is_one_row() {
    let place = Place::new();
    let store = place.open();
    let results: Vec<Result<(), Error>> = thread::scope(|scope| {
        let callers: Vec<_> = (0..32)
            .map(|_| scope.spawn(|| store.apply(barrier(vec![create_session(session_id(1))]))))
            .collect();
        callers
            .into_iter()
            .map(|caller| caller.join().unwrap())
            .collect()
    });
    let created = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(created, 1);
    for result in results.into_iter().filter(Result::is_err) {
        assert!(matches!(result, Err(Error::Conflict(_))), "{result:?}");
    }
    let rows = store.read(|reader| reader.session_rows(10, false)).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].session_id, session_id(1));
}

/// STO-4: what was decided on an older state is refused, and writes nothing.
#[test]
fn a_stale_expectation_is_a_conflict_and_writes_nothing() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let (session, run, step) = (session_id(1), run_id(1), step_id(1));
    let before = raw::rows(&place.database());
    let stale = [
        create_session(session),
        add_message(session, message(message_id(2), 1, "position taken")),
        add_message(
            session,
            message(message_id(2), 3, "position beyond the next"),
        ),
        add_message(session, message(message_id(1), 2, "message written before")),
        Change::CreateRun(new_run(run_id(2), session, message_id(1))),
        move_run(run, RunStatus::Queued, RunStatus::Running),
        move_step(step, StepStatus::Planned, StepStatus::Running),
        start_attempt(step, 1),
        append(session, step, 0, vec![piece(0, 5, "older")]),
        append(session, step, 6, vec![piece(0, 6, "newer")]),
        append(session, step, 5, vec![piece(0, 3, "place taken")]),
        end_attempt(step, 3, StepStatus::Completed),
    ];
    for change in stale {
        let error = store.apply(barrier(vec![change.clone()])).unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{change:?}: {error:?}");
        assert_eq!(before, raw::rows(&place.database()), "{change:?}");
    }
    let illegal = [
        move_run(run, RunStatus::Running, RunStatus::Queued),
        move_step(step, StepStatus::Completed, StepStatus::Running),
        end_attempt(step, 5, StepStatus::Planned),
    ];
    for change in illegal {
        let error = store.apply(barrier(vec![change.clone()])).unwrap_err();
        assert!(
            matches!(error, Error::IllegalMove(_)),
            "{change:?}: {error:?}"
        );
        assert_eq!(before, raw::rows(&place.database()), "{change:?}");
    }
}

/// STO-4: an attempt that ended takes no more text, and ends once.
#[test]
fn an_ended_attempt_is_never_rewritten() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let end = end_attempt(step_id(1), 5, StepStatus::Interrupted);
    store.apply(barrier(vec![end.clone()])).unwrap();
    let before = raw::rows(&place.database());
    let late = append(session_id(1), step_id(1), 5, vec![piece(0, 5, "late")]);
    for change in [late, end, end_attempt(step_id(1), 5, StepStatus::Completed)] {
        let error = store.apply(barrier(vec![change])).unwrap_err();
        assert!(matches!(error, Error::Conflict(_)), "{error:?}");
    }
    assert_eq!(before, raw::rows(&place.database()));
}

/// STO-4: one session has one live run, one request key one run.
#[test]
fn a_second_live_run_and_a_used_request_key_are_conflicts() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    store.apply(barrier(beginning(2))).unwrap();
    let stop = |number| move_run(run_id(number), RunStatus::Running, RunStatus::Stopped);
    store.apply(barrier(vec![stop(1), stop(2)])).unwrap();
    let keyed = |number, session| {
        let mut run = new_run(run_id(number), session_id(session), message_id(session));
        run.request_key = Some("key".to_owned());
        barrier(vec![Change::CreateRun(run)])
    };
    store.apply(keyed(11, 1)).unwrap();
    let error = store.apply(keyed(12, 2)).unwrap_err();
    assert!(matches!(error, Error::Conflict(_)), "{error:?}");
    let found = store
        .read(|reader| reader.run_of_request_key("key"))
        .unwrap();
    assert_eq!(found.unwrap().run_id, run_id(11));
}

/// STO-4, STO-12: many writers that read, decide, and are refused when somebody was faster; many
/// readers beside them. Everyone gets there, nobody is told that the database is busy, and no
/// write is lost or out of order.
#[test]
fn concurrent_writers_are_serialised_while_others_read() {
    const WRITERS: u64 = 8;
    const EACH: u64 = 25;
    let place = Place::new();
    let store = place.open();
    let session = session_id(1);
    store.apply(barrier(vec![create_session(session)])).unwrap();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                for number in 0..EACH {
                    let id = message_id(writer * 1_000 + number);
                    let text = format!("{writer} {number}");
                    loop {
                        let state = store.read(|reader| reader.session_state(session)).unwrap();
                        let next = state.unwrap().message_count + 1;
                        let changes = vec![
                            add_message(session, message(id, next, &text)),
                            event(session, renamed(&text)),
                        ];
                        let transition = if number % 2 == 0 {
                            barrier(changes)
                        } else {
                            relaxed(changes)
                        };
                        match store.apply(transition) {
                            Ok(()) => break,
                            Err(Error::Conflict(_)) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
        for _ in 0..4 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < WRITERS * EACH {
                    let (count, messages, seq, events) = store
                        .read(|reader| {
                            let count = reader.session_state(session)?.unwrap().message_count;
                            let (messages, _) = reader.messages_before(session, 1 << 40, 1_000)?;
                            let seq = reader.head_seq(session)?.unwrap();
                            Ok((
                                count,
                                messages,
                                seq,
                                reader.events_after(session, 0, 1_000)?,
                            ))
                        })
                        .unwrap();
                    assert!(count >= seen, "a later read never sees an older state");
                    assert_eq!(messages.len() as u64, count);
                    assert_eq!((events.len() as u64, seq), (count, count));
                    seen = count;
                }
            });
        }
    });
    let (messages, _) = store
        .read(|reader| reader.messages_before(session, 1 << 40, 1_000))
        .unwrap();
    let positions: Vec<u64> = messages.iter().map(|message| message.position).collect();
    assert_eq!(positions, (1..=WRITERS * EACH).collect::<Vec<_>>());
    for writer in 0..WRITERS {
        let of_writer = format!("{writer} ");
        let texts: Vec<String> = messages
            .iter()
            .map(protocol::Message::text)
            .filter(|text| text.starts_with(&of_writer))
            .collect();
        let expected: Vec<String> = (0..EACH)
            .map(|number| format!("{writer} {number}"))
            .collect();
        assert_eq!(texts, expected);
    }
}

/// Transitions are answered in the order in which they were submitted.
#[test]
fn answers_come_in_the_order_of_the_submits() {
    let place = Place::new();
    let store = place.open();
    let (sender, receiver) = std::sync::mpsc::channel();
    for number in 0..500_u64 {
        let sender = sender.clone();
        let changes = vec![create_session(session_id(number))];
        let transition = if number % 3 == 0 {
            barrier(changes)
        } else {
            relaxed(changes)
        };
        store.submit(transition, move |result| {
            sender.send((number, result.is_ok())).unwrap()
        });
    }
    drop(sender);
    let answers: Vec<(u64, bool)> = receiver.iter().collect();
    let expected: Vec<(u64, bool)> = (0..500).map(|number| (number, true)).collect();
    assert_eq!(answers, expected);
}

/// STO-15: after any sequence of accepted and refused appends, branches, selections and deletions
/// the kept counts are the real ones, and `seq` and `position` are dense.
#[test]
fn kept_counts_equal_real_counts_after_any_sequence() {
    let place = Place::new();
    let store = place.open();
    let mut dice = Dice(0x5eed);
    let mut answers = Vec::new();
    for number in 1..=6_000 {
        let session = session_id(1 + dice.roll(4));
        let position = 1 + dice.roll(8);
        let add = add_message(session, message(message_id(number), position, "text"));
        let fact = event(session, renamed("title"));
        let branch = u32::try_from(dice.roll(4)).unwrap();
        let start = start_branch(session, branch + 1, branch, position);
        let mut anew = message(message_id(number), position, "anew");
        anew.branch = branch;
        let changes = match dice.roll(12) {
            0 => vec![create_session(session)],
            1 => vec![fact],
            2 => vec![fact, add],
            3 => vec![start],
            4 => vec![Change::SelectBranch {
                session_id: session,
                from: branch,
                to: u32::try_from(dice.roll(4)).unwrap(),
            }],
            5 => vec![delete_session(session, Some(number))],
            6 => vec![Change::PurgeSession {
                session_id: session,
            }],
            7..10 => vec![add_message(session, anew)],
            _ => vec![add],
        };
        answers.push(submit(&store, relaxed(changes)));
    }
    let accepted = answers
        .into_iter()
        .filter(|answer| answer.recv().unwrap().is_ok())
        .count();
    assert!(
        (500..5_500).contains(&accepted),
        "both kinds must have happened: {accepted}"
    );
    let sessions: Vec<_> = (1..=4).map(session_id).collect();
    let violations = store.read(|reader| reader.violations(&sessions)).unwrap();
    assert_eq!(violations, []);
    let connection = raw::connect(&place.database());
    let branches = raw::number(&place.database(), "SELECT count(*) FROM branches", []);
    assert!(branches > 4, "branches must have happened: {branches}");
    let wrong = raw::texts(
        &connection,
        "SELECT hex(id) FROM sessions
         WHERE head_seq <> (SELECT count(*) FROM events WHERE session_id = sessions.id)
            OR head_seq <> (SELECT coalesce(max(seq), 0) FROM events
                            WHERE session_id = sessions.id)",
    );
    assert_eq!(wrong, Vec::<String>::new());
    // The same once more, from what a person is shown.
    for session in sessions {
        let (state, messages) = store
            .read(|reader| {
                let (messages, _) = reader.messages_before(session, 1 << 40, 1_000)?;
                Ok((reader.session_state(session)?, messages))
            })
            .unwrap();
        let positions: Vec<u64> = messages.iter().map(|one| one.position).collect();
        let count = state.map_or(0, |state| state.message_count);
        assert_eq!(positions, (1..=count).collect::<Vec<_>>());
    }
}

/// STO-15: the newest first, by time and then by id.
#[test]
fn sessions_are_listed_by_time_then_id() {
    let place = Place::new();
    let store = place.open();
    for (number, at_ms) in [(1, 50), (2, 70), (3, 50), (4, 60)] {
        let change = Change::CreateSession {
            session_id: session_id(number),
            agent_id: store::DEFAULT_AGENT,
            title: None,
            workspace: WORKSPACE.to_owned(),
            forked_from: None,
            at_ms,
        };
        store.apply(barrier(vec![change])).unwrap();
    }
    let rows = store.read(|reader| reader.session_rows(3, false)).unwrap();
    let listed: Vec<_> = rows.iter().map(|row| row.session_id).collect();
    assert_eq!(listed, [session_id(2), session_id(4), session_id(3)]);
}
