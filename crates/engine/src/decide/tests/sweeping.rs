//! Taking up what a dead process left.

use std::collections::HashMap;

use protocol::{
    ApprovalStatus, CallStatus, EffectClass, RunReason, RunStatus, Settings, StepStatus,
};
use store::{CallRow, SessionState};

use super::super::{Decision, follow_up, sweep};
use super::queueing::queued;
use super::{
    AT_MS, after, asking, asks_model, call, changes_nothing, decide, every_run, quiet, run_id,
    run_of, running, status_of, told, with_calls, with_run,
};

fn swept(state: &SessionState) -> Decision {
    swept_with(state, &Settings::default())
}

fn swept_with(state: &SessionState, settings: &Settings) -> Decision {
    let can_check = HashMap::from([("write_file".to_owned(), true)]);
    decide(|given| sweep(state, &[], settings, &can_check, given))
}

fn forgetting() -> Settings {
    Settings {
        keep_approvals: false,
        ..Settings::default()
    }
}

fn calls_of(state: &SessionState) -> &[CallRow] {
    &state.run.as_ref().unwrap().calls
}

/// Every way in which a run and two of its calls can stand.
fn every_state() -> Vec<SessionState> {
    let mut states = every_run();
    states.push(quiet());
    states.push(running("The tide"));
    let mut to_retry = with_run(RunStatus::Running, StepStatus::Interrupted, "");
    run_of(&mut to_retry).retry = Some(super::retrying::retry(AT_MS));
    states.push(to_retry);
    for run in RunStatus::ALL {
        for effect in EffectClass::ALL {
            for one in CallStatus::ALL {
                for other in CallStatus::ALL {
                    let calls = vec![call(0, one, effect), call(1, other, effect)];
                    states.push(with_calls(run, calls));
                }
            }
        }
    }
    states
}

// RUN-12
#[test]
fn sweeping_twice_is_sweeping_once() {
    for state in every_state() {
        for settings in [Settings::default(), forgetting()] {
            let decision = swept_with(&state, &settings);
            assert!(decision.effects.is_empty(), "nothing is going yet");
            let once = after(&state, &decision);
            let again = swept_with(&once, &settings);
            assert!(changes_nothing(&again), "{:?} on {once:?}", told(&again));
        }
    }
}

// RUN-12, EFF-3
#[test]
fn after_a_sweep_nothing_runs_and_only_what_must_not_repeat_is_in_doubt() {
    for state in every_state() {
        let Some(before) = state.run.clone() else {
            assert!(changes_nothing(&swept(&state)));
            continue;
        };
        let next = after(&state, &swept(&state)).run.unwrap();
        assert!(next.status != RunStatus::Running || next.retry.is_some());
        for (was, is) in before.calls.iter().zip(&next.calls) {
            let (was, is) = (&was.view, &is.view);
            let expected = match (was.status, was.effect) {
                (CallStatus::Running, EffectClass::Once) => CallStatus::InDoubt,
                (CallStatus::Running, _) if before.status.is_terminal() => CallStatus::Cancelled,
                (CallStatus::Running, _) => CallStatus::Ready,
                (other, _) => other,
            };
            assert_eq!(is.status, expected);
            assert_eq!(is.result.is_some(), expected.is_terminal());
            let is_new = was.status == CallStatus::Running && expected == CallStatus::InDoubt;
            if is_new {
                assert!(is.doubt.as_ref().unwrap().can_check);
                assert_eq!(is.doubt.as_ref().unwrap().next_check_at_ms, None);
            }
        }
    }
}

// RUN-13
#[test]
fn a_run_that_was_going_is_interrupted_with_its_text_and_counted() {
    assert_eq!(
        told(&swept(&running("The tide"))),
        [
            "count crash",
            "end attempt 2 interrupted at 8 bytes",
            "step b running -> interrupted",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_interrupted",
            "run b running -> interrupted app_ended",
            "event run_interrupted",
        ]
    );
}

#[test]
fn a_call_that_was_running_ends_with_its_attempt() {
    let state = with_calls(
        RunStatus::Running,
        vec![call(0, CallStatus::Running, EffectClass::Idempotent)],
    );
    assert_eq!(
        told(&swept(&state)),
        [
            "end attempt 1 interrupted at 0 bytes",
            "step d0 running -> interrupted",
            "call c0 running -> ready",
            "event tool_call_changed",
            "count crash",
            "run b running -> interrupted app_ended",
            "event run_interrupted",
        ]
    );
}

