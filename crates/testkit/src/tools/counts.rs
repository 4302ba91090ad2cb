//! `counts`: changes the session's state, and says what state it saw.
//!
//! Arguments: `changes`, a list of [`StateChange`]s.

use engine::{
    CallInput, Intent, Output, Plan, StateChange, Tool, ToolContext, ToolError, ToolFuture,
    ToolSpec,
};
use protocol::EffectClass;
use serde::Deserialize;

use super::shape;

const NAME: &str = "counts";

/// Changes the session's state.
#[derive(Debug)]
pub(super) struct Counts;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    changes: Vec<StateChange>,
}

impl Tool for Counts {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Changes the session's state.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move { shape::plan(NAME, call, EffectClass::Read) })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            let arguments: Arguments = shape::parse(call)?;
            let text = serde_json::to_string(&context.state)
                .map_err(|error| ToolError::definite(error.to_string()))?;
            Ok(Output {
                text,
                state: arguments.changes,
            })
        })
    }
}
