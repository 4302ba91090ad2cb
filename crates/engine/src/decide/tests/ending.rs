//! How a model call ended.

use protocol::{Block, BlockKind, ErrorClass, RunError, RunStatus, StepStatus, Usage};
use store::{Change, SessionState};

use super::super::{Decision, Outcome, outcome};
use super::{AT_MS, BEFORE, NEW, every_run, message_id, quiet, running, status_of, step_id, told};

fn completed() -> Outcome {
    Outcome::Completed {
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: "The tide turns.".to_owned(),
        }],
        usage: Usage {
            input_tokens: Some(7),
            output_tokens: None,
        },
    }
}

fn failed() -> Outcome {
    Outcome::Failed(RunError {
        class: ErrorClass::Network,
        message: "Cut off.".to_owned(),
    })
}

fn ended(state: &SessionState, result: &Outcome) -> Decision {
    outcome(state, step_id(BEFORE), 2, result, message_id(), AT_MS)
}

#[test]
fn a_whole_reply_completes_step_and_run() {
    let decision = ended(&running("The tide"), &completed());
    assert_eq!(
        told(&decision),
        [
            "end attempt 2 completed at 8 bytes",
            "step b running -> completed",
            r#"add Complete Agent message 3 "The tide turns.""#,
            "event step_completed",
            "run b running -> completed -",
            "event run_completed",
        ]
    );
    let usage = decision.changes.iter().find_map(|change| match change {
        Change::EndAttempt { usage, .. } => Some(*usage),
        _ => None,
    });
    assert_eq!(usage.unwrap().input_tokens, Some(7));
}

// STR-7
#[test]
fn a_failed_reply_keeps_what_had_arrived_and_fails_the_run() {
    assert_eq!(
        told(&ended(&running("The tide"), &failed())),
        [
            "end attempt 2 failed at 8 bytes",
            "step b running -> failed",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_failed",
            "run b running -> failed -",
            "event run_failed",
        ]
    );
}

// RUN-7
#[test]
fn an_outcome_after_a_halt_changes_nothing() {
    for state in every_run() {
        if status_of(&state) != RunStatus::Running {
            for result in [completed(), failed()] {
                assert!(told(&ended(&state, &result)).is_empty());
            }
        }
    }
    assert!(told(&ended(&quiet(), &completed())).is_empty());
}

// RUN-15
#[test]
fn an_outcome_of_an_older_attempt_or_of_another_step_changes_nothing() {
    let state = running("The tide");
    for (step, attempt) in [(BEFORE, 1), (BEFORE, 3), (NEW, 2)] {
        let step = step_id(step);
        let decision = outcome(&state, step, attempt, &completed(), message_id(), AT_MS);
        assert!(told(&decision).is_empty());
    }
    let mut planned = state;
    let step = planned.run.as_mut().unwrap().step.as_mut().unwrap();
    step.status = StepStatus::Planned;
    assert!(told(&ended(&planned, &completed())).is_empty());
}
