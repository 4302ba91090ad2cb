//! A body that leaves a line in the ledger, with room before and after it for a process to end in.

use std::time::Duration;

use engine::{CallInput, Output, ToolContext, ToolError};
use protocol::{EffectClass, ErrorClass};
use serde::Deserialize;

use super::ledger::{Ledger, Phase};
use super::shape::{self, Shape};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    /// How long it waits before the effect; stopping is possible until then.
    before_ms: u64,
    /// How long it waits after it.
    after_ms: u64,
    /// Whether the ledger also says when the body began and ended.
    trace: bool,
    #[serde(flatten)]
    shape: Shape,
}

/// Does the effect of a call.
pub(super) async fn perform(
    ledger: &Ledger,
    call: &CallInput,
    otherwise: EffectClass,
    context: &ToolContext,
) -> Result<(), ToolError> {
    let arguments: Arguments = shape::parse(call)?;
    let class = arguments.shape.class(otherwise);
    if arguments.trace {
        ledger.note(call, class, Phase::Began).await?;
    }
    let wait = tokio::time::sleep(Duration::from_millis(arguments.before_ms));
    if context.cancel.run_until_cancelled(wait).await.is_none() {
        return Err(stopped());
    }
    ledger.note(call, class, Phase::Effect).await?;
    // It happened: there is nothing left to stop.
    tokio::time::sleep(Duration::from_millis(arguments.after_ms)).await;
    if arguments.trace {
        ledger.note(call, class, Phase::Ended).await?;
    }
    Ok(())
}

/// What such a call gives back, whoever finds out that it happened.
pub(super) fn result(call: &CallInput) -> String {
    format!("The ledger has {}.", call.effect_key())
}

/// The same as an output.
pub(super) fn output(call: &CallInput) -> Output {
    Output::text(result(call))
}

/// Ended before anything happened.
pub(super) fn stopped() -> ToolError {
    ToolError::definite("Stopped before anything was done.").of(ErrorClass::Cancelled)
}
