//! What a run does next, from where its tool calls stand.

use protocol::{CallStatus, EffectClass, Event, RunLimits, RunReason, RunStatus};
use store::{CallRow, SessionState, Used};

use super::super::Decision;
use super::super::draft::Draft;
use super::{
    after, asking, asks_model, call, call_id, decide, events, limited, run_of, started, status_of,
    told, touching, with_calls,
};

fn advance(state: &SessionState) -> Decision {
    decide(|given| {
        let mut draft = Draft::of(state, given).unwrap();
        draft.advance();
        draft.decision
    })
}

fn ready(ordinal: u32, effect: EffectClass) -> CallRow {
    call(ordinal, CallStatus::Ready, effect)
}

fn going(calls: Vec<CallRow>) -> SessionState {
    with_calls(RunStatus::Running, calls)
}

#[test]
fn calls_that_touch_different_things_start_together() {
    let calls = EffectClass::ALL.into_iter().zip(0..);
    let state = going(calls.map(|(effect, place)| ready(place, effect)).collect());
    let decision = advance(&state);
    assert_eq!(started(&decision), [call_id(0), call_id(1), call_id(2)]);
    assert!(decision.changes.is_empty(), "it was running already");
}

#[test]
fn calls_that_touch_the_same_keep_their_order_unless_both_only_read() {
    for first in EffectClass::ALL {
        for second in EffectClass::ALL {
            let calls = vec![
                touching(ready(0, first), &["file:a", "file:b"]),
                touching(ready(1, second), &["file:b"]),
            ];
            let together = (first, second) == (EffectClass::Read, EffectClass::Read);
            let count = started(&advance(&going(calls))).len();
            assert_eq!(count, if together { 2 } else { 1 }, "{first:?} {second:?}");
        }
    }
}

#[test]
fn whatever_is_not_over_holds_back_a_later_call_that_touches_the_same() {
    for status in CallStatus::ALL {
        let earlier = call(0, status, EffectClass::Once);
        let later = touching(ready(1, EffectClass::Read), &["file:0"]);
        let decision = advance(&going(vec![earlier, later]));
        let is_held = !started(&decision).contains(&call_id(1));
        assert_eq!(is_held, !status.is_terminal(), "{status:?}");
    }
}

#[test]
fn a_later_call_does_not_hold_back_an_earlier_one_unless_it_runs() {
    for status in CallStatus::ALL {
        let earlier = touching(ready(0, EffectClass::Once), &["file:1"]);
        let later = call(1, status, EffectClass::Once);
        let decision = advance(&going(vec![earlier, later]));
        let is_held = !started(&decision).contains(&call_id(0));
        assert_eq!(is_held, status == CallStatus::Running, "{status:?}");
    }
}

#[test]
fn at_most_eight_calls_run_at_once() {
    for running in 0..=10 {
        let calls = (0..20).map(|place| {
            let status = if place < running {
                CallStatus::Running
            } else {
                CallStatus::Ready
            };
            call(place, status, EffectClass::Read)
        });
        let decision = advance(&going(calls.collect()));
        let expected: Vec<_> = (running..8.max(running)).map(call_id).collect();
        assert_eq!(started(&decision), expected);
    }
}

/// Every way in which two calls can stand.
#[test]
fn a_run_waits_exactly_when_nothing_can_start_and_asks_exactly_when_all_is_over() {
    for one in CallStatus::ALL {
        for other in CallStatus::ALL {
            for status in [RunStatus::Running, RunStatus::Waiting] {
                let calls = vec![
                    call(0, one, EffectClass::Once),
                    call(1, other, EffectClass::Once),
                ];
                let state = with_calls(status, calls);
                let decision = advance(&state);
                let is = |status| one == status || other == status;
                let can_go_on = is(CallStatus::Ready) || is(CallStatus::Running);
                let is_over = one.is_terminal() && other.is_terminal();
                let expected = if can_go_on || is_over {
                    RunStatus::Running
                } else {
                    RunStatus::Waiting
                };
                let next = after(&state, &decision);
                assert_eq!(status_of(&next), expected, "{one:?} {other:?} {status:?}");
                assert_eq!(asks_model(&decision), is_over, "{one:?} {other:?}");
                // What did not change is not told again.
                let moves = told(&decision);
                let moves = moves.iter().filter(|line| line.starts_with("run ")).count();
                assert_eq!(moves, usize::from(status != expected));
            }
        }
    }
}