// RUN-12
#[test]
fn only_a_run_that_was_going_is_interrupted_and_counted() {
    for state in every_run() {
        let decision = swept(&state);
        let is_counted = told(&decision).contains(&"count crash".to_owned());
        assert_eq!(is_counted, status_of(&state) == RunStatus::Running);
        let next = after(&state, &decision);
        if is_counted {
            assert_eq!(status_of(&next), RunStatus::Interrupted);
            assert_eq!(next.run.unwrap().reason, Some(RunReason::AppEnded));
        } else {
            assert_eq!(status_of(&next), status_of(&state));
        }
    }
}

// RUN-8
#[test]
fn a_run_that_waits_for_its_next_try_goes_on_waiting() {
    let mut state = with_run(RunStatus::Running, StepStatus::Interrupted, "");
    run_of(&mut state).retry = Some(super::retrying::retry(1));
    assert!(changes_nothing(&swept(&state)));
    // One whose try had begun was going.
    run_of(&mut state).step.as_mut().unwrap().status = StepStatus::Running;
    let next = after(&state, &swept(&state)).run.unwrap();
    assert_eq!((next.status, next.retry), (RunStatus::Interrupted, None));
}

// APR-8
#[test]
fn questions_survive_a_restart_or_are_closed_by_it() {
    for run in RunStatus::ALL {
        let ready = call(1, CallStatus::Ready, EffectClass::Read);
        let unknown = call(2, CallStatus::InDoubt, EffectClass::Once);
        let state = with_calls(run, vec![asking(0), ready, unknown]);
        let kept = after(&state, &swept(&state));
        assert_eq!(
            calls_of(&kept)[0].view.status,
            CallStatus::Waiting,
            "{run:?}"
        );

        let closed = after(&state, &swept_with(&state, &forgetting()));
        let asked = &calls_of(&closed)[0].view;
        assert_eq!(asked.status, CallStatus::Cancelled, "{run:?}");
        assert!(asked.result.is_some());
        let approval = asked.approval.as_ref().unwrap();
        assert_eq!(approval.status, ApprovalStatus::Closed);
        assert_eq!(calls_of(&closed)[2].view.status, CallStatus::InDoubt);
        let expected = match run {
            RunStatus::Running => RunStatus::Interrupted,
            RunStatus::Waiting => RunStatus::Stopped,
            other => other,
        };
        assert_eq!(status_of(&closed), expected);
    }
}

// STO-19
#[test]
fn what_calls_staged_is_merged_when_a_sweep_ends_the_last_of_them() {
    let done = call(0, CallStatus::Completed, EffectClass::Read);
    let going = call(1, CallStatus::Running, EffectClass::Read);
    for status in RunStatus::ALL {
        let state = with_calls(status, vec![done.clone(), going.clone()]);
        let is_merged = told(&swept(&state)).contains(&"merge state".to_owned());
        assert_eq!(is_merged, status.is_terminal(), "{status:?}");
    }
}

#[test]
fn a_run_that_waits_for_a_doubt_alone_goes_on_waiting() {
    let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
    let state = with_calls(RunStatus::Waiting, vec![unknown]);
    assert!(changes_nothing(&swept_with(&state, &forgetting())));
}

/// Of runs that the session has left behind.
#[test]
fn calls_that_strayed_are_swept_as_well() {
    for effect in EffectClass::ALL {
        let stray = [call(0, CallStatus::Running, effect)];
        let mut state = with_calls(RunStatus::Completed, Vec::new());
        run_of(&mut state).run_id = run_id(0xf);
        let none = HashMap::new();
        let decision = decide(|given| sweep(&state, &stray, &Settings::default(), &none, given));
        let to = match effect {
            EffectClass::Once => "in_doubt",
            _ => "ready",
        };
        assert_eq!(told(&decision)[2], format!("call c0 running -> {to}"));
    }
}

// RUN-12
#[test]
fn a_message_that_a_completed_run_left_waiting_is_sent_once() {
    for mut state in every_run() {
        state.queue = vec![queued(1)];
        let decision = decide(|given| follow_up(&state, given));
        let is_sent = status_of(&state) == RunStatus::Completed;
        assert_eq!(asks_model(&decision), is_sent);
        if is_sent {
            let next = after(&state, &decision);
            assert!(next.queue.is_empty());
            assert!(changes_nothing(&decide(|given| follow_up(&next, given))));
        }
        // Not past a doubt, and not in a session that is gone.
        state.doubts = vec![super::call_id(0)];
        assert!(changes_nothing(&decide(|given| follow_up(&state, given))));
        state.doubts.clear();
        state.deleted_at_ms = Some(1);
        assert!(changes_nothing(&decide(|given| follow_up(&state, given))));
    }
}
