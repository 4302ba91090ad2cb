//! A tool call starts: its intent is written before its body runs.

use protocol::{
    ApprovalStatus, CallPreview, CallStatus, CommandError, EffectClass, ErrorClass, ErrorCode,
    RunStatus, StepId,
};
use store::{CallRow, Change, SessionState};

use super::super::{Decision, StartCall, refuse_call, start_call, start_ready};
use super::calls::digest;
use super::{
    AT_MS, BEFORE, after, asking, asks_model, call, call_id, changes_nothing, decide, refused,
    run_id, run_of, started, status_of, told, touching, with_calls,
};
use crate::digest::hex;
use crate::tool::{FileIntent, Intent, ToolError};

type Started = (Option<(StepId, u32)>, Decision);

fn input(ordinal: u32) -> StartCall {
    StartCall {
        run_id: run_id(BEFORE),
        call_id: call_id(ordinal),
        digest: digest(ordinal),
        preview: preview("as it was"),
        effect: EffectClass::Idempotent,
        resources: Vec::new(),
        is_allowed: true,
        intent: Intent::default(),
        expires_at_ms: Some(9_000),
    }
}

fn preview(summary: &str) -> CallPreview {
    CallPreview {
        summary: summary.to_owned(),
        subject: None,
        parts: Vec::new(),
    }
}

fn start(state: &SessionState, input: &StartCall) -> Result<Started, CommandError> {
    decide(|given| start_call(state, input, given))
}

fn going(calls: Vec<CallRow>) -> SessionState {
    with_calls(RunStatus::Running, calls)
}

fn ready(effect: EffectClass) -> CallRow {
    call(0, CallStatus::Ready, effect)
}

/// A call that a person has allowed.
fn allowed(effect: EffectClass) -> CallRow {
    let mut call = ready(effect);
    call.view.approval = asking(0).view.approval;
    call.view.approval.as_mut().unwrap().status = ApprovalStatus::Allowed;
    call
}

/// The same after so many bodies were cut off.
fn cut_off(mut call: CallRow, bodies: u32) -> CallRow {
    call.view.bodies = bodies;
    call.attempt = bodies;
    call.step_id = Some(super::step_id(0xd0));
    if let Some(approval) = &mut call.view.approval {
        approval.consumed_at_ms = Some(4_000);
    }
    call
}

// EFF-2
#[test]
fn the_intent_is_written_with_everything_before_the_body_may_run() {
    let mut input = input(0);
    input.intent = Intent {
        files: vec![FileIntent {
            path: "notes/0.md".to_owned(),
            before: Some(b"ebb".to_vec()),
            after: [7; 32],
        }],
        detail: serde_json::json!({"pid": 1}),
    };
    let state = going(vec![allowed(EffectClass::Idempotent)]);
    let (attempt, decision) = start(&state, &input).unwrap();
    assert_eq!(attempt, Some((super::step_id(0x100), 1)));
    assert_eq!(
        told(&decision),
        [
            "use c0 round 1",
            "create tool step 100",
            "step 100 planned -> running",
            "start attempt 1",
            "checkpoint notes/0.md",
            "call c0 ready -> running",
            "event tool_call_changed",
        ]
    );
    let call = after(&state, &decision).run.unwrap().calls.remove(0);
    assert_eq!((call.view.bodies, call.attempt), (1, 1));
    assert_eq!(call.view.started_at_ms, Some(AT_MS));
    assert_eq!(call.view.approval.unwrap().consumed_at_ms, Some(AT_MS));
    assert_eq!(call.view.files.len(), 1);
    assert_eq!(call.detail, Some(serde_json::json!({"pid": 1})));
}

#[test]
fn only_the_intent_of_what_is_read_need_not_be_on_disk() {
    for effect in EffectClass::ALL {
        let (_, decision) = start(&going(vec![ready(effect)]), &input(0)).unwrap();
        assert_eq!(decision.is_relaxed, effect == EffectClass::Read);
    }
}