// EFF-3
#[test]
fn nothing_in_doubt_is_told_to_the_model() {
    for status in CallStatus::ALL {
        let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
        let other = call(1, status, EffectClass::Once);
        assert!(!asks_model(&advance(&going(vec![unknown, other]))));
    }
}

// STO-19
#[test]
fn what_the_calls_staged_is_merged_before_the_model_is_asked() {
    let state = going(vec![call(0, CallStatus::Completed, EffectClass::Read)]);
    assert_eq!(
        told(&advance(&state)),
        [
            "merge state",
            "create model step 100",
            "step 100 planned -> running",
            "start attempt 1",
            "event step_started",
            "call model for run b step 100 attempt 1",
        ]
    );
}

// RUN-11
#[test]
fn each_limit_stops_the_run_with_its_own_reason() {
    let limits = [
        (
            RunReason::StepLimit,
            Used {
                steps: 3,
                ..Used::default()
            },
        ),
        (
            RunReason::TimeLimit,
            Used {
                ms: 5_000,
                ..Used::default()
            },
        ),
        (
            RunReason::TokenLimit,
            Used {
                tokens: 7,
                ..Used::default()
            },
        ),
        (
            RunReason::CostLimit,
            Used {
                cost_microusd: 9,
                ..Used::default()
            },
        ),
    ];
    for (reason, used) in limits {
        for status in [RunStatus::Running, RunStatus::Waiting] {
            let mut state =
                with_calls(status, vec![call(0, CallStatus::Denied, EffectClass::Once)]);
            limited(
                &mut state,
                RunLimits {
                    steps: Some(3),
                    seconds: Some(5),
                    tokens: Some(7),
                    cost_microusd: Some(9),
                },
            );
            assert!(asks_model(&advance(&state)), "nothing is used yet");
            run_of(&mut state).used = used;
            let decision = advance(&state);
            let next = after(&state, &decision);
            assert_eq!(status_of(&next), RunStatus::Stopped);
            assert_eq!(next.run.unwrap().reason, Some(reason));
            assert!(decision.effects.is_empty());
            let stopped = Event::RunStopped {
                run_id: super::run_id(super::BEFORE),
                reason,
            };
            assert_eq!(events(&decision).last(), Some(&&stopped));
        }
    }
}

// RUN-11
#[test]
fn one_below_a_limit_goes_on_and_what_is_not_limited_has_its_default() {
    let mut state = going(vec![call(0, CallStatus::Completed, EffectClass::Read)]);
    for (steps, goes_on) in [(99, true), (100, false)] {
        run_of(&mut state).used.steps = steps;
        assert_eq!(asks_model(&advance(&state)), goes_on, "{steps}");
    }
    run_of(&mut state).used = Used {
        steps: 0,
        ms: 2 * 60 * 60 * 1_000 - 1,
        tokens: u64::MAX,
        cost_microusd: u64::MAX,
    };
    assert!(asks_model(&advance(&state)));
    run_of(&mut state).used.ms += 1;
    assert!(!asks_model(&advance(&state)));
}

// RUN-11
#[test]
fn a_limit_stops_no_call_that_is_allowed_to_start() {
    let mut state = going(vec![ready(0, EffectClass::Once), asking(1)]);
    run_of(&mut state).used.steps = 1_000;
    assert_eq!(started(&advance(&state)), [call_id(0)]);
}
