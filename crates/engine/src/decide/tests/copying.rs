//! A new session with the history of another one: a fork, or an import.

use std::collections::HashSet;
use std::sync::Arc;

use protocol::{
    CallStatus, EffectClass, Message, MessageId, MessageStatus, Native, Role, RunStatus,
};
use store::{Change, MessageRow};
use uuid::Uuid;

use super::super::{Copied, Decision, copy_session};
use super::{agent_id, block, call, call_id, decide, message_id, run_id, session_id, step_id};

fn message(number: u128, role: Role) -> MessageRow {
    let native = (role == Role::Agent).then(|| {
        Arc::new(Native {
            dialect: "d".to_owned(),
            model: "m".to_owned(),
            items: "[]".to_owned(),
        })
    });
    let message = Message {
        message_id: MessageId::from_uuid(Uuid::from_u128(number)),
        position: 7,
        branch: 2,
        role,
        status: MessageStatus::Complete,
        blocks: vec![block(protocol::BlockKind::Text, "ebb")],
        attachments: Vec::new(),
        run_id: Some(run_id(0xb)),
        step_id: Some(step_id(0xb)),
        attempt: Some(1),
        model: (role == Role::Agent).then(|| "model-a".to_owned()),
        ending: protocol::Ending::Complete,
        created_at_ms: 1,
    };
    MessageRow {
        message,
        native,
        contents: Vec::new(),
    }
}

fn copied() -> Copied {
    // The calls of the kit belong to message 3.
    assert_eq!(message_id().uuid().as_u128(), 3);
    Copied {
        session_id: session_id(),
        agent_id: agent_id(),
        model: None,
        title: Some("Tides".to_owned()),
        workspace: Some("shore".to_owned()),
        forked_from: None,
        messages: vec![message(2, Role::User), message(3, Role::Agent)],
        calls: CallStatus::ALL
            .into_iter()
            .zip(0..)
            .map(|(status, place)| call(place, status, EffectClass::Once))
            .map(|call| (call.provider_id, call.view))
            .collect(),
        summaries: Vec::new(),
        attachments: Vec::new(),
    }
}

fn copy(copied: &Copied) -> Decision {
    decide(|given| copy_session(copied, given))
}

fn calls(decision: &Decision) -> Vec<&store::CallRow> {
    let calls = decision.changes.iter().filter_map(|change| match change {
        Change::AddCall(call) => Some(&**call),
        _ => None,
    });
    calls.collect()
}

// RUN-23
#[test]
fn everything_gets_new_ids_and_positions_in_the_first_branch() {
    let decision = copy(&copied());
    let messages: Vec<&Message> = decision
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::AddMessage { message, .. } => Some(message),
            _ => None,
        })
        .collect();
    let places: Vec<(u64, u32)> = messages.iter().map(|m| (m.position, m.branch)).collect();
    assert_eq!(places, [(1, 0), (2, 0)]);
    assert!(messages.iter().all(|m| m.step_id.is_none()));
    let mut ids: HashSet<Uuid> = messages.iter().map(|m| m.message_id.uuid()).collect();
    ids.extend(calls(&decision).iter().map(|call| call.view.call_id.uuid()));
    assert_eq!(ids.len(), 12);
    assert!(ids.iter().all(|id| id.as_u128() >= 0x100), "all are new");
    for call in calls(&decision) {
        assert_eq!(call.view.message_id, messages[1].message_id);
        assert_eq!(Some(call.view.run_id), messages[0].run_id);
    }
}

// RUN-20
#[test]
fn what_a_provider_said_goes_with_its_message() {
    let natives = |change: &Change| match change {
        Change::AddMessage { native, .. } => Some(native.clone()),
        _ => None,
    };
    let decision = copy(&copied());
    let kept: Vec<_> = decision.changes.iter().filter_map(natives).collect();
    assert_eq!(kept, [None, message(3, Role::Agent).native]);
}

// EFF-3, RUN-20
#[test]
fn nothing_of_a_copied_history_can_run_wait_or_be_in_doubt() {
    let decision = copy(&copied());
    assert!(decision.effects.is_empty());
    for (call, before) in calls(&decision).into_iter().zip(CallStatus::ALL) {
        assert!(call.view.status.is_terminal(), "{before:?}");
        assert!(call.view.result.is_some(), "{before:?}");
        assert!(call.view.approval.is_none() && call.view.doubt.is_none());
        assert!(call.digest.is_none() && call.step_id.is_none());
        assert!(call.view.files.is_empty());
        if before.is_terminal() {
            assert_eq!(call.view.status, before);
        } else {
            assert_eq!(call.view.status, CallStatus::Cancelled);
            assert!(call.view.result.as_ref().unwrap().is_error);
        }
    }
    let ends = decision.changes.iter().any(|change| {
        matches!(
            change,
            Change::MoveRun {
                to: RunStatus::Completed,
                ..
            }
        )
    });
    assert!(ends);
}

#[test]
fn calls_of_messages_that_are_left_out_are_left_out() {
    let mut copied = copied();
    copied.messages.pop();
    assert!(calls(&copy(&copied)).is_empty());
    copied.messages.clear();
    let decision = copy(&copied);
    assert_eq!(decision.changes.len(), 2, "a session and its event");
}

#[test]
fn a_fork_shares_the_workspace_and_an_import_has_its_own() {
    let workspace = |copied: &Copied| match &copy(copied).changes[0] {
        Change::CreateSession { workspace, .. } => workspace.clone(),
        other => panic!("{other:?}"),
    };
    let mut copied = copied();
    assert_eq!(workspace(&copied), "shore");
    copied.workspace = None;
    assert_eq!(workspace(&copied), session_id().uuid().simple().to_string());
    assert_ne!(calls(&copy(&copied))[0].view.call_id, call_id(0));
}

/// A fork answers with what was chosen for the session.
#[test]
fn the_chosen_model_goes_along() {
    let chosen = Copied {
        model: Some("model-c".to_owned()),
        ..copied()
    };
    let told = super::told(&copy(&chosen));
    assert_eq!(
        told[2..4],
        ["model Some(\"model-c\")", "event model_changed"]
    );
}
