//! Resume.

use protocol::{CallStatus, EffectClass, ErrorCode, RunLimits, RunReason, RunStatus, StepStatus};

use super::super::{Decision, resume_run};
use super::{
    BEFORE, NEW, after, asking, asks_model, call, call_id, decide, every_run, halted, limited,
    quiet, refused, run_id, run_of, started, status_of, told, with_calls, with_run,
};

fn resume(state: &store::SessionState) -> Result<Decision, protocol::CommandError> {
    decide(|given| resume_run(state, run_id(BEFORE), given))
}

// RUN-15, STP-5
#[test]
fn a_halted_run_goes_on_with_a_new_attempt_at_the_same_step() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let moved = format!("run b {} -> running -", status.as_str());
        assert_eq!(
            told(&resume(&halted(status)).unwrap()),
            [
                &moved,
                "event run_resumed",
                "step b interrupted -> running",
                "start attempt 3",
                "event step_started",
                "call model for run b step b attempt 3",
            ]
        );
    }
}

// RUN-14
#[test]
fn what_is_live_or_over_is_not_resumed() {
    for state in every_run() {
        if !status_of(&state).is_resumable() {
            assert_eq!(
                refused(resume(&state)),
                (ErrorCode::NotActionable, Some(run_id(BEFORE))),
                "{:?}",
                status_of(&state)
            );
        }
    }
}

// RUN-14
#[test]
fn a_resume_of_a_run_that_the_session_has_left_behind_is_refused() {
    for state in [halted(RunStatus::Stopped), quiet()] {
        assert_eq!(
            refused(decide(|given| resume_run(&state, run_id(NEW), given))),
            (ErrorCode::NotActionable, Some(run_id(NEW)))
        );
    }
}

// STP-5
#[test]
fn a_run_that_was_halted_between_steps_goes_on_from_where_its_calls_stand() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let done = call(0, CallStatus::Completed, EffectClass::Once);
        let ready = call(1, CallStatus::Ready, EffectClass::Read);

        let decision = resume(&with_calls(status, vec![done.clone(), ready])).unwrap();
        assert_eq!(started(&decision), [call_id(1)]);
        assert!(!asks_model(&decision));

        let decision = resume(&with_calls(status, vec![done.clone()])).unwrap();
        assert!(asks_model(&decision));

        // What still waits for an answer waits again.
        let state = with_calls(status, vec![done, asking(1)]);
        let decision = resume(&state).unwrap();
        assert_eq!(status_of(&after(&state, &decision)), RunStatus::Waiting);
        assert!(decision.effects.is_empty());
    }
}

// STP-3
#[test]
fn a_call_that_is_still_ending_is_waited_for() {
    let ending = call(0, CallStatus::Running, EffectClass::Once);
    let state = with_calls(RunStatus::Stopped, vec![ending]);
    let decision = resume(&state).unwrap();
    assert_eq!(status_of(&after(&state, &decision)), RunStatus::Running);
    assert!(decision.effects.is_empty());
}

// STP-6
#[test]
fn a_doubt_is_not_resumed_past_and_is_named() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let unknown = call(3, CallStatus::InDoubt, EffectClass::Once);
        let error = resume(&with_calls(status, vec![unknown])).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert!(error.message.contains(&call_id(3).to_string()), "{error}");
    }
}

// RUN-11
#[test]
fn only_going_on_after_a_limit_renews_the_budget() {
    for reason in RunReason::ALL {
        let done = call(0, CallStatus::Completed, EffectClass::Read);
        let mut state = with_calls(RunStatus::Stopped, vec![done]);
        limited(
            &mut state,
            RunLimits {
                steps: Some(7),
                ..RunLimits::default()
            },
        );
        run_of(&mut state).reason = Some(reason);
        run_of(&mut state).used.steps = 6;
        let decision = resume(&state).unwrap();
        let renewed = told(&decision).contains(&"renew budget".to_owned());
        assert_eq!(renewed, reason.is_limit(), "{reason:?}");
        assert!(asks_model(&decision));

        run_of(&mut state).used.steps = 7;
        let decision = resume(&state).unwrap();
        assert_eq!(asks_model(&decision), reason.is_limit(), "{reason:?}");
    }
}

#[test]
fn a_run_that_never_asked_for_a_call_asks_the_model() {
    let state = with_run(RunStatus::Stopped, StepStatus::Completed, "");
    assert!(asks_model(&resume(&state).unwrap()));
}
