//! `hangs`: never ends, and hears nothing.
//!
//! Arguments: `at` (`plan`, `prepare` or `run`).

use std::time::Duration;

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;
use serde::Deserialize;

use super::shape::{self, Stage};

const NAME: &str = "hangs";

/// Never ends.
#[derive(Debug)]
pub(super) struct Hangs;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    at: Stage,
}

impl Tool for Hangs {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Never ends.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move {
            hang_at(call, Stage::Plan).await;
            shape::plan(NAME, call, EffectClass::Once)
        })
    }

    fn prepare<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Intent> {
        Box::pin(async move {
            hang_at(call, Stage::Prepare).await;
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
            hang_at(call, Stage::Run).await;
            Ok(Output::text("It did not hang here."))
        })
    }

    /// Short, or a test of what happens then would take long.
    fn deadline(&self) -> Duration {
        Duration::from_secs(1)
    }
}

async fn hang_at(call: &CallInput, here: Stage) {
    let at = shape::parse::<Arguments>(call).map(|arguments| arguments.at);
    if at == Ok(here) {
        std::future::pending().await
    }
}
