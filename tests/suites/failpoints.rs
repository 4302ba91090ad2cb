//! Suite A: something goes wrong at every failpoint, in every way, in calls of every class.
//!
//! A world that was cut off in the middle is made once for each class and seed. A worker takes it up
//! and strikes at one point: it ends, or the disk refuses. Then another one, without a fault, brings
//! everything to rest. The invariants are checked after both.

pub(super) mod home;
mod totals;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use store::faults::{Action, FAULT_VARIABLE, Point};
use testkit::evidence::{FactFile, Witness, facts_in, given};
use testkit::{Dice, is_full};

use self::home::{Scratch, check, copy_of, parse_hits, worker};
use self::totals::Totals;
use super::workers::{REFUSED, now};

const CLASSES: [&str; 3] = ["read", "idempotent", "once"];
const SEEDS: u64 = 2;
const FULL_SEEDS: u64 = 15;
/// The person of the world that is cut off acts so often, then the one who meets the fault.
const BEFORE: u32 = 80;
const ACTS: u32 = 30;
const WORKERS: usize = 4;
/// A model that pauses, and a person who waits for it: relaxed commits are secured by the clock.
const SLOW: &str = "slow,work,wait";

/// RUN-4, RUN-12, STO-5, EFF-2, EFF-3: wherever it ends and whatever the disk refuses.
#[test]
fn whatever_goes_wrong_wherever_nothing_is_lost_and_nothing_is_repeated() -> Result<()> {
    let began = now();
    let scratch = Scratch::new()?;
    let seeds = if is_full() { FULL_SEEDS } else { SEEDS };
    let old = old_home(&scratch)?;
    let mut cases = Vec::new();
    for seed in 1..=seeds {
        for class in CLASSES {
            let left = Left::make(&scratch, &old, class, seed)?;
            for point in Point::ALL {
                for action in Action::ALL {
                    cases.push(left.case(*point, *action));
                }
            }
        }
    }
    let totals = Totals::default();
    run_all(&scratch, &cases, &totals)?;
    totals.ensure_struck(&cases)?;
    totals.say(cases.len(), began);
    Ok(())
}

/// What a process left that was cut off in the middle, and how often a worker that takes it up
/// reaches each point.
struct Left {
    home: PathBuf,
    /// The same of an older version.
    old: PathBuf,
    class: &'static str,
    seed: u64,
    hits: Vec<(String, u32)>,
}

struct Case<'a> {
    /// What it begins with, if not with nothing.
    home: Option<PathBuf>,
    class: &'a str,
    seed: u64,
    point: Point,
    action: Action,
    hit: u32,
    mode: &'static str,
}

impl Left {
    fn make(scratch: &Scratch, old: &Path, class: &'static str, seed: u64) -> Result<Self> {
        let home = scratch.fresh();
        std::fs::create_dir_all(&home)?;
        let fault = format!("{}:abort:45", Point::EffectsAfter.name());
        let cut_off = worker(&home, class, seed, BEFORE, "work", Some(&fault))?;
        ensure!(cut_off.code.is_none(), "it was not cut off: {cut_off:?}");
        check(&home).context("after the first end")?;
        let rehearsal = copy_of(scratch, &home)?;
        let run = worker(&rehearsal, class, seed, ACTS, "work", None)?;
        ensure!(run.code == Some(0), "{run:?}");
        let hits = parse_hits(&run.said);
        Ok(Self {
            home,
            old: old.to_owned(),
            class,
            seed,
            hits,
        })
    }

    /// Anywhere in the middle, as the dice say.
    fn case(&self, point: Point, action: Action) -> Case<'static> {
        let found = self.hits.iter().find(|(name, _)| name == point.name());
        let hits = found.map_or(0, |(_, hits)| *hits);
        let mut dice = Dice::new(self.seed ^ ((point as u64) << 16) ^ ((action as u64) << 8));
        let is_slow = point.name().contains(".secure_");
        let is_migration = matches!(point, Point::MigrationBackedUp | Point::Migrated);
        let home = if is_migration { &self.old } else { &self.home };
        // A database is made only where there is none.
        let home = (point != Point::DatabaseFilled).then(|| home.clone());
        Case {
            home,
            class: self.class,
            seed: self.seed,
            point,
            action,
            hit: 1 + u32::try_from(dice.below(u64::from(hits.max(1)))).unwrap_or_default(),
            mode: if is_slow { SLOW } else { "work" },
        }
    }
}

/// A folder of the first schema, which this version has to migrate. Nobody took notes when it was
/// made: what is in it is given.
fn old_home(scratch: &Scratch) -> Result<PathBuf> {
    let home = scratch.fresh();
    std::fs::create_dir_all(home.join("data"))?;
    let database = home.join("data/holdfast.db");
    super::golden::build(1, &database)?;
    let witness = FactFile::open(&home.join("facts"))?;
    for fact in given(&database)? {
        witness.note(fact);
    }
    check(&home).context("before anybody touched it")?;
    Ok(home)
}

/// More workers than there are cores: those whose model pauses only wait.
fn run_all(scratch: &Scratch, cases: &[Case<'_>], totals: &Totals) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = run(scratch, case, totals).with_context(|| case.name());
            if let Err(error) = result {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                next.store(cases.len(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}

impl Case<'_> {
    fn fault(&self) -> String {
        format!("{}:{}:{}", self.point.name(), self.action.name(), self.hit)
    }

    fn name(&self) -> String {
        format!(
            "{} {}, class {}, seed {}",
            FAULT_VARIABLE,
            self.fault(),
            self.class,
            self.seed
        )
    }
}

fn run(scratch: &Scratch, case: &Case<'_>, totals: &Totals) -> Result<()> {
    let home = match &case.home {
        Some(home) => copy_of(scratch, home)?,
        None => scratch.fresh(),
    };
    std::fs::create_dir_all(&home)?;
    let fault = case.fault();
    let hurt = worker(&home, case.class, case.seed, ACTS, case.mode, Some(&fault))?;
    match hurt.code {
        // It ended as it was told to, or went on, or could not begin and said so.
        None | Some(0) => {}
        Some(REFUSED) => ensure!(!hurt.complained.is_empty(), "it was refused without a word"),
        Some(_) => bail!("the worker failed: {hurt:?}"),
    }
    ensure!(
        hurt.code.is_some() || case.action == Action::Abort,
        "it ended without being told to: {hurt:?}"
    );
    if case.action == Action::Abort && hurt.code.is_none() || hurt.code == Some(REFUSED) {
        totals.strike(case.point);
    } else if let Some((_, hits)) = parse_hits(&hurt.said)
        .iter()
        .find(|(point, _)| point == case.point.name())
        && *hits >= case.hit
    {
        totals.strike(case.point);
    }
    check(&home).context("after the fault")?;
    let rested = worker(&home, case.class, case.seed, 0, "settle", None)?;
    ensure!(
        rested.code == Some(0),
        "I11: it never came to rest: {rested:?}"
    );
    let counts = check(&home).context("at rest")?;
    totals.add(&facts_in(&home.join("facts"))?, counts);
    std::fs::remove_dir_all(&home)?;
    Ok(())
}
