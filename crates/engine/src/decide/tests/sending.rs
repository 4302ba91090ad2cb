//! A message is sent, whatever the session is doing at that moment: the whole table.

use protocol::{
    ApprovalStatus, CallStatus, CommandError, EffectClass, ErrorCode, RunReason, RunStatus,
    SentOutcome, limits,
};
use store::SessionState;

use super::super::{Decision, SendMessage, send_message};
use super::queueing::queued;
use super::{
    BEFORE, NEW, after, asking, asks_model, call, decide, every_run, input, quiet, refused, run_id,
    run_of, running, status_of, told, with_calls,
};

fn send(
    state: Option<&SessionState>,
    stop_first: bool,
) -> Result<(SentOutcome, Decision), CommandError> {
    let start = input();
    let message = SendMessage { start, stop_first };
    decide(|given| send_message(state, &message, given))
}

const STARTED: SentOutcome = SentOutcome::Started {
    run_id: protocol::RunId::from_uuid(uuid::Uuid::from_u128(NEW)),
};
const QUEUED: SentOutcome = SentOutcome::Queued {};

/// Every run, with and without a question, a running call and a doubt, with and without stopping
/// first.
// RUN-2, RUN-24, APR-10
#[test]
fn the_whole_table() {
    for run in RunStatus::ALL {
        for bits in 0_u8..16 {
            let [asks, runs, doubts, stop_first] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
            let mut calls = vec![call(0, CallStatus::Completed, EffectClass::Read)];
            if asks {
                calls.push(asking(1));
            }
            if runs {
                calls.push(call(2, CallStatus::Running, EffectClass::Once));
            }
            if doubts {
                calls.push(call(3, CallStatus::InDoubt, EffectClass::Once));
            }
            let state = with_calls(run, calls);
            let (outcome, decision) = send(Some(&state), stop_first).unwrap();
            let what = format!("{run:?} asks {asks} runs {runs} doubts {doubts} stop {stop_first}");
            let expected = match run {
                _ if runs || doubts => QUEUED,
                RunStatus::Waiting => SentOutcome::Joined {
                    run_id: run_id(BEFORE),
                },
                RunStatus::Queued | RunStatus::Running if !stop_first => QUEUED,
                _ => STARTED,
            };
            assert_eq!(outcome, expected, "{what}");
            let next = after(&state, &decision);
            if outcome == QUEUED {
                assert_eq!(status_of(&next), run, "{what}");
                assert_eq!(next.run, state.run, "{what}");
                assert_eq!(next.queue.len(), 1, "{what}");
                assert!(decision.effects.is_empty(), "{what}");
            } else {
                assert_eq!(status_of(&next), RunStatus::Running, "{what}");
                assert!(asks_model(&decision), "{what}");
                assert_eq!(next.message_count, state.message_count + 1, "{what}");
            }
        }
    }
}

#[test]
fn a_message_to_no_session_or_a_quiet_one_starts_a_run() {
    for state in [None, Some(quiet())] {
        let (outcome, decision) = send(state.as_ref(), false).unwrap();
        assert_eq!(outcome, STARTED);
        assert!(asks_model(&decision));
    }
}

// APR-10
#[test]
fn a_message_instead_of_an_answer_supersedes_the_questions_and_follows_their_results() {
    let state = with_calls(RunStatus::Waiting, vec![asking(0), asking(1)]);
    let (_, decision) = send(Some(&state), false).unwrap();
    assert_eq!(
        told(&decision),
        [
            "answer c0 round 1 superseded",
            "call c0 waiting -> cancelled",
            "event tool_call_changed",
            "answer c1 round 1 superseded",
            "call c1 waiting -> cancelled",
            "event tool_call_changed",
            "merge state",
            r##"add Complete User message 3 "# When is high water?\nand where""##,
            "event message_added",
            "note request key",
            "merge state",
            "run b waiting -> running -",
            "event run_continued",
            "create model step 100",
            "step 100 planned -> running",
            "start attempt 1",
            "event step_started",
            "call model for run b step 100 attempt 1",
        ]
    );
    for call in after(&state, &decision).run.unwrap().calls {
        assert!(call.view.result.unwrap().is_error);
        let status = call.view.approval.unwrap().status;
        assert_eq!(status, ApprovalStatus::Superseded);
    }
}

// RUN-11
#[test]
fn a_message_into_a_run_at_its_limit_is_written_and_stops_there() {
    let mut state = with_calls(RunStatus::Waiting, vec![asking(0)]);
    run_of(&mut state).used.steps = 1_000;
    let (_, decision) = send(Some(&state), false).unwrap();
    let next = after(&state, &decision);
    assert_eq!(next.message_count, 3);
    let run = next.run.unwrap();
    assert_eq!(run.status, RunStatus::Stopped);
    assert_eq!(run.reason, Some(RunReason::StepLimit));
}

// RUN-24
#[test]
fn a_halted_run_is_given_up_with_its_open_calls_paired_in_the_same_decision() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let ready = call(1, CallStatus::Ready, EffectClass::Read);
        let state = with_calls(status, vec![asking(0), ready]);
        let (_, decision) = send(Some(&state), false).unwrap();
        let lines = told(&decision);
        let place = |what: &str| lines.iter().position(|line| line == what).unwrap();
        let moved = format!("run b {} -> cancelled superseded", status.as_str());
        assert!(place("call c0 waiting -> cancelled") < place(&moved));
        assert!(place("call c1 ready -> cancelled") < place(&moved));
        assert!(place(&moved) < place("create run e"));
    }
}

// RUN-2
#[test]
fn stop_and_send_gives_the_live_run_up_and_keeps_its_text() {
    let (outcome, decision) = send(Some(&running("The tide")), true).unwrap();
    assert_eq!(outcome, STARTED);
    let lines = told(&decision);
    assert!(lines.contains(&r#"add Partial Agent message 3 "The tide""#.to_owned()));
    assert!(lines.contains(&"run b running -> cancelled superseded".to_owned()));
    assert!(lines.contains(&"halt model of run b".to_owned()));
}

// RUN-2
#[test]
fn a_message_behind_others_that_were_held_waits_and_the_first_of_them_goes() {
    for mut state in every_run() {
        if status_of(&state).is_live() {
            continue;
        }
        state.queue = vec![queued(1), queued(2)];
        let (outcome, decision) = send(Some(&state), false).unwrap();
        assert_eq!(outcome, QUEUED);
        let next = after(&state, &decision);
        let left: Vec<&str> = next.queue.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(left, ["held 2", "# When is high water?\nand where"]);
        assert!(asks_model(&decision));
        assert!(told(&decision).contains(&r#"add Complete User message 3 "held 1""#.to_owned()));
    }
}

// RUN-3
#[test]
fn a_message_that_waits_or_joins_is_noted_with_its_request() {
    let waits = send(Some(&running("")), false).unwrap().1;
    assert!(told(&waits).contains(&"note request key".to_owned()));
}

// SEC-3
#[test]
fn a_full_queue_refuses_and_records_nothing() {
    let mut state = running("");
    state.queue = (0..limits::QUEUE as u128).map(queued).collect();
    assert_eq!(refused(send(Some(&state), false)).0, ErrorCode::TooLarge);
    state.queue.pop();
    assert_eq!(send(Some(&state), false).unwrap().0, QUEUED);
}
