//! Sessions, and what holds for every decision.

use protocol::{RunReason, RunStatus};

use super::super::{
    Decision, cancel_run, create_session, interrupt, rename_session, resume_run, start_run,
    stop_run,
};
use super::{
    AT_MS, BEFORE, agent_id, every_run, halted, input, message_id, quiet, run_id, running,
    session_id, told,
};

// STO-1
#[test]
fn creating_a_session_that_exists_changes_nothing() {
    let create = |state| create_session(state, session_id(), agent_id(), Some("Tides"), AT_MS);
    assert_eq!(
        told(&create(None)),
        [r#"create session Some("Tides")"#, "event session_created"]
    );
    assert!(told(&create(Some(&quiet()))).is_empty());
}

// STR-1
#[test]
fn the_same_title_again_changes_nothing() {
    assert_eq!(
        told(&rename_session(&quiet(), " Ebb ", AT_MS)),
        [r#"rename session "Ebb""#, "event session_renamed"]
    );
    assert!(told(&rename_session(&quiet(), "  Tides ", AT_MS)).is_empty());
}

#[test]
fn deciding_the_same_twice_gives_the_same() {
    let mut states = every_run();
    states.extend([quiet(), running("The tide"), halted(RunStatus::Stopped)]);
    let decide_all = || -> Vec<String> {
        let told = |decision: Decision| format!("{decision:?}");
        states
            .iter()
            .flat_map(|state| {
                [
                    told(stop_run(state, run_id(BEFORE), message_id(), AT_MS)),
                    told(interrupt(state, RunReason::AppEnded, message_id(), AT_MS)),
                    told(rename_session(state, "Ebb", AT_MS)),
                    format!("{:?}", start_run(Some(state), &input())),
                    format!("{:?}", resume_run(state, run_id(BEFORE), AT_MS)),
                    format!(
                        "{:?}",
                        cancel_run(state, run_id(BEFORE), message_id(), AT_MS)
                    ),
                ]
            })
            .collect()
    };
    assert_eq!(decide_all(), decide_all());
}
