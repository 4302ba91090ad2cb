//! What recovery and attention look at, what is due, and what must not be.

use protocol::{AttentionKind, CallStatus, RunStatus, SessionId, StepStatus, Usage, UsageTotal};
use store::{Change, Due, Retry, Store};

use crate::fixture::{Place, barrier};
use crate::raw;
use crate::sample::{
    beginning, create_step, end_attempt, message_id, move_run, move_step, run_id, session_id,
    start_attempt, step_id,
};
use crate::sample_call::{
    ask, call, call_id, full_call, question, save_call, start_body, with_calls,
};
use crate::sample_whole::{at, delete_session, enqueue, everything, retry};

fn archive(session: SessionId) -> Change {
    Change::ArchiveSession {
        session_id: session,
        is_archived: true,
        at_ms: 50,
    }
}

/// Moves a run, at a time.
fn moved(number: u64, to: RunStatus, at_ms: u64) -> Change {
    Change::MoveRun {
        run_id: run_id(number),
        from: RunStatus::Running,
        to,
        reason: None,
        error: None,
        at_ms,
    }
}

/// A call of session `number` that is in doubt.
fn in_doubt(number: u64) -> Vec<Change> {
    let mut doubted = full_call(number, 0);
    doubted.revision = 3;
    vec![
        save_call(
            at(call(number, 0), 1, CallStatus::Ready),
            CallStatus::Proposed,
        ),
        save_call(
            at(call(number, 0), 2, CallStatus::Running),
            CallStatus::Ready,
        ),
        save_call(doubted, CallStatus::Running),
    ]
}

/// RUN-12: recovery looks at live runs, at bodies that were going whatever became of their run, and
/// at messages that wait though nothing is in their way.
#[test]
fn recovery_goes_by_what_is_stored() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    for number in 1..=6 {
        apply(with_calls(number, 1));
    }
    let live = || store.read(|reader| reader.live_sessions()).unwrap();
    let ids = |numbers: &[u64]| numbers.iter().copied().map(session_id).collect::<Vec<_>>();
    assert_eq!(live(), ids(&[1, 2, 3, 4, 5, 6]));
    apply(vec![moved(1, RunStatus::Completed, 40)]);
    apply(vec![
        moved(2, RunStatus::Completed, 40),
        enqueue(session_id(2), message_id(250), "next"),
    ]);
    apply(vec![
        moved(3, RunStatus::Stopped, 40),
        enqueue(session_id(3), message_id(350), "held"),
    ]);
    apply(vec![
        save_call(at(call(4, 0), 1, CallStatus::Ready), CallStatus::Proposed),
        save_call(at(call(4, 0), 2, CallStatus::Running), CallStatus::Ready),
        moved(4, RunStatus::Failed, 40),
        delete_session(session_id(4), Some(1)),
    ]);
    apply(vec![
        moved(5, RunStatus::Waiting, 40),
        archive(session_id(5)),
    ]);
    assert_eq!(live(), ids(&[2, 4, 5, 6]));
}

/// A session needs a person when its newest run does or a call is in doubt; the oldest need first.
#[test]
fn attention_is_for_what_a_person_can_do_something_about() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    for number in 1..=9 {
        apply(with_calls(number, 1));
    }
    apply(vec![moved(1, RunStatus::Waiting, 90)]);
    apply(vec![moved(2, RunStatus::Stopped, 80)]);
    apply(vec![moved(3, RunStatus::Interrupted, 70)]);
    apply(vec![moved(4, RunStatus::Failed, 60)]);
    apply(vec![
        moved(5, RunStatus::Failed, 50),
        Change::DismissRun {
            run_id: run_id(5),
            at_ms: 51,
        },
    ]);
    apply([in_doubt(6), vec![moved(6, RunStatus::Completed, 65)]].concat());
    apply(vec![
        moved(7, RunStatus::Stopped, 10),
        archive(session_id(7)),
    ]);
    apply(vec![
        moved(8, RunStatus::Stopped, 10),
        delete_session(session_id(8), Some(11)),
    ]);
    let found = store.read(|reader| reader.attention_sessions()).unwrap();
    let expected: Vec<SessionId> = [4, 6, 3, 2, 1].map(session_id).to_vec();
    assert_eq!(found, expected);
    let rows = store.read(|reader| reader.session_rows(10, true)).unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].is_archived && rows[0].session_id == session_id(7));
    let doubtful: Vec<SessionId> = store
        .read(|reader| reader.session_rows(10, false))
        .unwrap()
        .into_iter()
        .filter(|row| row.has_doubt)
        .map(|row| row.session_id)
        .collect();
    assert_eq!(doubtful, [session_id(6)]);
}

