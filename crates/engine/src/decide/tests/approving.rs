//! The person answers an approval, or nobody does in time.

use protocol::{
    ApprovalStatus, ApprovalView, CallStatus, CommandError, Decision as Choice, EffectClass,
    ErrorClass, ErrorCode, RunStatus,
};
use store::{CallRow, Change, SessionState};

use super::super::{Answer, DecideCall, Decision, PlannedCall, decide_call};
use super::calls::digest;
use super::{
    AT_MS, BEFORE, after, asking, asks_model, call, call_id, changes_nothing, decide, refused,
    run_id, run_of, started, status_of, told, touching, with_calls,
};
use crate::digest::hex;

pub(super) fn answer(ordinal: u32, choice: Choice) -> DecideCall {
    DecideCall {
        call_id: call_id(ordinal),
        digest: hex(&digest(ordinal)),
        choice,
        from: Some("main".to_owned()),
        edited: None,
    }
}

fn deny(reason: Option<&str>) -> Choice {
    Choice::Deny {
        reason: reason.map(str::to_owned),
    }
}

pub(super) fn decided(
    state: &SessionState,
    input: &DecideCall,
) -> Result<(Answer, Decision), CommandError> {
    let call = stored(state, input.call_id);
    decide(|given| decide_call(state, &call, input, given))
}

pub(super) fn stored(state: &SessionState, call_id: protocol::CallId) -> CallRow {
    let mut calls = state.run.as_ref().unwrap().calls.iter();
    calls
        .find(|one| one.view.call_id == call_id)
        .unwrap()
        .clone()
}

pub(super) fn waiting(calls: Vec<CallRow>) -> SessionState {
    with_calls(RunStatus::Waiting, calls)
}

// APR-7, APR-5
#[test]
fn an_allowed_call_is_ready_and_its_run_goes_on() {
    let state = waiting(vec![asking(0)]);
    let (answered, decision) = decided(&state, &answer(0, Choice::AllowOnce {})).unwrap();
    assert_eq!(
        told(&decision),
        [
            "answer c0 round 1 allowed",
            "call c0 waiting -> ready",
            "event tool_call_changed",
            "run b waiting -> running -",
            "event run_continued",
            "start call c0",
        ]
    );
    assert!(!decision.is_relaxed);
    let Answer::Recorded(approval) = answered else {
        panic!("{answered:?}")
    };
    let decision = approval.decision.unwrap();
    assert_eq!(decision.at_ms, AT_MS);
    assert_eq!(decision.from.as_deref(), Some("main"));
    assert_eq!(decision.decision, Choice::AllowOnce {});
    assert_eq!(approval.consumed_at_ms, None);
}

// APR-5
#[test]
fn a_denial_reaches_the_model_with_its_reason() {
    for (reason, text) in [
        (Some(" too wet "), "The person denied this call: too wet"),
        (Some("  "), "The person denied this call."),
        (None, "The person denied this call."),
    ] {
        let state = waiting(vec![asking(0)]);
        let (_, decision) = decided(&state, &answer(0, deny(reason))).unwrap();
        let denied = stored(&after(&state, &decision), call_id(0));
        assert_eq!(denied.view.status, CallStatus::Denied);
        let result = denied.view.result.unwrap();
        assert_eq!(result.text, text);
        assert!(result.is_error);
        assert_eq!(result.class, Some(ErrorClass::Permission));
        assert!(asks_model(&decision));
    }
}

// APR-4
#[test]
fn several_calls_are_decided_in_any_order_with_opposite_answers() {
    let first = waiting(vec![asking(0), asking(1), asking(2)]);
    let (_, decision) = decided(&first, &answer(2, deny(None))).unwrap();
    let second = after(&first, &decision);
    assert_eq!(status_of(&second), RunStatus::Waiting);
    assert!(decision.effects.is_empty());
    let (_, decision) = decided(&second, &answer(0, Choice::AllowOnce {})).unwrap();
    assert_eq!(started(&decision), [call_id(0)]);
    let third = after(&second, &decision);
    assert_eq!(status_of(&third), RunStatus::Running);
    let (_, decision) = decided(&third, &answer(1, deny(None))).unwrap();
    let last = after(&third, &decision);
    assert_eq!(status_of(&last), RunStatus::Running);
    assert!(!asks_model(&decision), "the allowed one is not over");
}

