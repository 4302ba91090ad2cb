//! All of a transition or nothing of it, and never a neighbour's.

use protocol::{ApprovalStatus, CallStatus, RunStatus, StepStatus};
use rusqlite::types::Value;
use store::{Change, Error, StateChange};

use crate::fixture::{Place, barrier, hold_writer, submit};
use crate::raw;
use crate::sample::{
    add_message, append, beginning, create_session, create_step, end_attempt, event, message,
    message_id, move_run, move_step, new_run, piece, renamed, run_id, session_id, start_attempt,
    step_id,
};
use crate::sample_attachment::attachment_id;
use crate::sample_call::{add_call, ask, call, call_id, decide, rule_id, save_call, with_calls};
use crate::sample_provider::{provider, provider_fields, provider_id};
use crate::sample_whole::{
    agent, agent_id, at, checkpoint, delete_session, enqueue, everything, fields, missing_kinds,
    note_command, rule, start_branch,
};

/// One change of every kind that cannot be applied, whatever came before it in a `beginning(1)`.
fn impossible() -> Vec<Change> {
    [
        impossible_in_a_session(),
        impossible_in_a_run(),
        impossible_in_a_call(),
        impossible_elsewhere(),
    ]
    .concat()
}

fn impossible_in_a_session() -> Vec<Change> {
    let (session, missing) = (session_id(1), session_id(404));
    let mut of_no_run = message(message_id(8), 1, "whose?");
    of_no_run.run_id = Some(run_id(404));
    let mut of_no_branch = message(message_id(8), 2, "where?");
    of_no_branch.branch = 7;
    vec![
        create_session(session_id(9)),
        Change::ArchiveSession {
            session_id: missing,
            is_archived: true,
            at_ms: 1,
        },
        delete_session(session_id(9), None),
        Change::PurgeSession {
            session_id: session_id(9),
        },
        Change::SetSessionAgent {
            session_id: session_id(9),
            agent_id: agent_id(404),
        },
        Change::SetSessionModel {
            session_id: missing,
            model: Some("x".to_owned()),
        },
        start_branch(session_id(9), 2, 0, 1),
        start_branch(session_id(9), 1, 0, 9),
        Change::SelectBranch {
            session_id: session_id(9),
            from: 0,
            to: 3,
        },
        Change::NoteRequest {
            request_key: "key".to_owned(),
            session_id: missing,
            message_id: message_id(1),
        },
        enqueue(missing, message_id(8), "hello?"),
        Change::EditQueued {
            message_id: message_id(404),
            text: "x".to_owned(),
        },
        Change::Dequeue {
            message_id: message_id(404),
        },
        Change::RenameSession {
            session_id: missing,
            title: "x".to_owned(),
            at_ms: 1,
        },
        add_message(session, message(message_id(7), 77, "not the next")),
        add_message(session_id(10), of_no_run),
        add_message(session_id(9), of_no_branch),
        Change::AddSummary {
            session_id: session,
            summary: protocol::SummaryView {
                position: 404,
                branch: 0,
                kept: None,
                text: "x".to_owned(),
                model: "x".to_owned(),
                created_at_ms: 1,
            },
        },
        event(missing, renamed("x")),
        event(
            session,
            protocol::Event::Unrecognised {
                kind: "x".to_owned(),
            },
        ),
    ]
}

fn impossible_in_a_run() -> Vec<Change> {
    let (session, missing) = (session_id(1), run_id(404));
    let mut nameless_model = new_run(run_id(2), session_id(9), message_id(9));
    nameless_model.model = String::new();
    vec![
        Change::CreateRun(new_run(run_id(9), session, message_id(9))),
        Change::CreateRun(nameless_model),
        move_run(missing, RunStatus::Running, RunStatus::Stopped),
        move_run(run_id(1), RunStatus::Completed, RunStatus::Running),
        Change::RenewBudget { run_id: missing },
        Change::SetRetry {
            run_id: missing,
            retry: None,
        },
        Change::CountCrash { run_id: missing },
        Change::DismissRun {
            run_id: run_id(9),
            at_ms: 1,
        },
        create_step(step_id(2), missing),
        create_step(step_id(9), run_id(9)),
        move_step(step_id(404), StepStatus::Planned, StepStatus::Running),
        start_attempt(step_id(404), 1),
        append(session, step_id(1), 999, vec![piece(0, 0, "x")]),
        end_attempt(step_id(1), 999, StepStatus::Completed),
        Change::NoteNotice {
            run_id: missing,
            kind: protocol::AttentionKind::Failed,
            at_ms: 1,
        },
    ]
}