/// RUN-13: what is done, unknown and not started, in words.
#[test]
fn attention_facts_tell_what_became_of_the_calls() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    apply(with_calls(1, 6));
    let step = |ordinal, revision, status, from, ended_at_ms| {
        let mut row = at(call(1, ordinal), revision, status);
        row.view.ended_at_ms = ended_at_ms;
        if ordinal != 2 {
            row.view.preview = full_call(1, 0).view.preview;
            let preview = row.view.preview.as_mut().unwrap();
            preview.summary = format!("Write {ordinal}.md");
        }
        save_call(row, from)
    };
    for (ordinal, ended) in [(0, 70), (1, 60)] {
        apply(vec![
            step(ordinal, 1, CallStatus::Ready, CallStatus::Proposed, None),
            step(ordinal, 2, CallStatus::Running, CallStatus::Ready, None),
            step(
                ordinal,
                3,
                CallStatus::Completed,
                CallStatus::Running,
                Some(ended),
            ),
        ]);
    }
    apply(vec![
        step(2, 1, CallStatus::Ready, CallStatus::Proposed, None),
        step(2, 2, CallStatus::Running, CallStatus::Ready, None),
        step(2, 3, CallStatus::InDoubt, CallStatus::Running, None),
        step(3, 1, CallStatus::Waiting, CallStatus::Proposed, None),
        step(4, 1, CallStatus::Ready, CallStatus::Proposed, None),
    ]);
    let facts = store
        .read(|reader| reader.attention_facts(run_id(1)))
        .unwrap();
    assert_eq!(facts.asked, "hello");
    assert_eq!(facts.last_done.as_deref(), Some("Write 0.md"));
    assert_eq!(facts.unknown, [(call_id(102), "write_file".to_owned())]);
    assert_eq!(
        facts.not_started,
        [
            (call_id(103), "Write 3.md".to_owned(), true),
            (call_id(104), "Write 4.md".to_owned(), false),
            (call_id(105), "write_file".to_owned(), false),
        ]
    );
}

/// APR-8, RUN-12: each kind is found when its time has come, and not before; the next time is the
/// earliest of all.
#[test]
fn what_is_due_is_found_by_its_time() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    let next = |undo| store.read(|reader| reader.next_due(undo)).unwrap();
    let due = |now, undo| store.read(|reader| reader.due(now, undo)).unwrap();
    assert_eq!((next(1), due(1 << 40, 0)), (None, Vec::new()));
    for number in 1..=3 {
        apply(with_calls(number, 2));
    }
    let mut asked = question(1);
    asked.expires_at_ms = Some(400);
    apply(vec![Change::AddApproval {
        call_id: call_id(101),
        approval: asked,
    }]);
    apply(vec![ask(call_id(100), 1)]);
    assert_eq!(next(1), Some(400), "one that never expires is never due");
    apply(vec![Change::SetRetry {
        run_id: run_id(2),
        retry: Some(Retry {
            at_ms: 300,
            ..retry()
        }),
    }]);
    assert_eq!(next(1), Some(300));
    apply(in_doubt(3));
    assert_eq!(next(1), Some(77));
    apply(vec![delete_session(session_id(1), Some(50))]);
    assert_eq!((next(1), next(60)), (Some(51), Some(77)));
    let all = [
        Due::Approval {
            session_id: session_id(1),
            call_id: call_id(101),
        },
        Due::Retry {
            session_id: session_id(2),
            run_id: run_id(2),
        },
        Due::Check {
            session_id: session_id(3),
            call_id: call_id(300),
        },
        Due::Purge {
            session_id: session_id(1),
        },
    ];
    assert_eq!(due(400, 60), all);
    assert_eq!(due(399, 60), all[1..]);
    assert_eq!(due(299, 60), all[2..]);
    assert_eq!(due(299, 250), all[2..3]);
    assert_eq!(due(76, 27), []);
    apply(vec![move_run(
        run_id(2),
        RunStatus::Running,
        RunStatus::Stopped,
    )]);
    assert_eq!(due(300, 300), [all[2]], "a halted run waits for nothing");
}