// APR-2, APR-3
#[test]
fn the_first_answer_stands_whatever_comes_later() {
    for status in ApprovalStatus::ALL {
        let mut asked = asking(0);
        asked.view.approval.as_mut().unwrap().status = status;
        asked.view.status = match status {
            ApprovalStatus::Pending => CallStatus::Waiting,
            ApprovalStatus::Allowed => CallStatus::Ready,
            ApprovalStatus::Denied | ApprovalStatus::Expired => CallStatus::Denied,
            ApprovalStatus::Superseded | ApprovalStatus::Closed => CallStatus::Cancelled,
        };
        for run in RunStatus::ALL {
            let state = with_calls(run, vec![asked.clone()]);
            for choice in [Choice::AllowOnce {}, deny(None)] {
                let result = decided(&state, &answer(0, choice));
                match (status, run.is_terminal()) {
                    (ApprovalStatus::Pending, false) => {
                        assert!(matches!(result.unwrap().0, Answer::Recorded(_)));
                    }
                    // APR-3: a decision on a run that ended.
                    (ApprovalStatus::Pending, true) => {
                        assert_eq!(refused(result).0, ErrorCode::NotActionable);
                    }
                    (standing, _) => {
                        let (answered, decision) = result.unwrap();
                        let Answer::TooLate(approval) = answered else {
                            panic!("{answered:?}")
                        };
                        assert_eq!(approval.status, standing);
                        assert!(changes_nothing(&decision));
                    }
                }
            }
        }
    }
}

#[test]
fn an_answer_to_a_halted_run_is_kept_for_its_resume() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let state = with_calls(status, vec![asking(0)]);
        let (_, decision) = decided(&state, &answer(0, Choice::AllowOnce {})).unwrap();
        let next = after(&state, &decision);
        assert_eq!(status_of(&next), status);
        assert_eq!(stored(&next, call_id(0)).view.status, CallStatus::Ready);
        assert!(decision.effects.is_empty());
    }
}

// APR-3, APR-6
#[test]
fn an_answer_that_does_not_fit_what_is_asked_is_refused_and_records_nothing() {
    let state = waiting(vec![asking(0)]);
    let other = DecideCall {
        digest: hex(&digest(1)),
        ..answer(0, Choice::AllowOnce {})
    };
    let error = decided(&state, &other).unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongDigest);
    assert_eq!(error.run_id, Some(run_id(BEFORE)));
    assert!(error.approval.is_some(), "it says what is asked");

    // Never asked.
    let ready = call(0, CallStatus::Ready, EffectClass::Read);
    let result = decided(&waiting(vec![ready]), &answer(0, Choice::AllowOnce {}));
    assert_eq!(refused(result).0, ErrorCode::NotActionable);

    // In doubt, which is settled in another way, although it was asked about before.
    let mut unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
    unknown.view.approval = asking(0).view.approval;
    let result = decided(&waiting(vec![unknown]), &answer(0, Choice::AllowOnce {}));
    assert_eq!(refused(result).0, ErrorCode::NotActionable);

    // Of a run that the session has left behind.
    let mut newer = waiting(vec![asking(0)]);
    let asked = asking(0);
    run_of(&mut newer).run_id = run_id(0xf);
    let input = answer(0, Choice::AllowOnce {});
    let result = decide(|given| decide_call(&newer, &asked, &input, given));
    assert_eq!(refused(result).0, ErrorCode::NotActionable);
}

