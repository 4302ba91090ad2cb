//! Tools that do what a test says: real ones, one file each.
//!
//! All of them take the arguments of [`shape::Shape`] besides their own, and leave alone what they
//! do not know, so that a test can add a field to tell two calls apart.

mod checked;
mod counts;
mod effect;
mod fails;
mod hangs;
mod ledger;
mod ledger_append;
mod panics;
mod prints;
mod shape;
mod slow;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Tool;

pub use ledger::{Ledger, LedgerEntry, Phase};

/// Where a process that a test starts finds its ledger.
pub const LEDGER_VARIABLE: &str = "HOLDFAST_TEST_LEDGER";

/// Every test tool, with the ledger in this file, which may not exist yet.
pub fn test_tools(ledger: &Path) -> Vec<Arc<dyn Tool>> {
    test_tools_with(&Ledger::new(ledger))
}

/// The same with any ledger.
pub fn test_tools_with(ledger: &Ledger) -> Vec<Arc<dyn Tool>> {
    let ledger = || ledger.clone();
    vec![
        Arc::new(checked::CheckedTool::new(ledger())),
        Arc::new(counts::Counts),
        Arc::new(fails::Fails::new(ledger())),
        Arc::new(hangs::Hangs),
        Arc::new(ledger_append::LedgerAppend::new(ledger())),
        Arc::new(ledger_append::LedgerAppend::at_once(ledger())),
        Arc::new(panics::Panics),
        Arc::new(prints::Prints),
        Arc::new(slow::Slow),
    ]
}

/// The same in a process that was started with [`LEDGER_VARIABLE`]; nothing without it.
pub fn test_tools_here() -> Vec<Arc<dyn Tool>> {
    std::env::var_os(LEDGER_VARIABLE)
        .map(PathBuf::from)
        .map(|ledger| test_tools(&ledger))
        .unwrap_or_default()
}
