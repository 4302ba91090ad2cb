//! `ledger_append`: its effect is one line in the ledger.
//!
//! Arguments: `class` (default `once`), `before_ms`, `after_ms`, `trace`.

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;

use super::ledger::Ledger;
use super::{effect, shape};

const NAME: &str = "ledger_append";
const CLASS: EffectClass = EffectClass::Once;

/// Appends one line.
#[derive(Debug)]
pub(super) struct LedgerAppend {
    ledger: Ledger,
}

impl LedgerAppend {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

impl Tool for LedgerAppend {
    fn spec(&self) -> ToolSpec {
        shape::spec(NAME, "Appends one line to the ledger.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move { shape::plan(NAME, call, CLASS) })
    }

    fn run<'a>(
        &'a self,
        call: &'a CallInput,
        _intent: &'a Intent,
        context: &'a ToolContext,
    ) -> ToolFuture<'a, Output> {
        Box::pin(async move {
            effect::perform(&self.ledger, call, CLASS, context).await?;
            Ok(effect::output(call))
        })
    }
}
