//! `cargo xtask golden`: writes the golden database of the newest schema.

use anyhow::Result;

use crate::process::Show;
use crate::repository::Repository;

/// The suite that reads golden databases writes this one when it is told to.
const TEST: &str = "suites::golden::every_schema_has_its_golden_database";

/// Writes `tests/golden/schema-N.sql`, N being the newest schema. Run it once, in the change that adds
/// the migration; afterwards the file never changes.
pub(crate) fn write(repository: &Repository) -> Result<()> {
    repository
        .cargo()
        .args(["test", "-p", "holdfast-tests", "--test", "suites", TEST])
        .env("HOLDFAST_WRITE_GOLDEN", "1")
        .run(Show::Results)
}
