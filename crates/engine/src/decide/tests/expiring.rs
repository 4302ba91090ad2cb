//! Nobody answered in time, or only after it was over.

use protocol::{ApprovalStatus, CallStatus, Decision as Choice, EffectClass, RunStatus};
use store::CallRow;

use super::super::{Answer, expire};
use super::approving::{answer, decided, stored, waiting};
use super::{
    AT_MS, after, asking, asks_model, call, call_id, changes_nothing, decide, decide_at, started,
    status_of, told, touching, with_calls,
};

/// A call that can be answered until this time.
fn until(at_ms: u64) -> CallRow {
    let mut call = asking(0);
    call.view.approval.as_mut().unwrap().expires_at_ms = Some(at_ms);
    call
}

// APR-8
#[test]
fn an_overdue_question_expires_and_the_model_is_told() {
    let state = waiting(vec![until(AT_MS)]);
    let decision = decide(|given| expire(&state, &until(AT_MS), given));
    let lines = told(&decision);
    assert_eq!(
        lines[..3],
        [
            "answer c0 round 1 expired",
            "call c0 waiting -> denied",
            "event tool_call_changed",
        ]
    );
    assert!(asks_model(&decision));
    let next = after(&state, &decision);
    let call = stored(&next, call_id(0));
    assert!(call.view.result.as_ref().unwrap().text.contains("expired"));
    let again = decide(|given| expire(&next, &call, given));
    assert!(changes_nothing(&again));
}

// APR-8
#[test]
fn a_question_never_expires_early_and_an_answer_that_came_first_stands() {
    let early = decide_at(AT_MS - 1, |given| {
        expire(&waiting(vec![until(AT_MS)]), &until(AT_MS), given)
    });
    assert!(changes_nothing(&early));
    let forever = decide_at(u64::MAX, |given| {
        expire(&waiting(vec![asking(0)]), &asking(0), given)
    });
    assert!(changes_nothing(&forever));
    for status in ApprovalStatus::ALL {
        let mut call = until(AT_MS);
        call.view.approval.as_mut().unwrap().status = status;
        let decision = decide(|given| expire(&waiting(vec![call.clone()]), &call, given));
        assert_eq!(
            changes_nothing(&decision),
            status != ApprovalStatus::Pending
        );
    }
}

// APR-8
#[test]
fn an_answer_after_the_time_is_over_finds_the_question_expired() {
    for status in [
        RunStatus::Waiting,
        RunStatus::Running,
        RunStatus::Stopped,
        RunStatus::Interrupted,
    ] {
        let state = with_calls(status, vec![until(AT_MS)]);
        let (answered, decision) = decided(&state, &answer(0, Choice::AllowOnce {})).unwrap();
        let Answer::TooLate(approval) = answered else {
            panic!("{answered:?}")
        };
        assert_eq!(approval.status, ApprovalStatus::Expired);
        let call = stored(&after(&state, &decision), call_id(0));
        assert_eq!(call.view.status, CallStatus::Denied);
        assert!(started(&decision).is_empty());

        let state = with_calls(status, vec![until(AT_MS + 1)]);
        let (answered, _) = decided(&state, &answer(0, Choice::AllowOnce {})).unwrap();
        assert!(matches!(answered, Answer::Recorded(_)), "in time");
    }
}

#[test]
fn an_expiry_lets_what_it_held_back_start_also_while_others_run() {
    for status in [RunStatus::Running, RunStatus::Waiting] {
        let held = call(1, CallStatus::Ready, EffectClass::Once);
        let mut calls = vec![until(AT_MS), touching(held, &["file:0"])];
        if status == RunStatus::Running {
            calls.push(call(2, CallStatus::Running, EffectClass::Once));
        }
        let state = with_calls(status, calls);
        let decision = decide(|given| expire(&state, &until(AT_MS), given));
        assert_eq!(started(&decision), [call_id(1)]);
    }
}

#[test]
fn an_expiry_on_a_halted_run_does_not_wake_it() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let state = with_calls(status, vec![until(AT_MS)]);
        let decision = decide(|given| expire(&state, &until(AT_MS), given));
        let next = after(&state, &decision);
        assert_eq!(status_of(&next), status);
        assert_eq!(stored(&next, call_id(0)).view.status, CallStatus::Denied);
        assert!(decision.effects.is_empty());
    }
}