// EFF-8
#[test]
fn no_call_starts_unless_its_run_is_going() {
    for status in RunStatus::ALL {
        let state = with_calls(status, vec![ready(EffectClass::Read)]);
        let result = start(&state, &input(0));
        let error = ToolError::definite("It is gone.");
        let refusal =
            decide(|given| refuse_call(&state, run_id(BEFORE), call_id(0), &error, given));
        let again = decide(|given| start_ready(&state, run_id(BEFORE), call_id(0), given));
        if status == RunStatus::Running {
            assert!(result.unwrap().0.is_some());
            assert!(!changes_nothing(&refusal));
            assert_eq!(started(&again), [call_id(0)]);
        } else {
            let expected = (ErrorCode::NotActionable, Some(run_id(BEFORE)));
            assert_eq!(refused(result), expected);
            assert!(changes_nothing(&refusal));
            assert!(changes_nothing(&again));
        }
    }
    let mut deleted = going(vec![ready(EffectClass::Read)]);
    deleted.deleted_at_ms = Some(1);
    assert_eq!(
        refused(start(&deleted, &input(0))).0,
        ErrorCode::NotActionable
    );
}

#[test]
fn a_call_that_is_not_ready_or_not_there_does_not_start() {
    for status in CallStatus::ALL {
        let state = going(vec![call(0, status, EffectClass::Read)]);
        let (attempt, decision) = start(&state, &input(0)).unwrap();
        assert_eq!(attempt.is_some(), status == CallStatus::Ready);
        assert_eq!(changes_nothing(&decision), status != CallStatus::Ready);
    }
    let state = going(vec![ready(EffectClass::Read)]);
    let (attempt, decision) = start(&state, &input(5)).unwrap();
    assert!(attempt.is_none() && changes_nothing(&decision));
    let mut moved_on = state;
    run_of(&mut moved_on).run_id = run_id(0xf);
    let (attempt, decision) = start(&moved_on, &input(0)).unwrap();
    assert!(attempt.is_none() && changes_nothing(&decision));
}

/// It was told to start before something changed that must come first.
#[test]
fn a_call_that_must_wait_for_another_one_does_not_start_and_is_not_asked_to() {
    let first = touching(call(0, CallStatus::Ready, EffectClass::Once), &["file:a"]);
    let second = touching(call(1, CallStatus::Ready, EffectClass::Once), &["file:a"]);
    let state = going(vec![first, second]);
    let (attempt, decision) = start(&state, &input(1)).unwrap();
    assert!(attempt.is_none() && changes_nothing(&decision));
    let again = decide(|given| start_ready(&state, run_id(BEFORE), call_id(1), given));
    assert!(changes_nothing(&again));
    assert!(start(&state, &input(0)).unwrap().0.is_some());

    let calls = (0..9).map(|place| {
        let status = if place < 8 {
            CallStatus::Running
        } else {
            CallStatus::Ready
        };
        call(place, status, EffectClass::Read)
    });
    let (attempt, _) = start(&going(calls.collect()), &input(8)).unwrap();
    assert!(attempt.is_none(), "eight run already");
}

// APR-6
#[test]
fn what_is_not_what_was_allowed_is_asked_about_in_a_next_round() {
    let other = StartCall {
        digest: [0xee; 32],
        preview: preview("as it is now"),
        is_allowed: false,
        ..input(0)
    };
    for (stored, round) in [
        (ready(EffectClass::Once), 1),
        (allowed(EffectClass::Once), 2),
        (cut_off(allowed(EffectClass::Idempotent), 1), 2),
    ] {
        let state = going(vec![stored]);
        let (attempt, decision) = start(&state, &other).unwrap();
        assert_eq!(attempt, None);
        assert_eq!(
            told(&decision),
            [
                &format!("ask c0 round {round}"),
                "call c0 ready -> waiting",
                "event tool_call_changed",
                "run b running -> waiting -",
                "event run_waiting",
            ]
        );
        assert!(!decision.is_relaxed);
        let call = after(&state, &decision).run.unwrap().calls.remove(0);
        let approval = call.view.approval.unwrap();
        assert_eq!(approval.digest, hex(&[0xee; 32]));
        assert_eq!(approval.status, ApprovalStatus::Pending);
        assert_eq!(approval.expires_at_ms, Some(9_000));
        assert_eq!(call.digest, Some([0xee; 32]));
        assert_eq!(call.view.preview, Some(preview("as it is now")));
    }
}

