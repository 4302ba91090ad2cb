//! Messages that wait for their turn.

use protocol::{CallStatus, EffectClass, ErrorCode, MessageId, QueuedMessage, RunStatus};
use store::SessionState;
use uuid::Uuid;

use super::super::{Outcome, edit_queued, model_outcome, remove_queued, send_queued};
use super::{
    BEFORE, after, asks_model, call, changes_nothing, decide, every_run, message_id, refused,
    running, status_of, step_id, told, with_calls,
};

/// A message that waits.
pub(super) fn queued(number: u128) -> QueuedMessage {
    QueuedMessage {
        message_id: MessageId::from_uuid(Uuid::from_u128(0xa00 + number)),
        text: format!("held {number}"),
        attachments: Vec::new(),
        created_at_ms: 1,
    }
}

fn with_queue(mut state: SessionState) -> SessionState {
    state.queue = vec![queued(1), queued(2)];
    state
}

// RUN-2
#[test]
fn a_message_that_waits_can_be_changed_and_taken_away() {
    let state = with_queue(running(""));
    let id = queued(1).message_id;
    let (queue, decision) = decide(|given| edit_queued(&state, id, "other", given)).unwrap();
    assert_eq!(queue[0].text, "other");
    assert_eq!(
        told(&decision),
        [r#"edit queued "other""#, "event queue_changed"]
    );
    let (_, decision) = decide(|given| edit_queued(&state, id, "held 1", given)).unwrap();
    assert!(changes_nothing(&decision), "the same text");
    let (queue, decision) = decide(|given| remove_queued(&state, id, given)).unwrap();
    assert_eq!(queue, [queued(2)]);
    assert_eq!(told(&decision), ["dequeue a01", "event queue_changed"]);
}

#[test]
fn what_does_not_wait_is_not_found() {
    let state = with_queue(running(""));
    let id = queued(3).message_id;
    let edited = decide(|given| edit_queued(&state, id, "other", given));
    assert_eq!(refused(edited).0, ErrorCode::NotFound);
    let removed = decide(|given| remove_queued(&state, id, given));
    assert_eq!(refused(removed).0, ErrorCode::NotFound);
}

// RUN-2
#[test]
fn the_first_message_that_waits_is_sent_in_the_breath_in_which_a_run_ends_well() {
    let state = with_queue(running(""));
    let outcome = Outcome::Completed {
        message_id: message_id(),
        said: crate::decide::Said {
            blocks: Vec::new(),
            ending: protocol::Ending::Complete,
            native: None,
            fill: None,
        },
        usage: protocol::Usage::default(),
        calls: Vec::new(),
        start: None,
    };
    let decision = decide(|given| model_outcome(&state, step_id(BEFORE), 2, &outcome, given));
    let next = after(&state, &decision);
    assert_eq!(next.queue, [queued(2)]);
    assert_eq!(status_of(&next), RunStatus::Running);
    assert_eq!(next.run.unwrap().message_id, queued(1).message_id);
    let lines = told(&decision);
    let place = |what: &str| lines.iter().position(|line| line == what).unwrap();
    assert!(place("run b running -> completed -") < place("create run 100"));

    let mut doubtful = state;
    doubtful.doubts = vec![super::call_id(0)];
    let decision = decide(|given| model_outcome(&doubtful, step_id(BEFORE), 2, &outcome, given));
    assert_eq!(
        after(&doubtful, &decision).queue.len(),
        2,
        "held past a doubt"
    );
}

// STP-6
#[test]
fn messages_that_were_held_go_when_the_person_says_so() {
    for state in every_run() {
        let state = with_queue(state);
        let result = decide(|given| send_queued(&state, given));
        if status_of(&state).is_live() {
            assert_eq!(refused(result).0, ErrorCode::AlreadyRunning);
            continue;
        }
        let (queue, decision) = result.unwrap();
        assert_eq!(queue, [queued(2)]);
        let next = after(&state, &decision);
        assert_eq!(next.queue, [queued(2)]);
        assert_eq!(status_of(&next), RunStatus::Running);
        assert!(asks_model(&decision));
    }
}

#[test]
fn with_nothing_held_nothing_is_sent_or_given_up() {
    for state in every_run() {
        if !status_of(&state).is_live() {
            let (_, decision) = decide(|given| send_queued(&state, given)).unwrap();
            assert!(changes_nothing(&decision));
        }
    }
}

// STP-6, RUN-20
#[test]
fn nothing_that_was_held_goes_past_a_doubt_or_a_call_that_is_still_ending() {
    for (status, code) in [
        (CallStatus::InDoubt, ErrorCode::NotActionable),
        (CallStatus::Running, ErrorCode::AlreadyRunning),
    ] {
        for run in [RunStatus::Stopped, RunStatus::Cancelled] {
            let state = with_queue(with_calls(run, vec![call(0, status, EffectClass::Once)]));
            let result = decide(|given| send_queued(&state, given));
            assert_eq!(refused(result).0, code);
        }
    }
}
