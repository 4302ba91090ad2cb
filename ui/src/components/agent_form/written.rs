//! What is written in the fields of an agent, and the agent that it makes.

use leptos::prelude::*;
use protocol::{AgentFields, RunLimits};

use crate::model_words::{dollars, microusd};

/// What is written in the fields, as text until it is saved.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) name: RwSignal<String>,
    pub(super) instructions: RwSignal<String>,
    pub(super) model: RwSignal<Option<String>>,
    /// `None` is every tool.
    pub(super) tools: RwSignal<Option<Vec<String>>>,
    pub(super) steps: RwSignal<String>,
    pub(super) seconds: RwSignal<String>,
    pub(super) tokens: RwSignal<String>,
    pub(super) dollars: RwSignal<String>,
}

impl Written {
    pub(super) fn of(fields: &AgentFields) -> Self {
        let number = |number: Option<u64>| {
            RwSignal::new(number.map(|number| number.to_string()).unwrap_or_default())
        };
        let RunLimits {
            steps,
            seconds,
            tokens,
            cost_microusd,
        } = fields.limits;
        Self {
            name: RwSignal::new(fields.name.clone()),
            instructions: RwSignal::new(fields.instructions.clone().unwrap_or_default()),
            model: RwSignal::new(fields.model.clone()),
            tools: RwSignal::new(fields.tools.clone()),
            steps: number(steps.map(u64::from)),
            seconds: number(seconds.map(u64::from)),
            tokens: number(tokens),
            dollars: RwSignal::new(cost_microusd.map(dollars).unwrap_or_default()),
        }
    }

    pub(super) fn fields(self) -> Result<AgentFields, &'static str> {
        let instructions = self.instructions.get_untracked();
        Ok(AgentFields {
            name: self.name.get_untracked().trim().to_owned(),
            instructions: Some(instructions).filter(|text| !text.trim().is_empty()),
            model: self.model.get_untracked(),
            tools: self.tools.get_untracked(),
            limits: RunLimits {
                steps: number(self.steps, "Steps are a whole number.")?,
                seconds: number(self.seconds, "Seconds are a whole number.")?,
                tokens: number(self.tokens, "Tokens are a whole number.")?,
                cost_microusd: microusd(&self.dollars.get_untracked())?,
            },
        })
    }
}

pub(super) fn blank() -> AgentFields {
    AgentFields {
        name: String::new(),
        instructions: None,
        model: None,
        tools: None,
        limits: RunLimits::default(),
    }
}

fn number<T: std::str::FromStr>(
    written: RwSignal<String>,
    fault: &'static str,
) -> Result<Option<T>, &'static str> {
    written.with_untracked(|written| match written.trim() {
        "" => Ok(None),
        written => written.parse().map(Some).map_err(|_| fault),
    })
}
