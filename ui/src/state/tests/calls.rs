//! Tool calls: with their message, replaced whole, each in its place.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallStatus, EffectClass, ToolCallView, ToolResult,
};

use super::*;

fn call_id(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

/// A call of the message at this position.
pub(super) fn call(number: u128, position: u128, ordinal: u32) -> ToolCallView {
    ToolCallView {
        call_id: call_id(number),
        session_id: SESSION,
        run_id: RUN,
        message_id: MessageId::from_uuid(Uuid::from_u128(position)),
        ordinal,
        tool: "write_file".to_owned(),
        arguments: "{}".to_owned(),
        proposed_arguments: None,
        effect: EffectClass::Idempotent,
        status: CallStatus::Waiting,
        verdict: None,
        preview: None,
        approval: Some(approval(ApprovalStatus::Pending)),
        doubt: None,
        result: None,
        files: Vec::new(),
        bodies: 0,
        created_at_ms: 1,
        started_at_ms: None,
        ended_at_ms: None,
    }
}

fn approval(status: ApprovalStatus) -> ApprovalView {
    ApprovalView {
        round: 1,
        status,
        digest: "ab".repeat(32),
        asked_at_ms: 1,
        expires_at_ms: None,
        decision: None,
        consumed_at_ms: None,
    }
}

fn changed(call: ToolCallView) -> Event {
    Event::ToolCallChanged {
        call: Box::new(call),
    }
}

fn completed(call: ToolCallView) -> ToolCallView {
    ToolCallView {
        status: CallStatus::Completed,
        result: Some(ToolResult {
            text: "Wrote it.".to_owned(),
            is_error: false,
            class: None,
            total_bytes: 9,
        }),
        ..call
    }
}

/// A window on a run that waits for two decisions.
pub(super) fn asking() -> Window {
    let window = streaming();
    let step = Event::StepCompleted {
        run_id: RUN,
        step_id: STEP,
        attempt: 1,
        message: message(2, Role::Agent, "I will write."),
        calls: vec![call(12, 2, 1), call(11, 2, 0)],
        usage: Usage::default(),
        fill: None,
    };
    window.events([(4, step), (5, Event::RunWaiting { run_id: RUN })]);
    window
}

fn statuses(window: &Window) -> Vec<(u128, CallStatus)> {
    let calls = window.store.session().calls().get_untracked();
    let mut all: Vec<(u128, CallStatus)> = calls
        .iter()
        .map(|call| (call.call_id.uuid().as_u128(), call.status))
        .collect();
    all.sort_by_key(|(id, _)| *id);
    all
}

fn pending(window: &Window) -> Vec<CallId> {
    let calls = untrack(|| pending_calls(window.store));
    calls.iter().map(|call| call.call_id).collect()
}

/// APR-4: one card each, in the order of the reply.
#[test]
fn calls_come_with_their_message_in_order() {
    let window = asking();
    let message_id = MessageId::from_uuid(Uuid::from_u128(2));
    let ids = untrack(|| calls_of(window.store, message_id));
    assert_eq!(ids, [call_id(11), call_id(12)]);
    assert_eq!(pending(&window), ids);
    assert_eq!(window.seen().run, Some((RunStatus::Waiting, None)));
}

/// APR-4: decided in any order; a call is replaced whole.
#[test]
fn a_call_that_moves_is_replaced_whole() {
    let window = asking();
    let done = completed(call(12, 2, 1));
    window.events([(6, changed(done.clone()))]);
    assert_eq!(
        statuses(&window),
        [(11, CallStatus::Waiting), (12, CallStatus::Completed)]
    );
    assert_eq!(pending(&window), [call_id(11)]);
    let stored = window.store.session().calls().at_key(call_id(12));
    assert_eq!(stored.try_get_untracked(), Some(done));
    window.events([(7, Event::RunContinued { run_id: RUN })]);
    assert_eq!(window.seen().run, Some((RunStatus::Running, None)));
}

/// APR-11: a card is woken by its own call and by no other.
#[test]
fn a_call_that_moves_wakes_its_own_card() {
    let window = asking();
    let store = window.store;
    let read = |id| {
        let call = store.session().calls().at_key(call_id(id));
        counted(move || call.track())
    };
    let (own, sibling) = (read(12), read(11));
    let messages = counted(move || store.session().messages().track());
    assert_eq!([own(), sibling(), messages()], [1, 1, 1]);
    window.events([(6, changed(completed(call(12, 2, 1))))]);
    assert_eq!([own(), sibling(), messages()], [2, 1, 1]);
}

#[test]
fn a_call_of_a_message_that_is_not_here_is_left_out() {
    let window = asking();
    window.events([(6, changed(call(13, 99, 0)))]);
    assert_eq!(statuses(&window).len(), 2);
    // One of a message that is here was asked for meanwhile.
    window.events([(7, changed(call(13, 2, 2)))]);
    assert_eq!(statuses(&window).len(), 3);
}

#[test]
fn a_snapshot_holds_the_calls_of_its_messages() {
    let window = Window::on(SessionSnapshot {
        calls: vec![call(11, 2, 0)],
        ..snapshot(3, vec![message(2, Role::Agent, "I will write.")])
    });
    assert_eq!(statuses(&window), [(11, CallStatus::Waiting)]);
    clear_session(window.store, Some(SESSION));
    assert_eq!(statuses(&window), []);
}

#[test]
fn earlier_messages_bring_their_calls_and_none_twice() {
    let window = Window::on(SessionSnapshot {
        calls: vec![completed(call(12, 3, 0))],
        ..snapshot(3, vec![message(3, Role::Agent, "three")])
    });
    let page = vec![message(2, Role::Agent, "two")];
    let calls = vec![call(11, 2, 0), call(12, 3, 0)];
    apply_earlier(window.store, SESSION, page, calls, false);
    assert_eq!(
        statuses(&window),
        [(11, CallStatus::Waiting), (12, CallStatus::Completed)]
    );
}

/// APR-9: what can no longer be answered is no question. EFF-3: what is in doubt always is one.
#[test]
fn a_question_dies_with_its_run() {
    let stage = |call: &ToolCallView, run: Option<(RunId, RunStatus)>| {
        let run = run.map(|(run_id, status)| RunState::new(run_id, status, 1));
        CallStage::of(call, run.as_ref())
    };
    let asked = call(11, 2, 0);
    let other = RunId::from_uuid(Uuid::from_u128(77));
    for (run, wanted) in [
        (Some((RUN, RunStatus::Waiting)), CallStage::Asking),
        (Some((RUN, RunStatus::Interrupted)), CallStage::Asking),
        (Some((RUN, RunStatus::Cancelled)), CallStage::Late),
        (Some((RUN, RunStatus::Failed)), CallStage::Late),
        (Some((other, RunStatus::Waiting)), CallStage::Late),
        (None, CallStage::Late),
    ] {
        assert_eq!(stage(&asked, run), wanted, "{run:?}");
    }
    let going = Some((RUN, RunStatus::Waiting));
    for (status, wanted) in [
        (ApprovalStatus::Pending, CallStage::Asking),
        (ApprovalStatus::Allowed, CallStage::Working),
        (ApprovalStatus::Denied, CallStage::Working),
        (ApprovalStatus::Expired, CallStage::Late),
        (ApprovalStatus::Superseded, CallStage::Late),
        (ApprovalStatus::Closed, CallStage::Late),
    ] {
        let asked = ToolCallView {
            approval: Some(approval(status)),
            ..call(11, 2, 0)
        };
        assert_eq!(stage(&asked, going), wanted, "{status:?}");
    }
    for status in CallStatus::ALL {
        let moved = ToolCallView {
            status,
            ..call(11, 2, 0)
        };
        let is_pending = stage(&moved, going).is_pending();
        let waits = matches!(status, CallStatus::Waiting | CallStatus::InDoubt);
        assert_eq!(is_pending, waits, "{status:?}");
    }
}
