//! Stop, interrupt, cancel.

use protocol::{
    ApprovalStatus, CallStatus, EffectClass, ErrorClass, ErrorCode, Event, RunReason, RunStatus,
    StepStatus,
};
use store::Change;

use super::super::{Decision, cancel_run, dismiss_run, interrupt, stop_run};
use super::{
    AT_MS, BEFORE, NEW, after, asking, call, changes_nothing, decide, every_run, halted, quiet,
    refused, run_id, run_of, running, status_of, told, with_calls, with_run,
};

fn stop(state: &store::SessionState) -> Decision {
    decide(|given| stop_run(state, run_id(BEFORE), given))
}

fn close(state: &store::SessionState) -> Decision {
    decide(|given| interrupt(state, RunReason::AppClosed, given))
}

fn cancel(state: &store::SessionState) -> Result<Decision, protocol::CommandError> {
    decide(|given| cancel_run(state, run_id(BEFORE), given))
}

// STP-2
#[test]
fn a_stop_keeps_what_had_arrived_and_halts_the_call() {
    assert_eq!(
        told(&stop(&running("The tide"))),
        [
            "end attempt 2 interrupted at 8 bytes",
            "step b running -> interrupted",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_interrupted",
            "run b running -> stopped stopped_by_user",
            "event run_stopped",
            "halt model of run b",
            "halt calls of run b",
        ]
    );
}

#[test]
fn the_kept_text_is_the_same_in_the_message_and_in_the_event() {
    let decision = stop(&running("The tide"));
    let added = decision.changes.iter().find_map(|change| match change {
        Change::AddMessage { message, .. } => Some(message.clone()),
        _ => None,
    });
    let told = decision.changes.iter().find_map(|change| match change {
        Change::AppendEvent {
            event: Event::StepInterrupted { message, .. },
            ..
        } => message.clone(),
        _ => None,
    });
    assert_eq!(added, told);
    let message = added.unwrap();
    assert_eq!(message.model.as_deref(), Some("model-a"));
    assert_eq!(message.attempt, Some(2));
    assert_eq!(message.created_at_ms, AT_MS);
}

#[test]
fn a_stop_before_the_first_text_keeps_no_message() {
    assert_eq!(
        told(&stop(&running(""))),
        [
            "end attempt 2 interrupted at 0 bytes",
            "step b running -> interrupted",
            "event step_interrupted",
            "run b running -> stopped stopped_by_user",
            "event run_stopped",
            "halt model of run b",
            "halt calls of run b",
        ]
    );
}

#[test]
fn a_run_that_waits_is_stopped_without_an_attempt_to_end() {
    let state = with_run(RunStatus::Waiting, StepStatus::Completed, "");
    assert_eq!(
        told(&stop(&state)),
        [
            "run b waiting -> stopped stopped_by_user",
            "event run_stopped",
            "halt model of run b",
            "halt calls of run b",
        ]
    );
}

// STP-1, STP-4
#[test]
fn a_stop_of_what_is_not_live_or_not_the_newest_changes_nothing() {
    for state in every_run() {
        if !status_of(&state).is_live() {
            assert!(told(&stop(&state)).is_empty(), "{:?}", status_of(&state));
        }
    }
    assert!(told(&stop(&quiet())).is_empty());
    let older = decide(|given| stop_run(&running("The tide"), run_id(NEW), given));
    assert!(told(&older).is_empty());
}

// RUN-18
#[test]
fn closing_interrupts_a_running_run_and_keeps_its_text() {
    assert_eq!(
        told(&close(&running("The tide"))),
        [
            "end attempt 2 interrupted at 8 bytes",
            "step b running -> interrupted",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_interrupted",
            "run b running -> interrupted app_closed",
            "event run_interrupted",
            "halt model of run b",
            "halt calls of run b",
        ]
    );
}

#[test]
fn only_a_running_run_is_interrupted() {
    for state in every_run() {
        if status_of(&state) != RunStatus::Running {
            assert!(told(&close(&state)).is_empty(), "{:?}", status_of(&state));
        }
    }
    assert!(told(&close(&quiet())).is_empty());
}

#[test]
fn a_cancel_of_a_running_run_keeps_its_text_and_gives_the_step_up() {
    assert_eq!(
        told(&cancel(&running("The tide")).unwrap()),
        [
            "end attempt 2 cancelled at 8 bytes",
            "step b running -> cancelled",
            r#"add Partial Agent message 3 "The tide""#,
            "event step_interrupted",
            "run b running -> cancelled discarded",
            "event run_cancelled",
            "halt model of run b",
            "halt calls of run b",
        ]
    );
}

// STP-4, STP-5
#[test]
fn a_cancel_after_a_stop_wins_with_its_own_reason() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let moved = format!("run b {} -> cancelled discarded", status.as_str());
        assert_eq!(
            told(&cancel(&halted(status)).unwrap()),
            [
                "step b interrupted -> cancelled",
                "event step_cancelled",
                &moved,
                "event run_cancelled",
                "halt model of run b",
                "halt calls of run b",
            ]
        );
    }
}

