//! A message is sent.

use protocol::{ErrorCode, RunStatus};
use store::Change;

use super::super::start_run;
use super::{BEFORE, every_run, halted, input, quiet, refused, run_id, status_of, told};

const FIRST_STEP: [&str; 5] = [
    "create step e at 1",
    "step e planned -> running",
    "start attempt 1",
    "event step_started",
    "call model for run e step e attempt 1",
];

fn message_at(position: u64) -> [String; 4] {
    let text = r"# When is high water?\nand where";
    [
        format!("add Complete User message {position} \"{text}\""),
        "event message_added".to_owned(),
        "create run e".to_owned(),
        "event run_started".to_owned(),
    ]
}

fn expected(first: &[&str], position: u64) -> Vec<String> {
    let first = first.iter().map(|line| (*line).to_owned());
    let last = FIRST_STEP.iter().map(|line| (*line).to_owned());
    first.chain(message_at(position)).chain(last).collect()
}

// STO-2
#[test]
fn a_first_message_creates_session_message_and_run_in_one_decision() {
    let decision = start_run(None, &input()).unwrap();
    let created = [
        r#"create session Some("When is high water?")"#,
        "event session_created",
    ];
    assert_eq!(told(&decision), expected(&created, 1));
}

#[test]
fn a_message_to_a_session_goes_to_its_end() {
    let decision = start_run(Some(&quiet()), &input()).unwrap();
    assert_eq!(told(&decision), expected(&[], 3));
}

#[test]
fn a_session_without_a_title_gets_one_from_its_first_message() {
    let state = store::SessionState {
        title: None,
        ..quiet()
    };
    let decision = start_run(Some(&state), &input()).unwrap();
    let named = [
        r#"rename session "When is high water?""#,
        "event session_renamed",
    ];
    assert_eq!(told(&decision), expected(&named, 3));
}

// RUN-6
#[test]
fn what_was_resolved_at_the_start_is_pinned_to_the_run() {
    let decision = start_run(Some(&quiet()), &input()).unwrap();
    let run = decision.changes.iter().find_map(|change| match change {
        Change::CreateRun(run) => Some(run),
        _ => None,
    });
    let run = run.unwrap();
    assert_eq!(run.model, "model-b");
    assert_eq!(run.instructions.as_deref(), Some("Be brief."));
    assert_eq!(run.request_key.as_deref(), Some("key"));
    assert_eq!(run.message_id, super::message_id());
    assert_eq!(run.agent_id, super::agent_id());
}

// RUN-2
#[test]
fn a_live_run_refuses_a_second_one_and_is_named() {
    for state in every_run() {
        if status_of(&state).is_live() {
            assert_eq!(
                refused(start_run(Some(&state), &input())),
                (ErrorCode::AlreadyRunning, Some(run_id(BEFORE)))
            );
        }
    }
}

// RUN-24
#[test]
fn a_message_to_a_halted_run_supersedes_it_in_the_same_decision() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let decision = start_run(Some(&halted(status)), &input()).unwrap();
        let moved = format!("run b {} -> cancelled superseded", status.as_str());
        let superseded = [
            "step b interrupted -> cancelled",
            "event step_cancelled",
            &moved,
            "event run_cancelled",
        ];
        assert_eq!(told(&decision), expected(&superseded, 3));
    }
}

#[test]
fn a_run_that_is_over_is_left_alone() {
    for state in every_run() {
        if status_of(&state).is_terminal() {
            let decision = start_run(Some(&state), &input()).unwrap();
            assert_eq!(told(&decision), expected(&[], 3));
        }
    }
}
