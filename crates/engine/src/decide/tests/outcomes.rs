//! The body of a tool call ended: outcome and result are written together.

use protocol::{CallStatus, EffectClass, ErrorClass, RunLimits, RunReason, RunStatus, StepId};
use store::{CallRow, Change, SessionState, StateChange};

use super::super::{CallEnd, Decision, RESULT_BYTES, call_outcome};
use super::{
    AT_MS, after, asking, asks_model, call, call_id, changes_nothing, decide, limited, run_id,
    run_of, started, status_of, step_id, told, touching, with_calls,
};
use crate::tool::{Output, ToolError};

fn every_end() -> Vec<CallEnd> {
    vec![
        CallEnd::Completed(Output::text("ebb")),
        CallEnd::Failed(ToolError::definite("No such file.")),
        CallEnd::Stopped,
        CallEnd::Interrupted,
        unseen(),
    ]
}

fn unseen() -> CallEnd {
    CallEnd::Unseen {
        class: ErrorClass::Timeout,
        reason: "It took too long.".to_owned(),
    }
}

fn going(effect: EffectClass) -> CallRow {
    call(0, CallStatus::Running, effect)
}

/// The end of the newest body of the first call.
fn ended(state: &SessionState, end: &CallEnd) -> Decision {
    let call = state.run.as_ref().unwrap().calls[0].clone();
    let attempt = (call.step_id.unwrap(), call.attempt);
    ended_as(state, &call, attempt, end)
}

fn ended_as(
    state: &SessionState,
    call: &CallRow,
    attempt: (StepId, u32),
    end: &CallEnd,
) -> Decision {
    decide(|given| call_outcome(state, call, attempt, end, true, given))
}

fn first(state: &SessionState) -> &CallRow {
    &state.run.as_ref().unwrap().calls[0]
}

// EFF-2
#[test]
fn attempt_step_and_result_are_written_together_and_the_run_goes_on() {
    let state = with_calls(RunStatus::Running, vec![going(EffectClass::Once)]);
    let decision = ended(&state, &CallEnd::Completed(Output::text("ebb")));
    assert_eq!(
        told(&decision)[..5],
        [
            "end attempt 1 completed at 0 bytes",
            "step d0 running -> completed",
            "call c0 running -> completed",
            "event tool_call_changed",
            "merge state",
        ]
    );
    assert!(asks_model(&decision));
}

