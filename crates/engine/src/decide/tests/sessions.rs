//! Sessions, and what holds for every decision.

use protocol::{CallStatus, EffectClass, RunReason, RunStatus};

use super::super::{
    Decision, archive_session, cancel_run, create_session, delete_session, interrupt,
    rename_session, restore_session, resume_run, set_agent, start_run, stop_run,
};
use super::{
    AT_MS, BEFORE, after, agent, agent_id, asking, call, changes_nothing, decide, every_run,
    halted, input, quiet, run_id, running, session_id, status_of, told, with_calls,
};

// STO-1
#[test]
fn creating_a_session_that_exists_changes_nothing() {
    let create = |state| {
        let agent = (agent_id(), agent());
        decide(|given| create_session(state, session_id(), agent, Some("Tides"), given))
    };
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
fn putting_away_and_another_agent_are_said_once() {
    let mut state = quiet();
    assert_eq!(
        told(&decide(|given| archive_session(&state, true, given))),
        ["archive session true", "event session_archived"]
    );
    assert!(changes_nothing(&decide(|given| archive_session(
        &state, false, given
    ))));
    assert_eq!(
        told(&decide(|given| set_agent(
            &state,
            store::DEFAULT_AGENT,
            given
        )))
        .len(),
        2
    );
    state.agent_id = store::DEFAULT_AGENT;
    let again = decide(|given| set_agent(&state, store::DEFAULT_AGENT, given));
    assert!(changes_nothing(&again));
}

// STO-14
#[test]
fn deleting_ends_whatever_is_going_for_good_and_can_be_taken_back() {
    for state in every_run() {
        let decision = decide(|given| delete_session(&state, given));
        let deleted = after(&state, &decision);
        assert!(status_of(&deleted).is_terminal());
        assert_eq!(deleted.deleted_at_ms, Some(AT_MS));
        let back = after(&deleted, &restore_session(&deleted));
        assert_eq!(back.deleted_at_ms, None);
        assert!(changes_nothing(&restore_session(&back)));
    }
    // Also past a doubt: nobody will ask about it any more.
    let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
    let state = with_calls(RunStatus::Waiting, vec![unknown, asking(1)]);
    let deleted = after(&state, &decide(|given| delete_session(&state, given)));
    assert_eq!(status_of(&deleted), RunStatus::Cancelled);
    let calls = &deleted.run.unwrap().calls;
    assert_eq!(calls[0].view.status, CallStatus::InDoubt);
    assert_eq!(calls[1].view.status, CallStatus::Cancelled);
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
                    told(decide(|given| stop_run(state, run_id(BEFORE), given))),
                    told(decide(|given| interrupt(state, RunReason::AppEnded, given))),
                    told(rename_session(state, "Ebb", AT_MS)),
                    format!(
                        "{:?}",
                        decide(|given| start_run(Some(state), &input(), given))
                    ),
                    format!(
                        "{:?}",
                        decide(|given| resume_run(state, run_id(BEFORE), given))
                    ),
                    format!(
                        "{:?}",
                        decide(|given| cancel_run(state, run_id(BEFORE), given))
                    ),
                ]
            })
            .collect()
    };
    assert_eq!(decide_all(), decide_all());
}
