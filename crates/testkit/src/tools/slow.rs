//! `slow`: takes its time.
//!
//! Arguments: `ms` (until it is stopped, if left out), `ignore_cancel`.

use std::time::Duration;

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;
use serde::Deserialize;

use super::{effect, shape};

const NAME: &str = "slow";

/// Waits.
#[derive(Debug)]
pub(super) struct Slow;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    ms: Option<u64>,
    ignore_cancel: bool,
}

impl Tool for Slow {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Waits.")
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
            let wait = async {
                match arguments.ms {
                    Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                    None => std::future::pending().await,
                }
            };
            if arguments.ignore_cancel {
                wait.await;
            } else if context.cancel.run_until_cancelled(wait).await.is_none() {
                return Err(effect::stopped());
            }
            Ok(Output::text("Waited."))
        })
    }
}
