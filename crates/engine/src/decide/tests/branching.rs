//! Going on from an earlier place: edit and resend, regenerate, retry. The old branch stays.

use protocol::{
    CallStatus, CommandError, EffectClass, ErrorCode, Message, MessageId, MessageStatus, Role,
    RunStatus,
};
use store::{Change, SessionState};
use uuid::Uuid;

use super::super::{Again, Decision, edit_message, regenerate, retry_run, select_branch};
use super::{
    BEFORE, NEW, asks_model, call, changes_nothing, decide, every_run, message_id, quiet, refused,
    run_id, status_of, told, with_calls,
};

/// A message at this place of a session with six.
fn message(position: u64, role: Role) -> Message {
    Message {
        message_id: MessageId::from_uuid(Uuid::from_u128(0x50 + u128::from(position))),
        position,
        branch: 0,
        role,
        status: MessageStatus::Complete,
        blocks: Vec::new(),
        attachments: Vec::new(),
        run_id: Some(run_id(BEFORE)),
        step_id: None,
        attempt: None,
        model: None,
        ending: protocol::Ending::Complete,
        created_at_ms: 1,
    }
}

fn six() -> SessionState {
    SessionState {
        message_count: 6,
        branch: 1,
        branches: 3,
        ..quiet()
    }
}

fn again() -> Again<'static> {
    Again {
        message_id: message_id(),
        run_id: run_id(NEW),
        request_key: Some("key"),
    }
}

fn edit(state: &SessionState, message: &Message) -> Result<Decision, CommandError> {
    decide(|given| edit_message(state, message, "Where?", &again(), given))
}

fn new_run(decision: &Decision) -> &store::NewRun {
    let run = decision.changes.iter().find_map(|change| match change {
        Change::CreateRun(run) => Some(run),
        _ => None,
    });
    run.unwrap()
}

// RUN-23
#[test]
fn an_edited_message_stands_in_a_branch_of_its_own_in_the_place_of_the_old_one() {
    let decision = edit(&six(), &message(3, Role::User)).unwrap();
    assert_eq!(
        told(&decision)[..6],
        [
            "branch 3 of Some(1) from 3",
            "event branch_started",
            r#"add Complete User message 3 "Where?""#,
            "event message_added",
            "create run e",
            "event run_started",
        ]
    );
    assert!(asks_model(&decision));
    let run = new_run(&decision);
    assert_eq!(run.branch, 3);
    assert_eq!(run.retry_of, Some(run_id(BEFORE)));
    assert_eq!(run.request_key.as_deref(), Some("key"));
    let added = decision.changes.iter().find_map(|change| match change {
        Change::AddMessage { message, .. } => Some(message),
        _ => None,
    });
    assert_eq!(added.unwrap().branch, 3);
}

#[test]
fn only_the_persons_own_messages_are_edited() {
    let result = edit(&six(), &message(4, Role::Agent));
    assert_eq!(refused(result).0, ErrorCode::NotActionable);
}

// RUN-23
#[test]
fn a_regenerated_reply_takes_the_place_of_the_old_one_in_a_new_branch() {
    for (message, line) in [
        (message(4, Role::Agent), "branch 3 of Some(1) from 4"),
        (message(3, Role::User), "branch 3 of Some(1) from 4"),
    ] {
        let asked = self::message(3, Role::User).message_id;
        let decision =
            decide(|given| regenerate(&six(), &message, asked, &again(), given)).unwrap();
        assert_eq!(told(&decision)[0], line);
        assert_eq!(new_run(&decision).message_id, asked);
        assert_eq!(new_run(&decision).retry_of, Some(run_id(BEFORE)));
        let is_added = |change: &Change| matches!(change, Change::AddMessage { .. });
        assert!(!decision.changes.iter().any(is_added));
    }
}

#[test]
fn at_the_end_there_is_nothing_to_leave_behind_and_no_branch() {
    let last = message(6, Role::User);
    let asked = last.message_id;
    let decision = decide(|given| regenerate(&six(), &last, asked, &again(), given)).unwrap();
    assert_eq!(told(&decision)[0], "create run e");
    assert_eq!(new_run(&decision).branch, 1);
}

// RUN-24, STP-6
#[test]
fn a_live_run_or_a_doubt_is_in_the_way_and_a_halted_run_is_given_up() {
    for state in every_run() {
        let status = status_of(&state);
        let result = edit(&state, &message(1, Role::User));
        if status.is_live() {
            assert_eq!(refused(result).0, ErrorCode::AlreadyRunning);
            continue;
        }
        let moved = format!("run b {} -> cancelled superseded", status.as_str());
        let lines = told(&result.unwrap());
        assert_eq!(lines.contains(&moved), status.is_resumable());
    }
    let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
    let state = with_calls(RunStatus::Stopped, vec![unknown]);
    let result = edit(&state, &message(1, Role::User));
    assert_eq!(refused(result).0, ErrorCode::NotActionable);
}

// RUN-14, RUN-15, STP-5
#[test]
fn only_a_run_that_failed_or_was_cancelled_is_tried_again_as_a_new_one() {
    for state in every_run() {
        let result = decide(|given| retry_run(&state, run_id(BEFORE), &again(), given));
        if matches!(status_of(&state), RunStatus::Failed | RunStatus::Cancelled) {
            let decision = result.unwrap();
            assert_eq!(told(&decision)[..2], ["create run e", "event run_started"]);
            let run = new_run(&decision);
            assert_eq!(run.retry_of, Some(run_id(BEFORE)));
            assert_eq!(run.message_id, message_id());
            assert_eq!(run.branch, state.branch);
        } else {
            let expected = (ErrorCode::NotActionable, Some(run_id(BEFORE)));
            assert_eq!(refused(result), expected);
        }
        let stale = decide(|given| retry_run(&state, run_id(NEW), &again(), given));
        assert_eq!(
            refused(stale),
            (ErrorCode::NotActionable, Some(run_id(NEW)))
        );
    }
}

// RUN-20
#[test]
fn a_run_is_not_tried_again_while_a_call_has_no_result() {
    for (status, code) in [
        (CallStatus::InDoubt, ErrorCode::NotActionable),
        (CallStatus::Running, ErrorCode::AlreadyRunning),
    ] {
        let state = with_calls(
            RunStatus::Cancelled,
            vec![call(0, status, EffectClass::Once)],
        );
        let result = decide(|given| retry_run(&state, run_id(BEFORE), &again(), given));
        assert_eq!(refused(result).0, code);
    }
}

// RUN-23
#[test]
fn another_branch_is_shown_unless_a_run_is_going_in_this_one() {
    let select = |state: &SessionState, branch| decide(|given| select_branch(state, branch, given));
    assert_eq!(
        told(&select(&six(), 0).unwrap()),
        ["select branch 1 -> 0", "event branch_selected"]
    );
    assert!(changes_nothing(&select(&six(), 1).unwrap()));
    assert_eq!(refused(select(&six(), 3)).0, ErrorCode::NotFound);
    for mut state in every_run() {
        state.branches = 2;
        let result = select(&state, 1);
        if status_of(&state).is_live() {
            assert_eq!(refused(result).0, ErrorCode::AlreadyRunning);
        } else {
            assert_eq!(result.unwrap().changes.len(), 2);
        }
    }
}
