//! `checked`: must not be repeated, and can look in the ledger whether it happened.
//!
//! Arguments: those of `ledger_append`, `check` (`ledger`, `unknown`, `fails` or `hangs`) and `lost`
//! (the effect happens, but its end is not observed).

use engine::{
    CallInput, Checked, Intent, Output, Plan, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
use protocol::EffectClass;
use serde::Deserialize;

use super::ledger::{Ledger, Phase};
use super::{effect, shape};

const NAME: &str = "checked";
const CLASS: EffectClass = EffectClass::Once;

/// Appends one line, and can find it again.
#[derive(Debug)]
pub(super) struct CheckedTool {
    ledger: Ledger,
}

impl CheckedTool {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    check: Check,
    lost: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Check {
    #[default]
    Ledger,
    Unknown,
    Fails,
    Hangs,
}

impl Tool for CheckedTool {
    fn spec(&self) -> ToolSpec {
        shape::spec(
            NAME,
            "Appends one line to the ledger and can find it again.",
        )
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
            let arguments: Arguments = shape::parse(call)?;
            effect::perform(&self.ledger, call, CLASS, context).await?;
            if arguments.lost {
                return Err(ToolError::unobserved("The answer was lost."));
            }
            Ok(effect::output(call))
        })
    }

    fn can_check(&self) -> bool {
        true
    }

    fn check<'a>(&'a self, call: &'a CallInput, _intent: &'a Intent) -> ToolFuture<'a, Checked> {
        Box::pin(async move {
            let arguments: Arguments = shape::parse(call)?;
            self.ledger.note(call, CLASS, Phase::Check).await?;
            match arguments.check {
                Check::Ledger => {
                    let effects = self.ledger.effects(&call.effect_key());
                    match effects.map_err(|error| ToolError::definite(error.to_string()))? {
                        0 => Ok(Checked::DidNotHappen),
                        _ => Ok(Checked::Happened(effect::result(call))),
                    }
                }
                Check::Unknown => Ok(Checked::Unknown),
                Check::Fails => Err(ToolError::definite("The ledger cannot be reached.")),
                Check::Hangs => std::future::pending().await,
            }
        })
    }
}
