//! Suite D: the k-th call of SQLite's to the disk fails, once or from there on: an I/O error, a full
//! disk, half a write, a failed sync.
//!
//! A world is made once whose log is almost as long as it gets, so that opening it reads a log, and
//! the work after that moves the log into the database. A worker takes it up and meets the fault.
//! It is told of it or does not notice; when the fault is gone the same process brings everything to
//! rest. Only a failed sync ends it, and then another process, without a fault, does the same. The
//! invariants are checked after each.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use store::faults::Point;
use testkit::vfs::{DISK_FAULT_VARIABLE, Failure, Fault};
use testkit::{Dice, command, is_full, suite_line};

use super::failpoints::home::{Scratch, check, copy_of, worker};
use super::workers::{REFUSED, now};

/// So many cases of each failure in every test run; all of them in a full one.
const SAMPLED: u64 = 50;
/// At once: workers mostly wait for their model and their person.
const THREADS: usize = 4;
const SEED: u64 = 4;
/// The person of the world that is taken up acts so often, then the one who meets the fault.
const BEFORE: u32 = 120;
const ACTS: u32 = 6;
/// A log of this many bytes is moved into the database: a thousand pages, each with its header.
const LONG_LOG: u64 = 1_000 * (4_096 + 24);
/// One in so many that came to rest by themselves is opened once more.
const REOPENED: u64 = 4;
/// Where no fault ever gets to.
const NEVER: u64 = u64::MAX;

/// STO-5: whatever the disk refuses and whenever, it is told, nothing is half-written, and it goes on
/// when the disk does; a failed sync ends the process.
#[test]
fn whatever_call_to_the_disk_fails_nothing_is_lost_and_it_goes_on() -> Result<()> {
    let began = now();
    let scratch = Scratch::new()?;
    let home = with_a_long_log(&scratch)?;
    let mut cases = Vec::new();
    for failure in Failure::ALL {
        cases.extend(cases_of(&scratch, &home, *failure)?);
    }
    let totals = Totals::default();
    run_all(&scratch, &home, &cases, &totals)?;
    let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
    suite_line(
        "D disk faults",
        &[
            ("cases", cases.len() as u64),
            ("struck", read(&totals.struck)),
            ("refused", read(&totals.refused)),
            ("ended by a failed sync", read(&totals.ended)),
            ("acknowledged", read(&totals.acknowledged)),
            ("lost", 0),
            ("repeated", 0),
            ("in doubt", read(&totals.in_doubt)),
        ],
        began.elapsed(),
    );
    // Faults that strike nobody, and failed syncs that nobody ends by, prove nothing.
    assert!(read(&totals.struck) > cases.len() as u64 / 2);
    assert!(read(&totals.ended) > 0);
    Ok(())
}

/// What a process left that ended shortly before its log was long enough to be moved.
fn with_a_long_log(scratch: &Scratch) -> Result<PathBuf> {
    let mut longest = None;
    for hit in (40..=400).step_by(30) {
        let home = scratch.fresh();
        std::fs::create_dir_all(&home)?;
        let fault = format!("{}:abort:{hit}", Point::EffectsAfter.name());
        let ran = worker(&home, "any", SEED, BEFORE, "work", Some(&fault))?;
        let log = std::fs::metadata(home.join("data/holdfast.db-wal"));
        let length = log.map_or(0, |log| log.len());
        if ran.code.is_some() || length >= LONG_LOG {
            break;
        }
        longest = Some((home, length));
    }
    let (home, length) = longest.context("no process was cut off")?;
    ensure!(length > LONG_LOG / 2, "the log has {length} bytes only");
    check(&home).context("before any fault")?;
    Ok(home)
}

