//! What is given to people has nothing in it that makes things go wrong.

use anyhow::Result;
use testkit::holdfast;

/// The failpoints and mutants of the crash suites are in no build but theirs.
#[test]
fn the_app_has_no_failpoints_and_no_mutants() -> Result<()> {
    let app = std::fs::read(holdfast())?;
    let app = String::from_utf8_lossy(&app);
    assert!(app.contains("holdfast.db"), "this is not the app");
    for name in [
        "HOLDFAST_FAULT",
        "HOLDFAST_MUTANT",
        "writer.commit_before",
        "intent_relaxed",
    ] {
        assert!(!app.contains(name), "{name} is in the app");
    }
    Ok(())
}
