//! A workload under the recorder: what was done to the files, and what was known when.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use testkit::evidence::{Fact, Witness};
use testkit::vfs::{Record, Setting, Watch};
use testkit::workload::{Plan, World};

use crate::suites::place::memory_folder;

/// A workload that was recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) plan: Plan,
    pub(super) record: Record,
    pub(super) facts: Vec<Fact>,
    /// How many operations had been made when each fact was noted.
    positions: Vec<usize>,
}

impl Recorded {
    /// Runs a plan to its end, with the database kept at a setting.
    pub(super) fn make(plan: &Plan, setting: Setting) -> Result<Self> {
        let folder = memory_folder()?;
        // The database is made under another name and renamed: the record begins after that.
        let runtime = runtime()?;
        let nobody = Arc::new(Nobody);
        runtime.block_on(async {
            World::open(folder.path(), plan, nobody)
                .await?
                .close()
                .await
        })?;
        let database = folder.path().join("holdfast.db");
        let watch = Watch::new(&database)?;
        watch.keep_at(setting);
        watch.record(&database)?;
        let notes = Arc::new(Notes {
            watch,
            noted: Mutex::default(),
        });
        let witness = Arc::clone(&notes);
        runtime.block_on(async {
            let mut world = World::open(folder.path(), plan, witness).await?;
            world.work().await?;
            world.close().await
        })?;
        // What is still going has no say any more.
        drop(runtime);
        let record = notes.watch.take_record();
        let noted = std::mem::take(&mut *notes.noted());
        let (positions, facts) = noted.into_iter().unzip();
        Ok(Self {
            plan: plan.clone(),
            record,
            facts,
            positions,
        })
    }

    /// What was known when so many operations had been made.
    pub(super) fn known(&self, position: usize) -> &[Fact] {
        let count = self.positions.partition_point(|at| *at <= position);
        &self.facts[..count]
    }
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

/// Notes each fact with the place in the record at which it was known.
#[derive(Debug)]
struct Notes {
    watch: Watch,
    noted: Mutex<Vec<(usize, Fact)>>,
}

impl Notes {
    fn noted(&self) -> std::sync::MutexGuard<'_, Vec<(usize, Fact)>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Witness for Notes {
    fn note(&self, fact: Fact) {
        let mut noted = self.noted();
        noted.push((self.watch.position(), fact));
    }
}

/// Keeps nothing.
#[derive(Debug)]
pub(super) struct Nobody;

impl Witness for Nobody {
    fn note(&self, _fact: Fact) {}
}