/// Every end, every class, every run.
// EFF-3, EFF-4
#[test]
fn only_what_must_not_repeat_and_was_not_seen_to_end_is_in_doubt() {
    for end in every_end() {
        for effect in EffectClass::ALL {
            for status in RunStatus::ALL {
                let state = with_calls(status, vec![going(effect)]);
                let decision = ended(&state, &end);
                let next = after(&state, &decision);
                let once = effect == EffectClass::Once;
                let expected = match &end {
                    CallEnd::Completed(_) => CallStatus::Completed,
                    CallEnd::Failed(_) => CallStatus::Failed,
                    CallEnd::Stopped => CallStatus::Cancelled,
                    CallEnd::Interrupted | CallEnd::Unseen { .. } if once => CallStatus::InDoubt,
                    CallEnd::Interrupted if status.is_terminal() => CallStatus::Cancelled,
                    CallEnd::Interrupted => CallStatus::Ready,
                    CallEnd::Unseen { .. } => CallStatus::Failed,
                };
                let view = &first(&next).view;
                let what = format!("{end:?} {effect:?} {status:?}");
                assert_eq!(view.status, expected, "{what}");
                assert_eq!(view.result.is_some(), expected.is_terminal(), "{what}");
                assert_eq!(view.ended_at_ms.is_some(), expected.is_terminal(), "{what}");
                assert_eq!(
                    view.doubt.is_some(),
                    expected == CallStatus::InDoubt,
                    "{what}"
                );
                let may_go_on = matches!(status, RunStatus::Running | RunStatus::Waiting);
                assert_eq!(
                    asks_model(&decision),
                    may_go_on && expected.is_terminal(),
                    "{what}"
                );
                if !may_go_on {
                    assert_eq!(status_of(&next), status, "{what}");
                    assert!(decision.effects.is_empty(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_result_is_a_failure_only_by_its_flag() {
    let state = with_calls(RunStatus::Running, vec![going(EffectClass::Once)]);
    let next = after(
        &state,
        &ended(&state, &CallEnd::Completed(Output::text("error: no"))),
    );
    let result = first(&next).view.result.clone().unwrap();
    assert_eq!((result.is_error, result.class), (false, None));
    let failed = CallEnd::Failed(ToolError::definite("ok").of(ErrorClass::Permission));
    let next = after(&state, &ended(&state, &failed));
    let result = first(&next).view.result.clone().unwrap();
    assert_eq!(
        (result.is_error, result.class),
        (true, Some(ErrorClass::Permission))
    );
    assert_eq!(result.text, "ok");
}

// RUN-15
#[test]
fn an_outcome_of_an_attempt_that_is_over_changes_nothing() {
    for status in CallStatus::ALL {
        let mut row = going(EffectClass::Once);
        row.view.status = status;
        let state = with_calls(RunStatus::Running, vec![row.clone()]);
        let end = CallEnd::Completed(Output::text("ebb"));
        let decision = ended_as(&state, &row, (step_id(0xd0), 1), &end);
        assert_eq!(changes_nothing(&decision), status != CallStatus::Running);
        for attempt in [(step_id(0xd0), 2), (step_id(0xd0), 0), (step_id(0xd1), 1)] {
            assert!(changes_nothing(&ended_as(&state, &row, attempt, &end)));
        }
    }
}

#[test]
fn an_outcome_is_kept_although_the_session_has_moved_on() {
    for end in every_end() {
        let row = going(EffectClass::Once);
        let mut newer = with_calls(RunStatus::Running, Vec::new());
        run_of(&mut newer).run_id = run_id(0xf);
        let decision = ended_as(&newer, &row, (step_id(0xd0), 1), &end);
        let lines = told(&decision);
        assert!(lines[2].starts_with("call c0 running -> "), "{lines:?}");
        assert!(decision.effects.is_empty());
        assert!(!lines.iter().any(|line| line.starts_with("run ")));
        assert!(!decision.is_relaxed);
    }
}

// STO-19
#[test]
fn only_a_call_that_ended_well_stages_its_changes() {
    let output = Output {
        text: "ebb".to_owned(),
        state: vec![StateChange::Add {
            key: "count".to_owned(),
            by: 1,
        }],
    };
    for status in RunStatus::ALL {
        let state = with_calls(status, vec![going(EffectClass::Once)]);
        for end in every_end() {
            let lines = told(&ended(&state, &end));
            assert!(!lines.contains(&"stage 1".to_owned()), "nothing to stage");
        }
        let lines = told(&ended(&state, &CallEnd::Completed(output.clone())));
        let place = |what: &str| lines.iter().position(|line| line == what).unwrap();
        // All calls are over: it is merged in the same commit, whatever has become of the run.
        assert!(place("stage 1") < place("merge state"), "{status:?}");
    }
    let state = with_calls(
        RunStatus::Running,
        vec![going(EffectClass::Once), asking(1)],
    );
    let lines = told(&ended(&state, &CallEnd::Completed(output)));
    assert!(
        !lines.contains(&"merge state".to_owned()),
        "another one is not over"
    );
}

#[test]
fn the_next_call_that_waited_for_this_one_starts() {
    let next = touching(call(1, CallStatus::Ready, EffectClass::Once), &["file:0"]);
    for end in every_end() {
        let state = with_calls(
            RunStatus::Running,
            vec![going(EffectClass::Once), next.clone()],
        );
        let decision = ended(&state, &end);
        let is_over = first(&after(&state, &decision)).view.status.is_terminal();
        let expected: &[_] = if is_over { &[call_id(1)] } else { &[] };
        assert_eq!(started(&decision), expected, "{end:?}");
    }
}

#[test]
fn only_what_was_read_and_asks_nobody_need_not_be_on_disk() {
    for effect in EffectClass::ALL {
        for (calls, goes_on) in [
            (vec![going(effect)], true),
            (vec![going(effect), asking(1)], false),
        ] {
            for end in every_end() {
                let state = with_calls(RunStatus::Running, calls.clone());
                let decision = ended(&state, &end);
                let may = effect == EffectClass::Read && (goes_on || end == CallEnd::Interrupted);
                assert_eq!(decision.is_relaxed, may, "{effect:?} {end:?} {goes_on}");
            }
        }
    }
}

// EFF-6
#[test]
fn a_long_result_is_cut_on_a_character_and_kept_whole_beside() {
    let state = with_calls(RunStatus::Running, vec![going(EffectClass::Once)]);
    let saved = |text: String| {
        let decision = ended(&state, &CallEnd::Completed(Output::text(text)));
        let saved = decision
            .changes
            .into_iter()
            .find_map(|change| match change {
                Change::SaveCall {
                    call, result_whole, ..
                } => Some((call.view.result.unwrap(), result_whole)),
                _ => None,
            });
        saved.unwrap()
    };
    let (result, whole) = saved("x".repeat(RESULT_BYTES));
    assert_eq!(result.text.len() as u64, result.total_bytes);
    assert_eq!(whole, None);
    let long = format!("x{}", "ü".repeat(RESULT_BYTES));
    let (result, whole) = saved(long.clone());
    assert_eq!(result.text.len(), RESULT_BYTES - 1);
    assert_eq!(result.total_bytes, long.len() as u64);
    assert_eq!(whole, Some(long));
}

// RUN-11
#[test]
fn what_the_body_used_counts_before_the_model_is_asked_again() {
    let limits = [
        (
            RunReason::StepLimit,
            RunLimits {
                steps: Some(1),
                ..RunLimits::default()
            },
        ),
        (
            RunReason::TimeLimit,
            RunLimits {
                seconds: Some(1),
                ..RunLimits::default()
            },
        ),
    ];
    for (reason, limits) in limits {
        let mut state = with_calls(RunStatus::Running, vec![going(EffectClass::Read)]);
        limited(&mut state, limits);
        // It began a second ago.
        assert_eq!(first(&state).view.started_at_ms, Some(AT_MS - 1_000));
        let decision = ended(&state, &CallEnd::Completed(Output::text("ebb")));
        let next = after(&state, &decision).run.unwrap();
        assert_eq!(
            (next.status, next.reason),
            (RunStatus::Stopped, Some(reason))
        );
        assert!(!decision.is_relaxed);
    }
}
