//! The app on an image: it takes up what is there, doing so again changes nothing, and nothing that
//! was acknowledged is lost on the way.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use engine::{Engine, Options, RandomIds};
use store::{DataFolder, Store};
use testkit::evidence::{self, Fact, Loss, Witness};
use testkit::vfs::Stage;
use testkit::workload::{FastClock, WorkModel};
use testkit::{Ledger, test_tools_with};
use tools::ScratchWorkspaces;

use super::recorded::{Nobody, Recorded};
use super::walk::open;
use crate::suites::place::memory_folder;

/// How many calls are in doubt after it.
pub(super) fn check(stage: &Stage<'_>, recorded: &Recorded, facts: &[Fact]) -> Result<u64> {
    let folder = memory_folder()?;
    let database = folder.path().join("holdfast.db");
    for name in ["holdfast.db", "holdfast.db-wal"] {
        let from = stage.folder().join(name);
        if from.exists() {
            fs::copy(from, folder.path().join(name))?;
        }
    }
    recover(folder.path(), recorded).context("the app does not take it up")?;
    let (once, in_doubt) = {
        let database = open(&database)?;
        let counts = evidence::check(&database, facts, Loss::Power).context("taken up")?;
        (evidence::recovered_state(&database)?, counts.in_doubt)
    };
    recover(folder.path(), recorded).context("the app does not take it up again")?;
    let database = open(&database)?;
    evidence::check(&database, facts, Loss::Power).context("taken up again")?;
    let twice = evidence::recovered_state(&database)?;
    let changed = once.iter().zip(&twice).find(|(once, twice)| once != twice);
    ensure!(
        once.len() == twice.len() && changed.is_none(),
        "I10: taking it up again changed {changed:?}, {} lines and {}",
        once.len(),
        twice.len()
    );
    Ok(in_doubt)
}

/// Opens the app and lets it go again before anything that it wants to go on with has begun.
fn recover(folder: &Path, recorded: &Recorded) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let _inside = runtime.enter();
    let (store, opened) = Store::open(&store::Options {
        folder: DataFolder::create(folder)?,
        app_version: "0.0.0".to_owned(),
        pid: std::process::id(),
        now_ms: FastClock::shared().now(),
    })?;
    ensure!(!opened.is_new, "the database is gone");
    let witness: Arc<dyn Witness> = Arc::new(Nobody);
    let ledger = Ledger::witnessed(Arc::clone(&witness));
    let tools = tools::built_in().into_iter();
    let (engine, recovered) = Engine::open(Options {
        store,
        opened,
        models: engine::FixedModels::only(Arc::new(WorkModel::new(&recorded.plan, witness))),
        tools: tools.chain(test_tools_with(&ledger)).collect(),
        workspaces: Arc::new(ScratchWorkspaces::new(folder.join("workspaces"))),
        clock: FastClock::shared(),
        ids: Arc::new(RandomIds::default()),
        app_version: "0.0.0".to_owned(),
    })?;
    ensure!(
        recovered.violations == 0 && recovered.unreadable == 0,
        "{recovered:?}"
    );
    drop(engine);
    Ok(())
}
