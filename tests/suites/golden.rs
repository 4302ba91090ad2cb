//! Suite G: golden databases, one of every schema that ever was, opened with this version.
//!
//! Each is SQL that can be read, written once by the engine of its time (`cargo xtask golden`) with
//! everything in it that can be in a database, cut off in the middle of things. It never changes.

mod aging;
mod provided;
mod rows;
mod story;
mod text;
mod world;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use protocol::{ApprovalStatus, CallStatus, RunStatus};
use store::SCHEMA_VERSION;
use testkit::{raw, suite_line};

/// Set by `cargo xtask golden`: the golden database of the newest schema is written, not read.
const WRITE: &str = "HOLDFAST_WRITE_GOLDEN";

fn golden(version: u32) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    folder.join(format!("schema-{version}.sql"))
}

/// Makes the golden database of a schema.
pub(crate) fn build(version: u32, database: &Path) -> Result<()> {
    text::build(&std::fs::read_to_string(golden(version))?, database)
}

/// STO-11: every schema has its golden database, which holds everything that there can be.
#[tokio::test(flavor = "multi_thread")]
async fn every_schema_has_its_golden_database() -> Result<()> {
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(golden(SCHEMA_VERSION), story::tell().await?)?;
    }
    for version in 1..=SCHEMA_VERSION {
        let path = golden(version);
        let sql = std::fs::read_to_string(&path)
            .with_context(|| format!("{} is missing: run `cargo xtask golden`", path.display()))?;
        let folder = crate::suites::place::memory_folder()?;
        let database = folder.path().join("holdfast.db");
        text::build(&sql, &database)?;
        check_rich(&database).with_context(|| format!("schema {version}"))?;
    }
    Ok(())
}

/// A row in every table, and a run, a call and a question in every status that is ever stored.
fn check_rich(database: &Path) -> Result<()> {
    let columns = rows::columns(database)?;
    for (table, rows) in rows::rows(database, &columns)? {
        ensure!(!rows.is_empty(), "{table} is empty");
    }
    let found = |sql: &str| -> Result<BTreeSet<String>> {
        Ok(raw::look(database, sql)?.into_iter().flatten().collect())
    };
    let ensure_all = |what: &str, wanted: BTreeSet<&str>| -> Result<()> {
        let found = found(&format!("SELECT DISTINCT status FROM {what}"))?;
        let missing: Vec<_> = wanted
            .into_iter()
            .filter(|one| !found.contains(*one))
            .collect();
        ensure!(missing.is_empty(), "{what} has none that is {missing:?}");
        Ok(())
    };
    // A run begins as running, and a call is judged before it is written.
    let runs = RunStatus::ALL.into_iter();
    let runs = runs.filter(|status| *status != RunStatus::Queued);
    ensure_all("runs", runs.map(RunStatus::as_str).collect())?;
    let calls = CallStatus::ALL.into_iter();
    let calls = calls.filter(|status| *status != CallStatus::Proposed);
    ensure_all("tool_calls", calls.map(CallStatus::as_str).collect())?;
    let asked = [
        ApprovalStatus::Pending,
        ApprovalStatus::Allowed,
        ApprovalStatus::Denied,
        ApprovalStatus::Superseded,
        ApprovalStatus::Closed,
    ];
    ensure_all("approvals", asked.map(ApprovalStatus::as_str).into())
}

/// STO-10, STO-11: with each of them.
#[tokio::test(flavor = "multi_thread")]
async fn every_golden_database_opens_and_goes_on() -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the suite says how long it took")]
    let started = Instant::now();
    let mut counts = aging::Counts::default();
    for version in 1..=SCHEMA_VERSION {
        let sql = std::fs::read_to_string(golden(version))?;
        aging::age(version, &sql, &mut counts)
            .await
            .with_context(|| format!("schema {version}"))?;
    }
    suite_line(
        "G golden",
        &[
            ("databases", u64::from(SCHEMA_VERSION)),
            ("rows", counts.rows),
            ("lost", 0),
            ("moved by recovery", counts.moved),
            ("in doubt", counts.in_doubt),
            ("runs ended", counts.ended),
        ],
        started.elapsed(),
    );
    Ok(())
}
