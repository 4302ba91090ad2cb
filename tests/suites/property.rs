//! Suite F: random transitions and crashes against a model of maps.
//!
//! Each seed is a few lives of a store on one folder. In each, three sessions are asked for transitions,
//! one after the other and several at once; a good part of them is stale or wrong. The model predicts
//! every answer and every row. A life ends in a crash; what was answered before it must be there whole,
//! what was not, whole or not at all.

mod act;
mod child;
mod invent;
mod lane;
mod life;
mod model;
mod picture;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use testkit::{Dice, is_full, suite_line};

use super::place::memory_folder;
use lane::{Counts, Lane};
use life::Ending;

/// Seeds in every run of the tests, and with `--full`.
const SEEDS: u64 = 500;
const FULL_SEEDS: u64 = 5_000;
const LANES: usize = 3;
const LIVES: u64 = 3;
/// Once in so many seeds, a child is killed.
const CHILD_IN: u64 = 8;
const WORKERS: u64 = 2;

fn lanes(seed: u64) -> Vec<Lane> {
    (1..=LANES as u32)
        .map(|session| Lane::new(session, seed))
        .collect()
}

/// STO-1, STO-2, STO-3, STO-6.
#[test]
fn the_store_does_what_the_model_says_through_crashes() -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the suite says how long it took")]
    let started = Instant::now();
    let seeds = match std::env::var("HOLDFAST_SEED") {
        Ok(seed) => seed.parse()?..seed.parse::<u64>()? + 1,
        Err(_) => 0..if is_full() { FULL_SEEDS } else { SEEDS },
    };
    let next = AtomicU64::new(seeds.start);
    let work = || -> Result<Counts> {
        let mut counts = Counts::default();
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds.end {
                return Ok(counts);
            }
            if let Err(error) = try_seed(seed, &mut counts) {
                // The others need not go on.
                next.store(seeds.end, Ordering::SeqCst);
                return Err(error.context(format!(
                    "seed {seed}; again: HOLDFAST_SEED={seed} cargo test -p holdfast-tests \
                     --test suites property"
                )));
            }
        }
    };
    let results: Vec<Result<Counts>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|ended| ended.unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked"))))
            .collect()
    });
    let mut sum = Counts::default();
    for counts in results {
        let counts = counts?;
        sum.acknowledged += counts.acknowledged;
        sum.refused += counts.refused;
        sum.crashes += counts.crashes;
        sum.unacknowledged += counts.unacknowledged;
    }
    suite_line(
        "F property",
        &[
            ("seeds", seeds.end - seeds.start),
            ("crashes", sum.crashes),
            ("acknowledged", sum.acknowledged),
            ("refused as predicted", sum.refused),
            ("unacknowledged and whole", sum.unacknowledged),
            ("lost", 0),
        ],
        started.elapsed(),
    );
    Ok(())
}

fn try_seed(seed: u64, counts: &mut Counts) -> Result<()> {
    let mut dice = Dice::new(seed);
    let mut lanes = lanes(seed);
    let mut folder = memory_folder()?;
    let mut first = 0;
    if dice.is_one_in(CHILD_IN) {
        first = 1;
        child::live(seed, folder.path(), &mut lanes, &mut dice, counts)
            .context("in a process that was killed")?;
    }
    for number in first..LIVES {
        let ending = Ending::by(&mut dice);
        folder = life::live(folder, &mut lanes, &mut dice, ending, counts)
            .with_context(|| format!("life {number}, {ending:?}"))?;
    }
    Ok(())
}
