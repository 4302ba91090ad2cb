//! What a run began with: kept with it, so that a resume uses the same, byte for byte.

#[cfg(test)]
mod tests;

use protocol::{AgentFields, RunLimits};
use serde::{Deserialize, Serialize};

use crate::tool::ToolSpec;

/// Completed steps that a run may use where its agent says nothing.
const STEPS: u32 = 100;
/// Seconds of work that a run may use where its agent says nothing.
const SECONDS: u32 = 2 * 60 * 60;

/// Pinned to a run at its start, beside its model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<String>,
    #[serde(default)]
    pub(crate) tools: Vec<ToolSpec>,
    #[serde(default)]
    pub(crate) limits: RunLimits,
}

impl Pin {
    /// What a run of this agent begins with: the tools that exist and that it may use.
    pub(crate) fn of(agent: &AgentFields, tools: &[ToolSpec]) -> Self {
        let may_use = |tool: &&ToolSpec| match &agent.tools {
            Some(names) => names.contains(&tool.name),
            None => true,
        };
        Self {
            instructions: agent.instructions.clone(),
            tools: tools.iter().filter(may_use).cloned().collect(),
            limits: agent.limits,
        }
    }

    /// Reads what was stored. What cannot be read pins nothing, and says so.
    pub(crate) fn read(text: Option<&str>) -> Self {
        read(text)
    }

    /// The stored form.
    pub(crate) fn to_text(&self) -> Option<String> {
        serde_json::to_string(self)
            .inspect_err(|error| tracing::error!(name: "engine.pin.unwritable", %error))
            .ok()
    }
}

/// The limits of a pin, without the rest: they are looked at after every step, and the definitions
/// of the tools are long.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct PinnedLimits {
    #[serde(default)]
    pub(crate) limits: RunLimits,
}

impl PinnedLimits {
    /// Reads what was stored. What cannot be read limits as if nothing had been said.
    pub(crate) fn read(text: Option<&str>) -> Self {
        read(text)
    }

    pub(crate) fn steps(&self) -> u32 {
        self.limits.steps.unwrap_or(STEPS)
    }

    pub(crate) fn ms(&self) -> u64 {
        u64::from(self.limits.seconds.unwrap_or(SECONDS)) * 1_000
    }
}

fn read<T: Default + serde::de::DeserializeOwned>(text: Option<&str>) -> T {
    let Some(text) = text else {
        return T::default();
    };
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::error!(name: "engine.pin.unreadable", %error);
        T::default()
    })
}
