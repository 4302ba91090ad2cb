//! `fails`: in the way that a test asks for.
//!
//! Arguments: `at` (`plan`, `prepare` or `run`), `unobserved`, `effect` (it happens before its body
//! fails), `message`, `error_class`.

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec};
use protocol::{EffectClass, ErrorClass};
use serde::Deserialize;

use super::effect;
use super::ledger::Ledger;
use super::shape::{self, Stage};

const NAME: &str = "fails";
const CLASS: EffectClass = EffectClass::Once;

/// Fails.
#[derive(Debug)]
pub(super) struct Fails {
    ledger: Ledger,
}

impl Fails {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    at: Stage,
    unobserved: bool,
    effect: bool,
    message: Option<String>,
    error_class: Option<ErrorClass>,
}

impl Arguments {
    fn fail_at(self, here: Stage) -> Result<(), ToolError> {
        if self.at != here {
            return Ok(());
        }
        let message = self
            .message
            .unwrap_or_else(|| "It failed, as the test asked.".to_owned());
        let error = if self.unobserved {
            ToolError::unobserved(message)
        } else {
            ToolError::definite(message)
        };
        Err(error.of(self.error_class.unwrap_or(ErrorClass::Tool)))
    }
}

impl Tool for Fails {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Fails.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            shape::parse::<Arguments>(call)?.fail_at(Stage::Plan)?;
            shape::plan(NAME, call, CLASS)
        })
    }

    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        Box::pin(async move {
            shape::parse::<Arguments>(call)?.fail_at(Stage::Prepare)?;
            Ok(Intent::default())
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            let arguments: Arguments = shape::parse(call)?;
            if arguments.effect {
                effect::perform(&self.ledger, call, CLASS, context).await?;
            }
            arguments.fail_at(Stage::Run)?;
            Ok(Output::text("It did not fail here."))
        })
    }
}
