//! Resume.

use protocol::{ErrorCode, RunStatus, StepStatus};

use super::super::resume_run;
use super::{
    AT_MS, BEFORE, NEW, every_run, halted, quiet, refused, run_id, status_of, told, with_run,
};

// RUN-15, STP-5
#[test]
fn a_halted_run_goes_on_with_a_new_attempt_at_the_same_step() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let moved = format!("run b {} -> running -", status.as_str());
        assert_eq!(
            told(&resume_run(&halted(status), run_id(BEFORE), AT_MS).unwrap()),
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
                refused(resume_run(&state, run_id(BEFORE), AT_MS)),
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
            refused(resume_run(&state, run_id(NEW), AT_MS)),
            (ErrorCode::NotActionable, Some(run_id(NEW)))
        );
    }
}

#[test]
fn a_halted_run_without_a_step_to_resume_says_so() {
    let state = with_run(RunStatus::Stopped, StepStatus::Completed, "");
    assert_eq!(
        refused(resume_run(&state, run_id(BEFORE), AT_MS)).0,
        ErrorCode::Internal
    );
}
