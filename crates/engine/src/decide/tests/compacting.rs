//! RUN-22: room is made once, in a step of its own, before the model is asked again.

use protocol::{ErrorClass, RunError, RunStatus, StepStatus, SummaryView, Usage};
use store::{Change, SessionState};

use super::super::{Asking, Decision, Effect, Outcome, model_outcome, resume_run, stop_run};
use super::{AT_MS, BEFORE, after, decide, every_run, run_id, run_of, running, step_id, told};

fn too_long(can_compact: bool) -> Outcome {
    Outcome::TooLong {
        error: RunError {
            class: ErrorClass::ContextLength,
            message: "Too long.".to_owned(),
        },
        can_compact,
    }
}

fn summarised() -> Outcome {
    Outcome::Summarised {
        summary: SummaryView {
            position: 1,
            branch: 0,
            kept: Some(1),
            text: "What was.".to_owned(),
            model: String::new(),
            created_at_ms: 0,
        },
        usage: Usage {
            input_tokens: Some(7),
            ..Usage::default()
        },
    }
}

fn unsummarised() -> Outcome {
    Outcome::Unsummarised {
        error: RunError {
            class: ErrorClass::Internal,
            message: "Nothing.".to_owned(),
        },
        usage: Usage {
            output_tokens: Some(9),
            ..Usage::default()
        },
    }
}

fn ended(state: &SessionState, outcome: &Outcome) -> Decision {
    let step = state.run.as_ref().unwrap().step.as_ref().unwrap();
    let (step_id, attempt) = (step.step_id, step.attempt);
    decide(|given| model_outcome(state, step_id, attempt, outcome, given))
}

fn asking(decision: &Decision) -> Vec<Asking> {
    let asking = |effect: &Effect| match effect {
        Effect::CallModel { asking, .. } => Some(*asking),
        _ => None,
    };
    decision.effects.iter().filter_map(asking).collect()
}

/// A run that is summarising.
fn compacting() -> SessionState {
    let mut state = running("");
    let step = run_of(&mut state).step.as_mut().unwrap();
    step.is_compaction = true;
    step.attempt = 1;
    state
}

#[test]
fn room_is_made_in_a_step_of_its_own() {
    let state = running("");
    let decision = ended(&state, &too_long(true));
    assert_eq!(asking(&decision), [Asking::Summary]);
    let next = after(&state, &decision);
    let step = next.run.as_ref().unwrap().step.as_ref().unwrap();
    assert!(step.is_compaction && step.status == StepStatus::Running);
    assert_eq!(
        told(&decision)[1],
        format!("step {BEFORE:x} running -> failed")
    );
    let decision = ended(&next, &summarised());
    assert_eq!(asking(&decision), [Asking::AnswerAtLast]);
    let written = decision.changes.iter().find_map(|change| match change {
        Change::AddSummary { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    let written = written.expect("it is written with its step");
    assert_eq!(
        (written.model.as_str(), written.created_at_ms),
        ("model-a", AT_MS)
    );
    // It still does not fit: that was all that can be done.
    let next = after(&next, &decision);
    assert!(
        next.run
            .as_ref()
            .unwrap()
            .step
            .as_ref()
            .unwrap()
            .follows_compaction
    );
    let decision = ended(&next, &too_long(true));
    assert!(decision.effects.is_empty());
    assert_eq!(
        after(&next, &decision).run.unwrap().status,
        RunStatus::Failed
    );
}

#[test]
fn without_anything_older_it_fails() {
    let state = running("");
    let decision = ended(&state, &too_long(false));
    let failed = decision.changes.iter().find_map(|change| match change {
        Change::MoveRun { to, error, .. } => Some((*to, error.clone())),
        _ => None,
    });
    let (to, error) = failed.expect("the run moves");
    assert_eq!(to, RunStatus::Failed);
    assert!(error.expect("why").message.contains("larger window"));
}

#[test]
fn what_came_to_nothing_is_paid_for_and_the_model_is_asked_once_more() {
    let state = compacting();
    let decision = ended(&state, &unsummarised());
    assert_eq!(asking(&decision), [Asking::AnswerAtLast]);
    let paid = decision.changes.iter().any(|change| {
        matches!(change, Change::EndAttempt { usage, .. } if usage.output_tokens == Some(9))
    });
    assert!(paid, "RUN-21");
    assert!(
        !decision
            .changes
            .iter()
            .any(|change| matches!(change, Change::AddSummary { .. }))
    );
}

#[test]
fn a_record_that_is_too_long_is_tried_three_times() {
    let mut state = compacting();
    for _ in 1..3 {
        let decision = ended(&state, &too_long(false));
        assert_eq!(asking(&decision), [Asking::Summary]);
        state = after(&state, &decision);
    }
    let decision = ended(&state, &too_long(false));
    assert!(asking(&decision).is_empty());
    assert_eq!(
        after(&state, &decision).run.unwrap().status,
        RunStatus::Failed
    );
}

#[test]
fn a_halted_one_goes_on_as_one() {
    let state = compacting();
    let stopped = decide(|given| stop_run(&state, run_id(BEFORE), given));
    assert!(
        !stopped
            .changes
            .iter()
            .any(|change| matches!(change, Change::AddMessage { .. })),
        "nothing of it is a message"
    );
    let state = after(&state, &stopped);
    let resumed = decide(|given| resume_run(&state, run_id(BEFORE), given).unwrap());
    assert_eq!(asking(&resumed), [Asking::Summary]);
}

#[test]
fn an_outcome_that_comes_late_changes_nothing() {
    for state in every_run() {
        let is_current = state.run.as_ref().is_some_and(|run| {
            run.status == RunStatus::Running
                && run
                    .step
                    .as_ref()
                    .is_some_and(|step| step.status == StepStatus::Running)
        });
        if !is_current {
            for outcome in [too_long(true), summarised(), unsummarised()] {
                let late =
                    decide(|given| model_outcome(&state, step_id(BEFORE), 2, &outcome, given));
                assert!(late.changes.is_empty() && late.effects.is_empty());
            }
        }
    }
}
