//! How a model call ended.

use protocol::{
    BlockKind, CallStatus, EffectClass, ErrorClass, Event, RunError, RunStatus, StepStatus, Usage,
};
use store::{CallRow, Change, SessionState};

use super::super::{Decision, Outcome, PlannedCall, StartCall, model_outcome};
use super::calls::digest;
use super::{
    BEFORE, NEW, after, asking, asks_model, block, call, call_id, decide, every_run, message_id,
    quiet, running, started, status_of, step_id, told,
};
use crate::tool::Intent;

fn completed() -> Outcome {
    completed_with(Vec::new())
}

/// A reply that asks for calls.
fn completed_with(calls: Vec<CallRow>) -> Outcome {
    let calls = calls.into_iter().map(|mut call| {
        call.revision = 0;
        let approval = call.view.approval.take();
        PlannedCall { call, approval }
    });
    Outcome::Completed {
        message_id: message_id(),
        said: crate::decide::Said {
            blocks: vec![block(BlockKind::Text, "The tide turns.")],
            ending: protocol::Ending::Complete,
            native: None,
            fill: None,
        },
        usage: Usage {
            input_tokens: Some(7),
            ..Usage::default()
        },
        calls: calls.collect(),
        start: None,
    }
}

fn failed() -> Outcome {
    Outcome::Failed {
        error: RunError {
            class: ErrorClass::Internal,
            message: "Cut off.".to_owned(),
        },
        retry_after_ms: None,
    }
}

fn ended(state: &SessionState, result: &Outcome) -> Decision {
    decide(|given| model_outcome(state, step_id(BEFORE), 2, result, given))
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
        let decision = decide(|given| model_outcome(&state, step, attempt, &completed(), given));
        assert!(told(&decision).is_empty());
    }
    let mut planned = state;
    let step = planned.run.as_mut().unwrap().step.as_mut().unwrap();
    step.status = StepStatus::Planned;
    assert!(told(&ended(&planned, &completed())).is_empty());
}

/// A reply with one call that was looked at just now.
fn completed_starting(ready: CallRow, digest: [u8; 32]) -> Outcome {
    let looked = StartCall {
        run_id: ready.view.run_id,
        call_id: ready.view.call_id,
        digest,
        preview: ready.view.preview.clone().unwrap(),
        effect: ready.view.effect,
        resources: Vec::new(),
        is_allowed: true,
        intent: Intent::default(),
        expires_at_ms: None,
    };
    let mut reply = completed_with(vec![ready]);
    if let Outcome::Completed { start, .. } = &mut reply {
        *start = Some(Box::new(looked));
    }
    reply
}

// EFF-2
#[test]
fn a_call_that_was_looked_at_has_its_intent_in_the_same_commit_as_the_reply() {
    for (effect, is_relaxed) in [
        (EffectClass::Once, false),
        (EffectClass::Idempotent, false),
        (EffectClass::Read, true),
    ] {
        let reply = completed_starting(call(0, CallStatus::Ready, effect), digest(0));
        let decision = ended(&running("The tide"), &reply);
        let told = told(&decision);
        let at = |what: &str| told.iter().position(|line| line.starts_with(what)).unwrap();
        assert!(
            at("add call c0 running") < at("run call c0 attempt 1"),
            "{told:?}"
        );
        let attempts = told.iter().filter(|line| line.starts_with("start attempt"));
        assert_eq!(attempts.count(), 1, "{told:?}");
        assert!(!told.iter().any(|line| line.starts_with("start call")));
        assert_eq!(decision.is_relaxed, is_relaxed, "{effect:?}");
    }
}

// APR-5
#[test]
fn a_call_that_is_not_what_was_looked_at_starts_the_longer_way() {
    let ready = call(0, CallStatus::Ready, EffectClass::Once);
    let waiting = asking(0);
    for reply in [
        completed_starting(ready, [9; 32]),
        completed_starting(waiting, digest(0)),
    ] {
        let told = told(&ended(&running("The tide"), &reply));
        assert!(
            !told
                .iter()
                .any(|line| line.contains("-> running") || line.contains("call c0 running")),
            "{told:?}"
        );
        assert!(!told.iter().any(|line| line.starts_with("run call")));
    }
}

// The design's table of barriers.
#[test]
fn a_reply_that_only_reads_need_not_be_on_disk_at_once() {
    for (calls, is_relaxed) in [
        (vec![call(0, CallStatus::Ready, EffectClass::Read)], true),
        (vec![call(0, CallStatus::Ready, EffectClass::Once)], false),
        (
            vec![
                call(0, CallStatus::Ready, EffectClass::Read),
                call(1, CallStatus::Ready, EffectClass::Idempotent),
            ],
            false,
        ),
        (vec![asking(0)], false),
        (Vec::new(), false),
    ] {
        let decision = ended(&running("The tide"), &completed_with(calls));
        assert_eq!(decision.is_relaxed, is_relaxed, "{:?}", told(&decision));
    }
}

// RUN-5, APR-1
#[test]
fn a_reply_is_written_with_all_its_calls_and_questions_before_anything_starts() {
    let ready = call(0, CallStatus::Ready, EffectClass::Read);
    let reply = completed_with(vec![ready, asking(1)]);
    let decision = ended(&running("The tide"), &reply);
    assert_eq!(
        told(&decision),
        [
            "end attempt 2 completed at 8 bytes",
            "step b running -> completed",
            r#"add Complete Agent message 3 "The tide turns.""#,
            "add call c0 ready",
            "add call c1 waiting",
            "ask c1 round 1",
            "event step_completed",
            "start call c0",
        ]
    );
    assert!(!decision.is_relaxed);
}

// STR-6
#[test]
fn the_event_of_a_reply_shows_its_calls_with_their_questions() {
    let decision = ended(&running(""), &completed_with(vec![asking(0)]));
    let shown = decision.changes.iter().find_map(|change| match change {
        Change::AppendEvent {
            event: Event::StepCompleted { calls, .. },
            ..
        } => Some(calls.clone()),
        _ => None,
    });
    let shown = shown.unwrap();
    assert_eq!(shown[0].call_id, call_id(0));
    assert!(shown[0].approval.is_some());
}

#[test]
fn a_reply_whose_calls_all_wait_makes_the_run_wait() {
    let state = running("");
    let decision = ended(&state, &completed_with(vec![asking(0), asking(1)]));
    assert_eq!(status_of(&after(&state, &decision)), RunStatus::Waiting);
    assert!(decision.effects.is_empty());
}

#[test]
fn a_reply_whose_calls_all_failed_at_once_goes_back_to_the_model() {
    for status in [CallStatus::Failed, CallStatus::Denied] {
        let state = running("");
        let reply = completed_with(vec![call(0, status, EffectClass::Read)]);
        let decision = ended(&state, &reply);
        assert!(asks_model(&decision));
        assert!(started(&decision).is_empty());
    }
}

#[test]
fn half_written_arguments_are_no_text_for_a_person() {
    let mut state = running("");
    let step = state.run.as_mut().unwrap().step.as_mut().unwrap();
    step.blocks = vec![block(BlockKind::Arguments, "{\"path\"")];
    assert!(!told(&ended(&state, &failed())).concat().contains("Partial"));
}