fn impossible_in_a_call() -> Vec<Change> {
    let missing = call_id(404);
    let unmergeable = Change::MergeState {
        session_id: session_id(12),
        message_id: message_id(1_200),
    };
    vec![
        add_call(call(404, 0)),
        save_call(call(404, 0), CallStatus::Proposed),
        save_call(at(call(1, 0), 1, CallStatus::Running), CallStatus::Denied),
        ask(missing, 1),
        decide(missing, 1, ApprovalStatus::Allowed),
        Change::ConsumeApproval {
            call_id: missing,
            round: 1,
            at_ms: 1,
        },
        Change::AddCheckpoint {
            call_id: missing,
            checkpoint: checkpoint("notes.md", Some(b"before")),
        },
        Change::MarkUndone {
            call_id: missing,
            path: "notes.md".to_owned(),
            at_ms: 1,
        },
        Change::StageState {
            call_id: missing,
            changes: vec![StateChange::Remove {
                key: "x".to_owned(),
            }],
        },
        unmergeable,
    ]
}

fn impossible_elsewhere() -> Vec<Change> {
    let nowhere = protocol::RuleScope::Session {
        session_id: session_id(404),
    };
    let mut nameless = agent(2, "x");
    nameless.fields.name = String::new();
    let gone = provider_id(404);
    let removed = store::AttachmentChange::Remove {
        attachment_id: attachment_id(404),
        at_ms: 1,
    };
    vec![
        Change::Attachment(removed),
        Change::AddRule(rule(rule_id(1), protocol::Verdict::Allow, nowhere)),
        Change::RemoveRule {
            rule_id: rule_id(404),
        },
        Change::CreateAgent(nameless),
        Change::UpdateAgent {
            agent_id: agent_id(404),
            fields: fields("x"),
            revision: 1,
            at_ms: 1,
        },
        Change::DeleteAgent {
            agent_id: store::DEFAULT_AGENT,
        },
        Change::CreateProvider(Box::new(provider(2, ""))),
        Change::UpdateProvider {
            provider_id: gone,
            fields: provider_fields("x"),
            secrets: Vec::new(),
            revision: 1,
            at_ms: 1,
        },
        Change::SaveProviderSecrets {
            provider_id: gone,
            secrets: Vec::new(),
            revision: 1,
            at_ms: 1,
        },
        Change::SaveProviderModels {
            provider_id: gone,
            models: Vec::new(),
            at_ms: 1,
        },
        Change::DeleteProvider { provider_id: gone },
    ]
}

/// What the impossible is tried on: a session that runs, one that is empty, and one whose state
/// cannot be merged, because what it would become is too large.
fn ground(store: &store::Store) {
    store.apply(barrier(beginning(9))).unwrap();
    store
        .apply(barrier(vec![create_session(session_id(10))]))
        .unwrap();
    let long = "x".repeat(600_000);
    let twice = |ordinal: u64| Change::StageState {
        call_id: call_id(1_200 + ordinal),
        changes: vec![StateChange::Append {
            key: "long".to_owned(),
            value: serde_json::json!(long),
        }],
    };
    let mut changes = with_calls(12, 2);
    changes.extend([twice(0), twice(1)]);
    store.apply(barrier(changes)).unwrap();
}

/// Every kind of change can fail, and is tried below. Settings and causes are always accepted.
#[test]
fn the_impossible_is_of_every_kind() {
    let settings = Change::SaveSettings(protocol::Settings::default());
    let tried = [impossible(), vec![settings, note_command("x")]].concat();
    assert_eq!(missing_kinds(&tried), Vec::<usize>::new());
}

/// STO-2, STO-6: wherever in a transition the failure is, and whatever fails, nothing of the
/// transition exists.
#[test]
fn a_failure_anywhere_in_a_transition_leaves_nothing_of_it() {
    let place = Place::new();
    let store = place.open();
    ground(&store);
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
    ground(&store);
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