// APR-5
#[test]
fn an_answer_is_used_once() {
    let mut used = allowed(EffectClass::Once);
    used.view.approval.as_mut().unwrap().consumed_at_ms = Some(4_000);
    let (attempt, _) = start(&going(vec![used]), &input(0)).unwrap();
    assert_eq!(attempt, None, "used without a body: somebody else's");

    // A body that was cut off, and may or shall run again, goes by the answer that it used.
    for effect in EffectClass::ALL {
        let state = going(vec![cut_off(allowed(effect), 1)]);
        let (attempt, decision) = start(&state, &input(0)).unwrap();
        assert_eq!(attempt, Some((super::step_id(0xd0), 2)));
        assert_eq!(
            told(&decision)[..2],
            ["step d0 interrupted -> running", "start attempt 2"]
        );
    }
}

#[test]
fn no_answer_but_an_allowing_one_starts_anything() {
    for status in ApprovalStatus::ALL {
        let mut call = allowed(EffectClass::Once);
        call.view.approval.as_mut().unwrap().status = status;
        let (attempt, _) = start(&going(vec![call]), &input(0)).unwrap();
        assert_eq!(attempt.is_some(), status == ApprovalStatus::Allowed);
    }
}

// EFF-3
#[test]
fn a_call_that_is_cut_off_again_and_again_is_given_up_after_three_bodies() {
    for effect in [EffectClass::Read, EffectClass::Idempotent] {
        for bodies in 0..=4 {
            let state = going(vec![cut_off(ready(effect), bodies)]);
            let mut state = state;
            if bodies == 0 {
                run_of(&mut state).calls[0].step_id = None;
            }
            let (attempt, decision) = start(&state, &input(0)).unwrap();
            assert_eq!(attempt.is_some(), bodies < 3, "{bodies}");
            if bodies >= 3 {
                let next = after(&state, &decision);
                let call = &next.run.as_ref().unwrap().calls[0];
                assert_eq!(call.view.status, CallStatus::Failed);
                assert!(call.view.result.as_ref().unwrap().is_error);
                assert!(asks_model(&decision));
            }
        }
    }
}

// EFF-3, EFF-4
#[test]
fn a_call_that_must_not_repeat_starts_as_often_as_the_person_says() {
    // Each of these bodies was asked for. To call it failed would say what nobody knows.
    for bodies in 1..=5 {
        let state = going(vec![cut_off(allowed(EffectClass::Once), bodies)]);
        let (attempt, _) = start(&state, &input(0)).unwrap();
        assert_eq!(attempt, Some((super::step_id(0xd0), bodies + 1)));
    }
}

#[test]
fn the_notes_and_before_images_of_the_first_body_are_the_ones_to_go_by() {
    let mut call = cut_off(ready(EffectClass::Idempotent), 1);
    call.detail = Some(serde_json::json!(1));
    call.view.files = vec![protocol::FileChange {
        path: "notes/0.md".to_owned(),
        before: None,
        after: hex(&[7; 32]),
        undone_at_ms: None,
    }];
    let mut input = input(0);
    input.intent.detail = serde_json::json!(2);
    input.intent.files = vec![FileIntent {
        path: "notes/0.md".to_owned(),
        before: Some(b"half".to_vec()),
        after: [7; 32],
    }];
    let state = going(vec![call]);
    let (_, decision) = start(&state, &input).unwrap();
    let is_checkpoint = |change: &Change| matches!(change, Change::AddCheckpoint { .. });
    assert!(!decision.changes.iter().any(is_checkpoint));
    let call = after(&state, &decision).run.unwrap().calls.remove(0);
    assert_eq!(call.detail, Some(serde_json::json!(1)));
    assert_eq!(call.view.files[0].before, None);
}

// RUN-6
#[test]
fn a_call_that_turns_out_not_to_be_able_to_start_fails_with_the_reason() {
    let state = going(vec![ready(EffectClass::Once), asking(1)]);
    let error = ToolError::definite("There is no such tool.").of(ErrorClass::Tool);
    let decision = decide(|given| refuse_call(&state, run_id(BEFORE), call_id(0), &error, given));
    let next = after(&state, &decision);
    let call = &next.run.as_ref().unwrap().calls[0];
    assert_eq!(call.view.status, CallStatus::Failed);
    let result = call.view.result.as_ref().unwrap();
    assert_eq!(result.text, "There is no such tool.");
    assert_eq!(result.class, Some(ErrorClass::Tool));
    assert_eq!(status_of(&next), RunStatus::Waiting);
}
