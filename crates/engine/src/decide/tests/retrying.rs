//! A model call failed: it is tried again later by itself, or the run fails.

use protocol::{ErrorClass, Event, RunError, RunStatus, StepStatus};
use store::{Change, Retry, SessionState};
use uuid::Uuid;

use super::super::{
    Decision, Given, MAX_TRIES, Outcome, model_outcome, release_model, resume_run, retry_model,
};
use super::{
    AT_MS, BEFORE, NEW, after, asks_model, changes_nothing, decide, decide_at, events, every_run,
    run_id, run_of, running, status_of, step_id, told, with_run,
};
use crate::ids::Ids;

fn error(class: ErrorClass) -> RunError {
    RunError {
        class,
        message: "Busy.".to_owned(),
    }
}

pub(super) fn retry(at_ms: u64) -> Retry {
    Retry {
        at_ms,
        failed: 1,
        error: error(ErrorClass::Overloaded),
    }
}

fn failed_on(state: &SessionState, class: ErrorClass, retry_after_ms: Option<u64>) -> Decision {
    decide(|given| fail(state, class, retry_after_ms, given))
}

fn fail(
    state: &SessionState,
    class: ErrorClass,
    retry_after_ms: Option<u64>,
    given: &Given<'_>,
) -> Decision {
    let error = error(class);
    let outcome = Outcome::Failed {
        error,
        retry_after_ms,
    };
    let attempt = state.run.as_ref().unwrap().step.as_ref().unwrap().attempt;
    model_outcome(state, step_id(BEFORE), attempt, &outcome, given)
}

/// A waiting run whose step was cut off by an error.
fn waiting(at_ms: u64) -> SessionState {
    let mut state = with_run(RunStatus::Running, StepStatus::Interrupted, "");
    run_of(&mut state).retry = Some(retry(at_ms));
    state
}

fn scheduled(decision: &Decision) -> Option<Retry> {
    decision.changes.iter().find_map(|change| match change {
        Change::SetRetry { retry, .. } => retry.clone(),
        _ => None,
    })
}

// RUN-8, RUN-9
#[test]
fn only_what_is_transient_is_tried_again() {
    for class in ErrorClass::ALL {
        let state = running("The tide");
        let decision = failed_on(&state, class, None);
        let next = after(&state, &decision);
        let run = next.run.as_ref().unwrap();
        assert_eq!(run.retry.is_some(), class.is_transient(), "{class:?}");
        let expected = if class.is_transient() {
            (RunStatus::Running, StepStatus::Interrupted)
        } else {
            (RunStatus::Failed, StepStatus::Failed)
        };
        let step = run.step.as_ref().unwrap().status;
        assert_eq!((run.status, step), expected, "{class:?}");
        assert!(decision.effects.is_empty());
    }
}

// RUN-8, STP-2
#[test]
fn what_had_arrived_is_kept_and_the_next_try_is_stored_and_told() {
    let decision = failed_on(&running("The tide"), ErrorClass::Network, None);
    assert_eq!(
        told(&decision)[..4],
        [
            "end attempt 2 failed at 8 bytes",
            "step b running -> interrupted",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_failed",
        ]
    );
    let stored = scheduled(&decision).unwrap();
    let Some(Event::RetryScheduled { retry, .. }) = events(&decision).last() else {
        panic!("{:?}", told(&decision))
    };
    assert_eq!((retry.failed, retry.of), (1, MAX_TRIES));
    assert_eq!((stored.at_ms, stored.failed), (retry.at_ms, 1));
    assert_eq!(stored.error, retry.error);
}

/// Ids that end in this byte.
#[derive(Debug)]
struct Ending(u8);

impl Ids for Ending {
    fn next(&self, _now_ms: u64) -> Uuid {
        Uuid::from_u128(u128::from(self.0))
    }
}

fn wait(failed: u32, random: u8, retry_after_ms: Option<u64>) -> Option<u64> {
    let mut state = running("");
    run_of(&mut state).retry_failed = failed;
    let given = Given {
        at_ms: AT_MS,
        ids: &Ending(random),
        default_model: "model-b".into(),
        tools: &[],
    };
    let decision = fail(&state, ErrorClass::RateLimit, retry_after_ms, &given);
    scheduled(&decision).map(|retry| retry.at_ms - AT_MS)
}

// RUN-8
#[test]
fn the_wait_doubles_between_half_and_whole_and_ends_after_the_last_try() {
    for (failed, base) in [(0, 1_000), (1, 2_000), (2, 4_000), (3, 8_000)] {
        assert_eq!(wait(failed, 0, None), Some(base / 2));
        assert_eq!(wait(failed, 255, None), Some(base));
        let waits: Vec<u64> = (0..=255)
            .filter_map(|random| wait(failed, random, None))
            .collect();
        assert!(waits.is_sorted());
        assert!(waits.iter().all(|wait| (base / 2..=base).contains(wait)));
    }
    assert_eq!(wait(MAX_TRIES - 1, 0, None), None);
    assert_eq!(wait(u32::MAX - 1, 0, None), None);
}

// RUN-8
#[test]
fn what_the_provider_asks_for_is_honoured_up_to_an_hour() {
    for asked in [0, 499, 501, 30_000, 3_600_000] {
        assert_eq!(wait(0, 0, Some(asked)), Some(asked.max(500)));
    }
    for asked in [3_600_001, u64::MAX] {
        assert_eq!(wait(0, 0, Some(asked)), Some(3_600_000));
    }
}

