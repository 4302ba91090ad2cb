//! `ledger_append` and `ledger_at_once`: their effect is one line in the ledger. The second has nothing
//! to look at first, so that it can start together with the reply that asks for it.
//!
//! Arguments: `class` (default `once`), `before_ms`, `after_ms`, `trace`.

use engine::{CallInput, Intent, Output, Plan, Tool, ToolContext, ToolFuture, ToolSpec};
use protocol::EffectClass;

use super::ledger::Ledger;
use super::{effect, shape};

const CLASS: EffectClass = EffectClass::Once;

/// Appends one line.
#[derive(Debug)]
pub(super) struct LedgerAppend {
    name: &'static str,
    looks_first: bool,
    ledger: Ledger,
}

impl LedgerAppend {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self {
            name: "ledger_append",
            looks_first: true,
            ledger,
        }
    }

    pub(super) fn at_once(ledger: Ledger) -> Self {
        Self {
            name: "ledger_at_once",
            looks_first: false,
            ledger,
        }
    }
}

impl Tool for LedgerAppend {
    fn spec(&self) -> ToolSpec {
        shape::spec(self.name, "Appends one line to the ledger.")
    }

    fn plan<'a>(&'a self, call: &'a CallInput) -> ToolFuture<'a, Plan> {
        Box::pin(async move { shape::plan(self.name, call, CLASS) })
    }

    fn looks_first(&self) -> bool {
        self.looks_first
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
