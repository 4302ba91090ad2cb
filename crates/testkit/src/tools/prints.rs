//! `prints`: gives back as much as a test wants.
//!
//! Arguments: `bytes`, and `unit`, which is repeated and never cut inside a character.

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;
use serde::Deserialize;

use super::shape;

const NAME: &str = "prints";

/// Gives back a long text.
#[derive(Debug)]
pub(super) struct Prints;

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Arguments {
    bytes: usize,
    unit: String,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            bytes: 0,
            unit: "x".to_owned(),
        }
    }
}

impl Tool for Prints {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Gives back a long text.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move { shape::plan(NAME, call, EffectClass::Read) })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _intent: &'a Intent,
        _context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            let Arguments { bytes, unit } = shape::parse(call)?;
            let mut text = unit.repeat(bytes.div_ceil(unit.len().max(1)));
            text.truncate(text.floor_char_boundary(bytes));
            Ok(Output::text(text))
        })
    }
}
