//! The same calls again and again.

use protocol::{CallStatus, EffectClass, ErrorClass, Event, RunStatus, ToolResult};
use store::{CallRow, SameRound, SessionState};

use super::super::Decision;
use super::super::draft::Draft;
use super::{after, asks_model, call, decide, events, run_of, status_of, with_calls};

fn result(text: &str) -> Option<ToolResult> {
    Some(ToolResult {
        text: text.to_owned(),
        is_error: false,
        class: None,
        total_bytes: text.len() as u64,
    })
}

fn over() -> CallRow {
    call(0, CallStatus::Completed, EffectClass::Read)
}

/// A run whose call is over, as it was so often before, with this result each time.
fn after_times(times: u32, text: &str) -> SessionState {
    let mut state = with_calls(RunStatus::Running, vec![over()]);
    run_of(&mut state).same_round = Some(SameRound {
        results: vec![result(text)],
        times,
    });
    state
}

fn advance(state: &SessionState) -> Decision {
    decide(|given| {
        let mut draft = Draft::of(state, given).unwrap();
        draft.advance();
        draft.decision
    })
}

#[test]
fn the_fourth_time_in_a_row_ends_the_run_and_says_why() {
    for times in 0..=2 {
        assert!(asks_model(&advance(&after_times(times, "done"))), "{times}");
    }
    let state = after_times(3, "done");
    let decision = advance(&state);
    assert!(!asks_model(&decision));
    assert_eq!(status_of(&after(&state, &decision)), RunStatus::Failed);
    let failed = events(&decision).into_iter().find_map(|event| match event {
        Event::RunFailed { error, .. } => Some(error.clone()),
        _ => None,
    });
    let error = failed.expect("it is said");
    assert_eq!(error.class, ErrorClass::Limit);
    assert!(
        error.message.contains("write_file 4 times in a row"),
        "{}",
        error.message
    );
}

/// A call that waits for something gives the same answer until it gives another one.
#[test]
fn another_result_is_another_matter() {
    assert!(asks_model(&advance(&after_times(3, "not yet"))));
    let mut state = after_times(3, "done");
    run_of(&mut state).calls[0].view.result = result("done, and longer");
    assert!(asks_model(&advance(&state)));
    // A failure that says the same is not the same.
    let mut state = after_times(3, "done");
    run_of(&mut state).calls[0].view.result = result("done").map(|result| ToolResult {
        is_error: true,
        ..result
    });
    assert!(asks_model(&advance(&state)));
}

/// Then it is not the model alone that goes on.
#[test]
fn a_person_who_says_something_in_between_ends_the_row() {
    let mut state = after_times(3, "done");
    run_of(&mut state).calls[0].view.status = CallStatus::Cancelled;
    assert!(asks_model(&advance(&state)));
}

/// Counted also where a call is answered in the same breath in which it is asked for.
#[test]
fn a_new_round_counts_the_ones_before_it() {
    let round = |state: &SessionState, calls: Vec<CallRow>| {
        decide(|given| {
            let mut draft = Draft::of(state, given).unwrap();
            draft.begin_round(calls);
            draft.run.same_round
        })
    };
    let same = |times| {
        Some(SameRound {
            results: vec![result("done")],
            times,
        })
    };
    assert_eq!(round(&after_times(2, "done"), vec![over()]), same(3));
    assert_eq!(round(&after_times(2, "not yet"), vec![over()]), same(1));
    let first = with_calls(RunStatus::Running, vec![over()]);
    assert_eq!(round(&first, vec![over()]), same(1));
    let none = with_calls(RunStatus::Running, Vec::new());
    assert_eq!(round(&none, vec![over()]), None);
    let other = call(1, CallStatus::Ready, EffectClass::Read);
    assert_eq!(round(&after_times(2, "done"), vec![other.clone()]), None);
    assert_eq!(round(&after_times(2, "done"), vec![over(), other]), None);
}
