//! What a run began with is read back as it was, and what cannot be read pins nothing.

use protocol::{AgentFields, RunLimits};

use super::{Pin, PinnedLimits};
use crate::tool::ToolSpec;

fn spec(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: "It does.".to_owned(),
        parameters: serde_json::json!({"type": "object", "b": 1, "a": 2}),
    }
}

fn agent(tools: Option<&[&str]>) -> AgentFields {
    AgentFields {
        name: "Pilot".to_owned(),
        instructions: Some("Be brief.".to_owned()),
        model: None,
        tools: tools.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        limits: RunLimits {
            steps: Some(3),
            seconds: None,
            tokens: Some(5),
            cost_microusd: None,
        },
    }
}

// RUN-6
#[test]
fn it_is_read_back_as_it_was_and_written_the_same() {
    let pin = Pin::of(&agent(None), &[spec("b"), spec("a")]);
    let text = pin.to_text().unwrap();
    assert_eq!(Pin::read(Some(&text)), pin);
    assert_eq!(Pin::read(Some(&text)).to_text().unwrap(), text);
}

// RUN-6
#[test]
fn an_agent_gets_the_tools_it_may_use_that_exist() {
    let all = [spec("b"), spec("a")];
    let names = |tools: Option<&[&str]>| -> Vec<String> {
        let pin = Pin::of(&agent(tools), &all);
        pin.tools.into_iter().map(|tool| tool.name).collect()
    };
    assert_eq!(names(None), ["b", "a"]);
    assert_eq!(names(Some(&["a", "gone"])), ["a"]);
    assert!(names(Some(&[])).is_empty());
}

#[test]
fn what_cannot_be_read_pins_nothing_and_has_limits_all_the_same() {
    for text in [
        None,
        Some(""),
        Some("{"),
        Some("[]"),
        Some(r#"{"tools": 3}"#),
    ] {
        let pin = Pin::read(text);
        assert_eq!(pin, Pin::default(), "{text:?}");
        let limits = PinnedLimits::read(text);
        assert_eq!(limits.steps(), 100);
        assert_eq!(limits.ms(), 7_200_000);
    }
}

// RUN-6
#[test]
fn the_limits_are_read_without_the_rest() {
    let text = Pin::of(&agent(None), &[spec("b")]).to_text().unwrap();
    let limits = PinnedLimits::read(Some(&text));
    assert_eq!(limits.limits, agent(None).limits);
    assert_eq!((limits.steps(), limits.ms()), (3, 7_200_000));
}
