//! `panics`: breaks.
//!
//! Arguments: `at` (`plan`, `prepare` or `run`).

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;
use serde::Deserialize;

use super::shape::{self, Stage};

const NAME: &str = "panics";

/// Panics.
#[derive(Debug)]
pub(super) struct Panics;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    at: Stage,
}

impl Tool for Panics {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Panics.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            panic_at(call, Stage::Plan);
            shape::plan(NAME, call, EffectClass::Once)
        })
    }

    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        Box::pin(async move {
            panic_at(call, Stage::Prepare);
            Ok(Intent::default())
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _intent: &'a Intent,
        _context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            panic_at(call, Stage::Run);
            Ok(Output::text("It did not panic here."))
        })
    }
}

fn panic_at(call: &CallInput, here: Stage) {
    let at = shape::parse::<Arguments>(call).map(|arguments| arguments.at);
    assert_ne!(at, Ok(here), "a tool that panics, as the test asked");
}