/// RUN-15, RUN-21: what a run used is counted once per attempt, model calls apart from bodies; what
/// nobody said stays unknown; completing a step forgives crashes and failed tries, and one meter
/// never goes back.
#[test]
fn usage_is_summed_up_and_what_is_unknown_stays_so() {
    let place = Place::new();
    let store = place.open();
    let apply = |changes| store.apply(barrier(changes)).unwrap();
    let (session, run) = (session_id(1), run_id(1));
    let total = || {
        store
            .read(|reader| reader.usage_of_session(session))
            .unwrap()
    };
    apply(beginning(1));
    assert_eq!(total(), UsageTotal::default());
    let end = |step, attempt, to, usage, at_ms| Change::EndAttempt {
        step_id: step_id(step),
        attempt,
        to,
        streamed_bytes: if step == 1 && attempt == 1 { 5 } else { 0 },
        usage,
        fill: None,
        error: None,
        at_ms,
    };
    let said = |input_tokens, output_tokens, cost_microusd| Usage {
        input_tokens,
        output_tokens,
        cached_tokens: None,
        cache_write_tokens: None,
        cost_microusd,
    };
    apply(vec![
        end(1, 1, StepStatus::Interrupted, Usage::default(), 116),
        Change::CountCrash { run_id: run },
        Change::SetRetry {
            run_id: run,
            retry: Some(retry()),
        },
    ]);
    let unknown = UsageTotal {
        sum: Usage::default(),
        calls: 1,
        calls_unknown: 1,
        calls_without_cost: 1,
    };
    assert_eq!(total(), unknown);
    let state = || {
        let state = store.read(|reader| reader.session_state(session)).unwrap();
        state.unwrap().run.unwrap()
    };
    let before = state();
    assert_eq!((before.crashes, before.retry_failed), (1, 2));
    assert_eq!(before.retry, Some(retry()));
    assert_eq!((before.used.ms, before.used.tokens), (100, 0));
    apply(vec![
        Change::SetRetry {
            run_id: run,
            retry: None,
        },
        start_attempt(step_id(1), 2),
        end(1, 2, StepStatus::Completed, said(Some(7), None, Some(5)), 6),
        move_step(step_id(1), StepStatus::Running, StepStatus::Completed),
        create_step(step_id(2), run),
        move_step(step_id(2), StepStatus::Planned, StepStatus::Running),
        start_attempt(step_id(2), 1),
        end(
            2,
            1,
            StepStatus::Completed,
            said(Some(1), Some(u64::MAX), None),
            26,
        ),
    ]);
    apply(start_body(1));
    apply(vec![end_attempt(step_id(100), 0, StepStatus::Completed)]);
    let most = (1 << 53) - 1;
    let expected = UsageTotal {
        sum: said(Some(8), Some(most), Some(5)),
        calls: 3,
        calls_unknown: 1,
        calls_without_cost: 2,
    };
    assert_eq!(total(), expected);
    let view = store.read(|reader| reader.run(run)).unwrap().unwrap();
    assert_eq!((view.usage, view.crashes, view.retry), (expected, 1, None));
    let after = state();
    assert_eq!((after.crashes, after.crashes_total), (0, 1));
    assert_eq!((after.retry_failed, after.used.steps), (0, 1));
    assert_eq!((after.used.tokens, after.used.cost_microusd), (most, 5));
    assert_eq!(after.used.ms, 111, "a clock that went back took no time");
    apply(vec![Change::RenewBudget { run_id: run }]);
    assert_eq!(state().used, store::Used::default());
    assert_eq!(total(), expected, "what it cost is what it cost");
}

/// ATT: a notification is shown once per run and kind, also after a restart.
#[test]
fn a_notice_is_noted_once() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(beginning(1))).unwrap();
    let shown = |store: &Store, kind| {
        store
            .read(|reader| reader.notice_shown(run_id(1), kind))
            .unwrap()
    };
    for at_ms in [1, 2] {
        let note = Change::NoteNotice {
            run_id: run_id(1),
            kind: AttentionKind::InDoubt,
            at_ms,
        };
        store.apply(barrier(vec![note])).unwrap();
    }
    drop(store);
    let store = place.open();
    assert!(shown(&store, AttentionKind::InDoubt));
    assert!(!shown(&store, AttentionKind::Waiting));
    let first = raw::number(&place.database(), "SELECT shown_at_ms FROM notices", []);
    assert_eq!(first, 1);
}