/// Every call that can fail like this, or a sample of them.
fn cases_of(scratch: &Scratch, home: &Path, failure: Failure) -> Result<Vec<Fault>> {
    let never = Fault {
        failure,
        at: NEVER,
        is_lasting: false,
    };
    let rehearsal = copy_of(scratch, home)?;
    let ran = disk_worker(&rehearsal, never)?;
    ensure!(ran.code == Some(0), "without a fault: {ran:?}");
    let calls = ran.count("disk.calls").context("it says no count")?;
    std::fs::remove_dir_all(&rehearsal)?;
    let mut dice = Dice::new(failure as u64);
    let places: Vec<u64> = if is_full() || calls <= SAMPLED {
        (1..=calls).collect()
    } else {
        // One in each of as many equal parts.
        let part = calls / SAMPLED;
        (0..SAMPLED)
            .map(|number| 1 + number * part + dice.below(part))
            .collect()
    };
    let cases = places.into_iter().map(|at| Fault {
        failure,
        at,
        is_lasting: dice.is_one_in(2),
    });
    Ok(cases.collect())
}

fn run_all(scratch: &Scratch, home: &Path, cases: &[Fault], totals: &Totals) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None);
    let work = || {
        while let Some(fault) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = run(scratch, home, *fault, totals)
                .with_context(|| format!("{DISK_FAULT_VARIABLE}={}", fault.to_variable()));
            if let Err(error) = result {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                next.store(cases.len(), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}

fn run(scratch: &Scratch, home: &Path, fault: Fault, totals: &Totals) -> Result<()> {
    let home = copy_of(scratch, home)?;
    let hurt = disk_worker(&home, fault)?;
    let is_sync = fault.failure == Failure::SyncError;
    match hurt.code {
        Some(0) => ensure!(
            !is_sync || hurt.count("disk.struck_at_work") == Some(0),
            "it went on after a failed sync: {hurt:?}"
        ),
        Some(REFUSED) => {
            ensure!(!hurt.complained.is_empty(), "it was refused without a word");
            totals.refused.fetch_add(1, Ordering::Relaxed);
        }
        None if is_sync => {
            totals.ended.fetch_add(1, Ordering::Relaxed);
        }
        None | Some(_) => bail!("the worker failed: {hurt:?}"),
    }
    let has_struck =
        hurt.code.is_none() || hurt.count("disk.struck").is_some_and(|count| count > 0);
    totals
        .struck
        .fetch_add(u64::from(has_struck), Ordering::Relaxed);
    let mut counts = check(&home).context("after the fault")?;
    // Who came to rest in the same process did what a second one would do: some show that as well.
    if hurt.code != Some(0) || fault.at.is_multiple_of(REOPENED) {
        let rested = worker(&home, "any", SEED, 0, "settle", None)?;
        ensure!(
            rested.code == Some(0),
            "I11: it never came to rest: {rested:?}"
        );
        counts = check(&home).context("at rest")?;
    }
    totals
        .acknowledged
        .fetch_add(counts.acknowledged, Ordering::Relaxed);
    totals
        .in_doubt
        .fetch_add(counts.in_doubt, Ordering::Relaxed);
    std::fs::remove_dir_all(&home)?;
    Ok(())
}

#[derive(Debug)]
struct Ran {
    /// Nothing if a signal ended it.
    code: Option<i32>,
    said: String,
    complained: String,
}

impl Ran {
    /// The last count of that name that it said.
    fn count(&self, name: &str) -> Option<u64> {
        let mut lines = self.said.lines().rev();
        lines.find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
    }
}

fn disk_worker(home: &Path, fault: Fault) -> Result<Ran> {
    let output = command(env!("CARGO_BIN_EXE_holdfast-disk-worker"))
        .arg(home.join("data"))
        .arg(home.join("facts"))
        .args([SEED.to_string(), ACTS.to_string()])
        .env(DISK_FAULT_VARIABLE, fault.to_variable())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()?;
    Ok(Ran {
        code: output.status.code(),
        said: String::from_utf8_lossy(&output.stdout).into_owned(),
        complained: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

#[derive(Debug, Default)]
struct Totals {
    struck: AtomicU64,
    refused: AtomicU64,
    ended: AtomicU64,
    acknowledged: AtomicU64,
    in_doubt: AtomicU64,
}