#[test]
fn a_second_cancel_changes_nothing_and_what_ended_otherwise_is_refused() {
    for state in every_run() {
        match status_of(&state) {
            RunStatus::Cancelled => assert!(told(&cancel(&state).unwrap()).is_empty()),
            RunStatus::Completed | RunStatus::Failed => assert_eq!(
                refused(cancel(&state)),
                (ErrorCode::NotActionable, Some(run_id(BEFORE)))
            ),
            _ => assert!(!told(&cancel(&state).unwrap()).is_empty()),
        }
    }
    let older = decide(|given| cancel_run(&running(""), run_id(NEW), given));
    assert_eq!(
        refused(older),
        (ErrorCode::NotActionable, Some(run_id(NEW)))
    );
}

// STP-4, APR-9
#[test]
fn halting_closes_questions_and_pairs_what_has_not_started() {
    for status in [RunStatus::Running, RunStatus::Waiting] {
        let ready = call(1, CallStatus::Ready, EffectClass::Read);
        let state = with_calls(status, vec![asking(0), ready]);
        for decision in [stop(&state), cancel(&state).unwrap()] {
            let next = after(&state, &decision);
            for call in &next.run.as_ref().unwrap().calls {
                assert_eq!(call.view.status, CallStatus::Cancelled);
                let result = call.view.result.as_ref().unwrap();
                assert!(result.is_error && result.text.starts_with("Not run: "));
                assert_eq!(result.class, Some(ErrorClass::Cancelled));
            }
            let asked = &next.run.as_ref().unwrap().calls[0].view.approval;
            assert_eq!(asked.as_ref().unwrap().status, ApprovalStatus::Closed);
        }
    }
}

/// Every call, in every live run.
// STP-3, EFF-3
#[test]
fn a_stop_leaves_what_runs_and_what_is_unknown_as_it_is() {
    for status in CallStatus::ALL {
        for run in [RunStatus::Running, RunStatus::Waiting] {
            let state = with_calls(run, vec![call(0, status, EffectClass::Once)]);
            let decision = stop(&state);
            let next = after(&state, &decision);
            assert_eq!(status_of(&next), RunStatus::Stopped);
            let expected = match status {
                CallStatus::Proposed | CallStatus::Waiting | CallStatus::Ready => {
                    CallStatus::Cancelled
                }
                other => other,
            };
            assert_eq!(next.run.unwrap().calls[0].view.status, expected);
            assert!(told(&decision).contains(&"halt calls of run b".to_owned()));
        }
    }
}

// STO-19
#[test]
fn what_calls_staged_is_merged_as_soon_as_all_of_them_are_over() {
    let done = || call(0, CallStatus::Completed, EffectClass::Read);
    let merged = |decision: &Decision| told(decision).contains(&"merge state".to_owned());
    let state = with_calls(RunStatus::Waiting, vec![done(), asking(1)]);
    assert!(merged(&stop(&state)));
    assert!(merged(&cancel(&state).unwrap()));
    let going = call(1, CallStatus::Running, EffectClass::Read);
    let state = with_calls(RunStatus::Running, vec![done(), going]);
    assert!(!merged(&stop(&state)), "one is not over");
}

// RUN-18
#[test]
fn closing_keeps_questions_open_and_calls_ready() {
    let ready = call(1, CallStatus::Ready, EffectClass::Once);
    let state = with_calls(RunStatus::Running, vec![asking(0), ready]);
    let decision = close(&state);
    let next = after(&state, &decision).run.unwrap();
    assert_eq!(next.status, RunStatus::Interrupted);
    assert_eq!(next.calls, state.run.unwrap().calls);
}

// RUN-8
#[test]
fn closing_leaves_a_run_that_waits_for_its_next_try_alone() {
    let mut state = with_run(RunStatus::Running, StepStatus::Interrupted, "");
    run_of(&mut state).retry = Some(super::retrying::retry(AT_MS + 1_000));
    assert!(changes_nothing(&close(&state)));
    // The person can stop it, and then it is not tried again by itself.
    let decision = stop(&state);
    assert_eq!(
        told(&decision)[..2],
        ["no retry", "run b running -> stopped stopped_by_user"]
    );
}

// STP-6
#[test]
fn a_run_with_a_call_in_doubt_is_not_given_up() {
    for status in RunStatus::ALL {
        if status.is_terminal() {
            continue;
        }
        let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
        let state = with_calls(status, vec![unknown]);
        let expected = (ErrorCode::NotActionable, Some(run_id(BEFORE)));
        assert_eq!(refused(cancel(&state)), expected, "{status:?}");
    }
}

#[test]
fn a_failed_run_is_seen_once_and_nothing_else_can_be() {
    for state in every_run() {
        let seen = decide(|given| dismiss_run(&state, run_id(BEFORE), given));
        if status_of(&state) == RunStatus::Failed {
            assert_eq!(told(&seen.unwrap()), ["dismiss run b"]);
            let mut again = state;
            run_of(&mut again).is_dismissed = true;
            let seen = decide(|given| dismiss_run(&again, run_id(BEFORE), given));
            assert!(changes_nothing(&seen.unwrap()));
        } else {
            assert!(seen.is_none());
        }
    }
}