/// What must be told of session 2, and what brings it about.
fn spoiled() -> Vec<(&'static str, String)> {
    let id = format!("x'{}'", session_id(2).uuid().simple());
    let other = format!("x'{}'", run_id(1).uuid().simple());
    let call = |number| format!("x'{}'", call_id(number).uuid().simple());
    vec![
        (
            "live run",
            format!(
                "DROP INDEX runs_one_live_per_session; INSERT INTO runs (id, session_id, agent_id, message_id, model, status, created_at_ms, updated_at_ms) SELECT randomblob(16), session_id, agent_id, message_id, model, status, 1, 1 FROM runs WHERE session_id = {id}"
            ),
        ),
        (
            "newest run",
            format!("UPDATE sessions SET newest_run_id = {other} WHERE id = {id}"),
        ),
        (
            "events",
            format!("UPDATE sessions SET head_seq = 9 WHERE id = {id}"),
        ),
        (
            "events",
            format!("DELETE FROM events WHERE session_id = {id}"),
        ),
        (
            "messages",
            format!("UPDATE sessions SET message_count = 3 WHERE id = {id}"),
        ),
        (
            "without a running attempt",
            format!(
                "UPDATE tool_calls SET step_id = NULL WHERE id = {}",
                call(201)
            ),
        ),
        (
            "without a running call",
            format!(
                "UPDATE tool_calls SET status = 'failed' WHERE id = {}",
                call(201)
            ),
        ),
        (
            "does not wait",
            format!(
                "UPDATE tool_calls SET status = 'ready' WHERE id = {}",
                call(200)
            ),
        ),
        (
            "nobody is asked",
            format!(
                "UPDATE approvals SET status = 'closed' WHERE call_id = {}",
                call(200)
            ),
        ),
        (
            "staged",
            format!(
                "INSERT INTO staged_state VALUES ({}, 0, '{{}}'); UPDATE tool_calls SET status = 'failed' WHERE session_id = {id}",
                call(200)
            ),
        ),
        (
            "written before",
            format!(
                "UPDATE queue SET message_id = (SELECT max(id) FROM messages WHERE session_id = {id}) WHERE session_id = {id}"
            ),
        ),
        (
            "no place",
            format!(
                "PRAGMA ignore_check_constraints = ON; UPDATE queue SET position = -1 WHERE session_id = {id}"
            ),
        ),
    ]
}

/// RUN-12: each thing that must not be is found, and a sound session has none.
#[test]
fn violations_are_told_and_nothing_else_is() {
    let place = Place::new();
    let store = place.open();
    store.apply(barrier(everything(1))).unwrap();
    let mut waits = with_calls(2, 2);
    waits.extend(start_body(2));
    waits.extend([
        save_call(at(call(2, 0), 1, CallStatus::Waiting), CallStatus::Proposed),
        ask(call_id(200), 1),
        save_call(at(call(2, 1), 1, CallStatus::Ready), CallStatus::Proposed),
        save_call(
            store::CallRow {
                step_id: Some(step_id(200)),
                ..at(call(2, 1), 2, CallStatus::Running)
            },
            CallStatus::Ready,
        ),
        enqueue(session_id(2), message_id(250), "next"),
    ]);
    store.apply(barrier(waits)).unwrap();
    let sessions = [session_id(1), session_id(2), session_id(404)];
    let found = |store: &Store| -> Vec<String> {
        let found = store.read(|reader| reader.violations(&sessions)).unwrap();
        found
            .into_iter()
            .inspect(|one| assert_eq!(one.session_id, Some(session_id(2))))
            .map(|one| one.what)
            .collect()
    };
    assert_eq!(found(&store), Vec::<String>::new());
    store.close().unwrap();
    for (wanted, sql) in spoiled() {
        let image = place.crash_image();
        raw::execute(&image.database(), &sql);
        let image_store = image.open();
        let found = found(&image_store);
        assert!(
            found.iter().any(|what| what.contains(wanted)),
            "{wanted}: {found:?}"
        );
    }
}
