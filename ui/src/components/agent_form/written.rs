//! What is written in the fields of an agent, and the agent that it makes.

use leptos::prelude::*;
use protocol::{AgentFields, RunLimits};

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

/// Dollars as they are written: "0.5".
fn dollars(microusd: u64) -> String {
    let written = format!("{}.{:06}", microusd / 1_000_000, microusd % 1_000_000);
    written
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

fn microusd(written: &str) -> Result<Option<u64>, &'static str> {
    const FAULT: &str = "Dollars are a number like 0.5.";
    let written = written.trim();
    if written.is_empty() {
        return Ok(None);
    }
    let (whole, part) = written.split_once(['.', ',']).unwrap_or((written, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 6 || whole.len() > 9 {
        return Err(FAULT);
    }
    format!("{whole:0>1}{part:0<6}")
        .parse()
        .map(Some)
        .map_err(|_| FAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_as_they_are_written() {
        for (written, read) in [
            ("", None),
            ("0.5", Some(500_000)),
            (".5", Some(500_000)),
            ("12", Some(12_000_000)),
        ] {
            assert_eq!(microusd(written), Ok(read), "{written}");
        }
        assert!(microusd("1e3").is_err());
        assert!(microusd("0.0000001").is_err());
        assert_eq!(dollars(500_000), "0.5");
        assert_eq!(dollars(12_000_000), "12");
    }
}
