//! A run starts: with its session, its message, what its agent is now.

use protocol::{CallStatus, EffectClass, ErrorCode, RunStatus};
use store::Change;

use super::super::{Again, Decision, Given, retry_run, start_run};
use super::{
    BEFORE, Numbered, call, call_id, decide, every_run, halted, input, quiet, refused, run_id,
    status_of, told, with_calls,
};
use crate::pin::Pin;
use crate::tool::ToolSpec;

const FIRST_STEP: [&str; 5] = [
    "create model step 100",
    "step 100 planned -> running",
    "start attempt 1",
    "event step_started",
    "call model for run e step 100 attempt 1",
];

fn start(state: Option<&store::SessionState>) -> Result<Decision, protocol::CommandError> {
    decide(|given| start_run(state, &input(), given))
}

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
    let decision = start(None).unwrap();
    let created = [
        r#"create session Some("When is high water?")"#,
        "event session_created",
    ];
    assert_eq!(told(&decision), expected(&created, 1));
}

#[test]
fn a_message_to_a_session_goes_to_its_end() {
    let decision = start(Some(&quiet())).unwrap();
    assert_eq!(told(&decision), expected(&[], 3));
}

#[test]
fn a_session_without_a_title_gets_one_from_its_first_message() {
    let state = store::SessionState {
        title: None,
        ..quiet()
    };
    let decision = start(Some(&state)).unwrap();
    let named = [
        r#"rename session "When is high water?""#,
        "event session_renamed",
    ];
    assert_eq!(told(&decision), expected(&named, 3));
}

// RUN-6
#[test]
fn what_was_resolved_at_the_start_is_pinned_to_the_run() {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "It does.".to_owned(),
        parameters: serde_json::json!({"type": "object"}),
    };
    let tools = [spec("read_file"), spec("write_file")];
    let mut state = quiet();
    let given = Given {
        at_ms: 1,
        ids: &Numbered::default(),
        default_model: "model-b".into(),
        tools: &tools,
    };
    let pinned = |state: &store::SessionState| {
        let decision = start_run(Some(state), &input(), &given).unwrap();
        let run = decision
            .changes
            .into_iter()
            .find_map(|change| match change {
                Change::CreateRun(run) => Some(run),
                _ => None,
            });
        run.unwrap()
    };
    let run = pinned(&state);
    assert_eq!(run.model, "model-b");
    assert_eq!(run.request_key.as_deref(), Some("key"));
    assert_eq!(run.message_id, super::message_id());
    assert_eq!(run.agent_id, super::agent_id());
    let pin = Pin::read(run.pin.as_deref());
    assert_eq!(pin.instructions.as_deref(), Some("Be brief."));
    assert_eq!(pin.tools, tools);

    state.model = Some("model-d".to_owned());
    assert_eq!(pinned(&state).model, "model-d");
    state.agent.model = Some("model-c".to_owned());
    assert_eq!(
        pinned(&state).model,
        "model-d",
        "the session goes before its agent"
    );
    state.model = None;
    state.agent.tools = Some(vec!["write_file".to_owned(), "gone".to_owned()]);
    state.agent.limits.steps = Some(3);
    let run = pinned(&state);
    assert_eq!(run.model, "model-c");
    let pin = Pin::read(run.pin.as_deref());
    assert_eq!(pin.tools, tools[1..]);
    assert_eq!(pin.limits.steps, Some(3));
    assert_eq!(run.pin, pinned(&state).pin, "byte for byte");
}

// RUN-2
#[test]
fn a_live_run_refuses_a_second_one_and_is_named() {
    for state in every_run() {
        if status_of(&state).is_live() {
            assert_eq!(
                refused(start(Some(&state))),
                (ErrorCode::AlreadyRunning, Some(run_id(BEFORE)))
            );
        }
    }
}

// RUN-24
#[test]
fn a_message_to_a_halted_run_supersedes_it_in_the_same_decision() {
    for status in [RunStatus::Stopped, RunStatus::Interrupted] {
        let decision = start(Some(&halted(status))).unwrap();
        let moved = format!("run b {} -> cancelled superseded", status.as_str());
        let superseded = [
            "step b interrupted -> cancelled",
            "event step_cancelled",
            &moved,
            "event run_cancelled",
        ];
        let mut expected = expected(&superseded, 3);
        let asks = expected.pop().unwrap();
        expected.extend([
            "halt model of run b".to_owned(),
            "halt calls of run b".to_owned(),
            asks,
        ]);
        assert_eq!(told(&decision), expected);
    }
}

#[test]
fn a_run_that_is_over_is_left_alone() {
    for state in every_run() {
        if status_of(&state).is_terminal() {
            let decision = start(Some(&state)).unwrap();
            assert_eq!(told(&decision), expected(&[], 3));
        }
    }
}

/// Cut off in a branch that was not shown, after its run was given up.
// RUN-20
#[test]
fn a_call_that_a_run_left_open_when_it_ended_is_paired_before_the_next_one_asks() {
    for status in RunStatus::ALL {
        let open = call(0, CallStatus::Ready, EffectClass::Read);
        let state = with_calls(status, vec![open]);
        let again = Again {
            message_id: super::message_id(),
            run_id: run_id(super::NEW),
            request_key: None,
        };
        let tried = decide(|given| retry_run(&state, run_id(BEFORE), &again, given));
        for decision in [start(Some(&state)), tried].into_iter().flatten() {
            let lines = told(&decision);
            let place = |what: &str| lines.iter().position(|line| line == what).unwrap();
            assert!(place("call c0 ready -> cancelled") < place("create run e"));
        }
    }
}

// STP-6, EFF-3
#[test]
fn nothing_starts_past_a_call_in_doubt() {
    for status in [
        RunStatus::Stopped,
        RunStatus::Interrupted,
        RunStatus::Cancelled,
    ] {
        let unknown = call(0, CallStatus::InDoubt, EffectClass::Once);
        let state = with_calls(status, vec![unknown]);
        let error = start(Some(&state)).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert!(error.message.contains(&call_id(0).to_string()), "{error}");
    }
}