// APR-7
#[test]
fn a_remembered_answer_becomes_a_rule_of_its_scope() {
    let state = waiting(vec![asking(0)]);
    let rule = |choice| {
        let (_, decision) = decided(&state, &answer(0, choice)).unwrap();
        assert_eq!(started(&decision), [call_id(0)]);
        let rules = told(&decision).into_iter();
        let mut rules = rules.filter(|line| line.starts_with("rule "));
        rules.next().unwrap()
    };
    let session = "Session { session_id: ses_00000000000000000000000000000001 }";
    assert_eq!(
        rule(Choice::AllowInSession { pattern: None }),
        format!(r#"rule allow write_file Some("notes/0.md") {session}"#)
    );
    let pattern = Some("notes/*".to_owned());
    assert_eq!(
        rule(Choice::AllowInSession {
            pattern: pattern.clone()
        }),
        format!(r#"rule allow write_file Some("notes/*") {session}"#)
    );
    assert_eq!(
        rule(Choice::AllowAlways { pattern }),
        r#"rule allow write_file Some("notes/*") Global"#
    );
}

// APR-7
#[test]
fn remembering_exactly_one_thing_allows_nothing_that_only_looks_like_it() {
    let mut asked = asking(0);
    asked.view.preview.as_mut().unwrap().subject = Some("notes/*.md".to_owned());
    let state = waiting(vec![asked]);
    let choice = Choice::AllowAlways { pattern: None };
    let (_, decision) = decided(&state, &answer(0, choice)).unwrap();
    let rule = decision
        .changes
        .into_iter()
        .find_map(|change| match change {
            Change::AddRule(rule) => Some(rule),
            _ => None,
        });
    let rule = rule.unwrap();
    assert_eq!(rule.made_by, Some(call_id(0)));
    let verdict = |subject| {
        let rules = std::slice::from_ref(&rule);
        let default = protocol::Verdict::Ask;
        crate::policy::verdict(rules, "write_file", Some(subject), default).verdict
    };
    assert_eq!(verdict("notes/*.md"), protocol::Verdict::Allow);
    assert_eq!(verdict("notes/tides.md"), protocol::Verdict::Ask);
}

#[test]
fn a_pattern_that_cannot_be_read_records_nothing() {
    let state = waiting(vec![asking(0)]);
    let hostile = ["[".to_owned(), "{".repeat(400) + "a" + &"}".repeat(400)];
    for pattern in hostile {
        let choice = Choice::AllowAlways {
            pattern: Some(pattern),
        };
        let result = decided(&state, &answer(0, choice));
        assert_eq!(refused(result).0, ErrorCode::InvalidValue);
    }
}

/// What the person wrote instead, planned.
fn edited(ordinal: u32) -> PlannedCall {
    let mut call = touching(asking(ordinal), &["file:other"]);
    call.view.arguments = r#"{"path":"other"}"#.to_owned();
    call.view.effect = EffectClass::Idempotent;
    call.view.preview.as_mut().unwrap().summary = "Write other".to_owned();
    call.digest = Some([0xee; 32]);
    let approval = call.view.approval.take();
    PlannedCall { call, approval }
}

// APR-7, APR-6
#[test]
fn edited_arguments_are_a_round_of_their_own_that_is_allowed_at_once() {
    let state = waiting(vec![asking(0)]);
    let arguments = r#"{"path":"other"}"#.to_owned();
    let input = DecideCall {
        edited: Some(Box::new(edited(0))),
        ..answer(0, Choice::EditAndAllow { arguments })
    };
    let (answered, decision) = decided(&state, &input).unwrap();
    assert_eq!(
        told(&decision)[..5],
        [
            "answer c0 round 1 allowed",
            "ask c0 round 2",
            "answer c0 round 2 allowed",
            "call c0 waiting -> ready",
            "event tool_call_changed",
        ]
    );
    assert_eq!(started(&decision), [call_id(0)]);
    let Answer::Recorded(ApprovalView { round, digest, .. }) = answered else {
        panic!("{answered:?}")
    };
    assert_eq!((round, digest), (2, hex(&[0xee; 32])));
    let call = stored(&after(&state, &decision), call_id(0));
    assert_eq!(call.view.arguments, r#"{"path":"other"}"#);
    assert_eq!(
        call.view.proposed_arguments.as_deref(),
        Some(r#"{"path":"0"}"#)
    );
    assert_eq!(call.view.effect, EffectClass::Idempotent);
    assert_eq!(call.view.preview.unwrap().summary, "Write other");
    assert_eq!(call.resources, ["file:other"]);
    assert_eq!(call.digest, Some([0xee; 32]));
}

#[test]
fn what_the_model_sent_is_kept_over_a_second_edit() {
    let mut asked = asking(0);
    asked.view.proposed_arguments = Some("{}".to_owned());
    let state = waiting(vec![asked]);
    let input = DecideCall {
        edited: Some(Box::new(edited(0))),
        ..answer(
            0,
            Choice::EditAndAllow {
                arguments: String::new(),
            },
        )
    };
    let (_, decision) = decided(&state, &input).unwrap();
    let call = stored(&after(&state, &decision), call_id(0));
    assert_eq!(call.view.proposed_arguments.as_deref(), Some("{}"));
}

#[test]
fn an_edit_that_was_not_prepared_records_nothing() {
    let arguments = "{}".to_owned();
    let input = answer(0, Choice::EditAndAllow { arguments });
    let result = decided(&waiting(vec![asking(0)]), &input);
    assert_eq!(refused(result).0, ErrorCode::Internal);
}