// RUN-8
#[test]
fn the_last_try_fails_the_run_once() {
    let mut state = running("The tide");
    run_of(&mut state).retry_failed = MAX_TRIES - 1;
    let decision = failed_on(&state, ErrorClass::Overloaded, Some(1));
    let ends = events(&decision)
        .into_iter()
        .filter(|event| matches!(event, Event::RunFailed { .. }));
    assert_eq!(ends.count(), 1);
    assert_eq!(status_of(&after(&state, &decision)), RunStatus::Failed);
}

// RUN-8, RUN-15
#[test]
fn the_next_try_is_a_new_attempt_and_never_early() {
    let state = waiting(AT_MS);
    for (at_ms, is_due) in [(AT_MS - 1, false), (AT_MS, true), (AT_MS + 9, true)] {
        let decision = decide_at(at_ms, |given| retry_model(&state, run_id(BEFORE), given));
        assert_eq!(asks_model(&decision), is_due, "{at_ms}");
        if is_due {
            assert_eq!(
                told(&decision),
                [
                    "no retry",
                    "step b interrupted -> running",
                    "start attempt 3",
                    "event step_started",
                    "call model for run b step b attempt 3",
                ]
            );
            let again = after(&state, &decision);
            let decision = decide(|given| retry_model(&again, run_id(BEFORE), given));
            assert!(changes_nothing(&decision));
        } else {
            assert!(changes_nothing(&decision));
        }
    }
}

#[test]
fn a_try_that_is_no_longer_waited_for_changes_nothing() {
    for state in every_run() {
        let decision = decide(|given| retry_model(&state, run_id(BEFORE), given));
        assert!(changes_nothing(&decision));
    }
    let other = decide(|given| retry_model(&waiting(1), run_id(NEW), given));
    assert!(changes_nothing(&other));
}

fn hold(state: &SessionState, class: ErrorClass) -> Decision {
    let outcome = Outcome::Held {
        error: error(class),
    };
    let attempt = state.run.as_ref().unwrap().step.as_ref().unwrap().attempt;
    decide(|given| model_outcome(state, step_id(BEFORE), attempt, &outcome, given))
}

// RUN-10
#[test]
fn a_call_whose_provider_is_paused_waits_and_counts_no_try() {
    let state = running("");
    let decision = hold(&state, ErrorClass::Auth);
    let next = after(&state, &decision);
    let run = next.run.as_ref().unwrap();
    assert_eq!((run.status, run.retry_failed), (RunStatus::Running, 0));
    let waits = run.retry.as_ref().unwrap();
    assert_eq!((waits.failed, waits.error.class), (0, ErrorClass::Auth));
    assert!(waits.at_ms > AT_MS && decision.effects.is_empty());
    let Some(Event::RetryScheduled { retry, .. }) = events(&decision).last() else {
        panic!("{:?}", told(&decision))
    };
    assert_eq!((retry.at_ms, retry.failed), (waits.at_ms, 0));
    // However often it is held, it never gives up.
    let mut tried = running("");
    run_of(&mut tried).retry_failed = MAX_TRIES;
    assert!(scheduled(&hold(&tried, ErrorClass::Billing)).is_some());
}

// RUN-8
#[test]
fn a_person_need_not_wait_for_the_next_try() {
    let state = waiting(AT_MS + 1_000_000);
    let due = decide_at(AT_MS + 1_000_000, |given| {
        retry_model(&state, run_id(BEFORE), given)
    });
    let asked = decide_at(AT_MS, |given| {
        resume_run(&state, run_id(BEFORE), given).unwrap()
    });
    assert_eq!(told(&asked), told(&due), "as if its time had come");
    let going = after(&state, &asked);
    let again = decide(|given| resume_run(&going, run_id(BEFORE), given));
    assert!(again.is_err(), "once is enough");
}

// RUN-10
#[test]
fn it_goes_on_when_its_provider_is_mended_and_nobody_else_does() {
    let mut state = with_run(RunStatus::Running, StepStatus::Interrupted, "");
    run_of(&mut state).retry = Some(Retry {
        at_ms: AT_MS + 1_000_000,
        failed: 0,
        error: error(ErrorClass::Auth),
    });
    let released = decide(|given| release_model(&state, run_id(BEFORE), given));
    assert!(asks_model(&released));
    assert!(after(&state, &released).run.unwrap().retry.is_none());
    assert!(changes_nothing(&decide(|given| retry_model(
        &state,
        run_id(BEFORE),
        given
    ))));
    assert!(changes_nothing(&decide(|given| release_model(
        &state,
        run_id(NEW),
        given
    ))));
    let transient = waiting(AT_MS + 1_000_000);
    assert!(changes_nothing(&decide(|given| release_model(
        &transient,
        run_id(BEFORE),
        given
    ))));
    for mut halted in every_run() {
        if status_of(&halted) != RunStatus::Running {
            run_of(&mut halted).retry = run_of(&mut state).retry.clone();
            assert!(changes_nothing(&decide(|given| release_model(
                &halted,
                run_id(BEFORE),
                given
            ))));
        }
    }
}
