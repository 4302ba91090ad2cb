//! A tool call in doubt is settled by the person, or looked at by its tool.

use protocol::{CallStatus, CommandError, EffectClass, ErrorClass, ErrorCode, RunStatus};
use store::{CallRow, SessionState};

use super::super::{Decision, Settle, checked_in_vain, settle_doubt};
use super::{
    AT_MS, after, asking, asks_model, call, call_id, changes_nothing, decide, decide_at, refused,
    run_id, run_of, started, status_of, told, with_calls,
};

fn unknown() -> CallRow {
    call(0, CallStatus::InDoubt, EffectClass::Once)
}

fn settled(state: &SessionState, settle: &Settle) -> Result<Decision, CommandError> {
    let call = state.run.as_ref().unwrap().calls[0].clone();
    decide(|given| settle_doubt(state, &call, settle, given))
}

fn every_way() -> [Settle; 3] {
    [
        Settle::Happened("It was sent.".to_owned()),
        Settle::RunAgain,
        Settle::Skip,
    ]
}

// EFF-3
#[test]
fn it_happened_and_the_model_gets_that_result() {
    let state = with_calls(RunStatus::Waiting, vec![unknown()]);
    let decision = settled(&state, &every_way()[0]).unwrap();
    assert_eq!(
        told(&decision)[..5],
        [
            "call c0 in_doubt -> completed",
            "event tool_call_changed",
            "merge state",
            "run b waiting -> running -",
            "event run_continued",
        ]
    );
    assert!(asks_model(&decision));
    let call = after(&state, &decision).run.unwrap().calls.remove(0);
    let result = call.view.result.unwrap();
    assert_eq!(
        (result.text.as_str(), result.is_error),
        ("It was sent.", false)
    );
    assert_eq!(
        (call.view.doubt, call.view.ended_at_ms),
        (None, Some(AT_MS))
    );
}

// EFF-3
#[test]
fn it_did_not_happen_and_is_started_again_with_the_same_answer() {
    let state = with_calls(RunStatus::Waiting, vec![unknown()]);
    let decision = settled(&state, &Settle::RunAgain).unwrap();
    assert_eq!(started(&decision), [call_id(0)]);
    let call = after(&state, &decision).run.unwrap().calls.remove(0);
    assert_eq!((call.view.status, call.view.bodies), (CallStatus::Ready, 1));
    assert_eq!((call.view.result, call.view.doubt), (None, None));
}

// EFF-3
#[test]
fn it_is_skipped_and_the_model_is_told_that_nobody_knows() {
    let state = with_calls(RunStatus::Waiting, vec![unknown()]);
    let decision = settled(&state, &Settle::Skip).unwrap();
    assert!(asks_model(&decision));
    let call = after(&state, &decision).run.unwrap().calls.remove(0);
    assert_eq!(call.view.status, CallStatus::Skipped);
    let result = call.view.result.unwrap();
    assert_eq!(
        (result.is_error, result.class),
        (true, Some(ErrorClass::InDoubt))
    );
}

/// Every way out, in every run.
#[test]
fn a_doubt_is_settled_whatever_its_run_does_and_wakes_only_a_run_that_waits_for_it() {
    for status in RunStatus::ALL {
        for settle in every_way() {
            let state = with_calls(status, vec![unknown()]);
            let result = settled(&state, &settle);
            if settle == Settle::RunAgain && status.is_terminal() {
                assert_eq!(refused(result).0, ErrorCode::NotActionable, "{status:?}");
                continue;
            }
            let decision = result.unwrap();
            let next = after(&state, &decision);
            assert!(next.doubts.is_empty());
            let goes_on = matches!(status, RunStatus::Running | RunStatus::Waiting);
            let expected = if goes_on { RunStatus::Running } else { status };
            assert_eq!(status_of(&next), expected, "{status:?} {settle:?}");
            assert_eq!(
                decision.effects.is_empty(),
                !goes_on,
                "{status:?} {settle:?}"
            );
        }
    }
}

#[test]
fn a_run_waits_on_while_another_doubt_or_question_is_left() {
    for left in [call(1, CallStatus::InDoubt, EffectClass::Once), asking(1)] {
        let state = with_calls(RunStatus::Waiting, vec![unknown(), left]);
        let decision = settled(&state, &every_way()[0]).unwrap();
        assert_eq!(status_of(&after(&state, &decision)), RunStatus::Waiting);
        assert!(decision.effects.is_empty());
    }
}

#[test]
fn a_doubt_of_a_run_that_the_session_left_behind_can_only_be_put_into_words() {
    let mut newer = with_calls(RunStatus::Running, Vec::new());
    run_of(&mut newer).run_id = run_id(0xf);
    for settle in every_way() {
        let result = decide(|given| settle_doubt(&newer, &unknown(), &settle, given));
        if settle == Settle::RunAgain {
            assert_eq!(refused(result).0, ErrorCode::NotActionable);
        } else {
            let decision = result.unwrap();
            assert_eq!(
                told(&decision)[1..],
                ["event tool_call_changed", "merge state"]
            );
            assert!(decision.effects.is_empty());
        }
    }
}

// APR-3
#[test]
fn what_is_not_in_doubt_is_not_settled() {
    for status in CallStatus::ALL {
        if status == CallStatus::InDoubt {
            continue;
        }
        let state = with_calls(RunStatus::Waiting, vec![call(0, status, EffectClass::Once)]);
        for settle in every_way() {
            assert_eq!(
                refused(settled(&state, &settle)).0,
                ErrorCode::NotActionable
            );
        }
        let decision =
            decide(|given| checked_in_vain(&call(0, status, EffectClass::Once), "", given));
        assert!(changes_nothing(&decision));
    }
}

// EFF-10
#[test]
fn checks_are_made_again_later_and_later_and_five_times_at_most() {
    let mut row = unknown();
    let mut waits = Vec::new();
    for round in 1..=6 {
        let at_ms = 1_000_000 * round;
        let decision = decide_at(at_ms, |given| {
            checked_in_vain(&row, "Still unknown.", given)
        });
        let state = with_calls(RunStatus::Waiting, vec![row]);
        row = after(&state, &decision).run.unwrap().calls.remove(0);
        assert_eq!(row.view.status, CallStatus::InDoubt);
        assert_eq!(row.view.result, None);
        let doubt = row.view.doubt.as_ref().unwrap();
        assert_eq!(u64::from(doubt.checks), round);
        assert_eq!(doubt.reason, "Still unknown.");
        waits.push(doubt.next_check_at_ms.map(|next| next - at_ms));
    }
    assert_eq!(
        waits,
        [
            Some(10_000),
            Some(40_000),
            Some(160_000),
            Some(600_000),
            None,
            None
        ]
    );
}
