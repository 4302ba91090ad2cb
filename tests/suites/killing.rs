//! Suite B: a process that streams, runs tools and waits for approvals in four sessions is killed, again
//! and again.
//!
//! Two worlds are lived at once. In each, a worker begins on what the one before it left and is killed
//! 10 to 120 ms later, counted from its start or from its first sign of work, so that starts and
//! recoveries are cut off too. Everything that was answered, shown or done until then is held against
//! the rows. After some lives everything is brought to rest, and a new world begins.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use testkit::evidence::{Counts, Fact, Loss, check_file, facts_in};
use testkit::{Dice, is_full, suite_line};

use super::place::memory_folder;
use super::workers::{Deadline, Worker, now};

/// Kills in every run of the tests, and with `--full`.
const KILLS: u64 = 500;
const FULL_KILLS: u64 = 10_000;
/// So many lives in one world.
const LIVES: u64 = 25;
const WORLDS: u64 = 2;

/// What all worlds came to.
#[derive(Debug, Default)]
struct Totals {
    kills: AtomicU64,
    acknowledged: AtomicU64,
    once: AtomicU64,
    in_doubt: AtomicU64,
    text: AtomicU64,
}

impl Totals {
    fn add(&self, facts: &[Fact], counts: Counts) {
        let add = |to: &AtomicU64, number: u64| to.fetch_add(number, Ordering::SeqCst);
        add(&self.acknowledged, counts.acknowledged);
        add(&self.once, counts.once);
        for fact in facts {
            match fact {
                Fact::Settling { .. } => add(&self.in_doubt, 1),
                Fact::Text { text, .. } => add(&self.text, text.len() as u64),
                Fact::Began { .. }
                | Fact::Sending { .. }
                | Fact::Sent { .. }
                | Fact::Created { .. }
                | Fact::Decided { .. }
                | Fact::Settled { .. }
                | Fact::Again { .. }
                | Fact::Moved { .. }
                | Fact::Shown(_)
                | Fact::Asked { .. }
                | Fact::Did(_) => 0,
            };
        }
    }
}

/// STO-3, STR-2, RUN-4, RUN-5, EFF-2, EFF-3, APR-5: random kills of a real process.
#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_done_twice() -> Result<()> {
    let began = now();
    let kills = if is_full() { FULL_KILLS } else { KILLS };
    let (totals, next) = (Totals::default(), AtomicU64::new(0));
    let worlds = kills / LIVES;
    let work = || -> Result<()> {
        loop {
            let world = next.fetch_add(1, Ordering::SeqCst);
            if world >= worlds {
                return Ok(());
            }
            let result = live(world, &totals).with_context(|| format!("world {world}"));
            if result.is_err() {
                next.store(worlds, Ordering::SeqCst);
                return result;
            }
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..WORLDS).map(|_| scope.spawn(work)).collect();
        let mine = work();
        others.into_iter().fold(mine, |result, other| {
            let other = other.join();
            result.and(other.unwrap_or_else(|_| Err(anyhow::anyhow!("a world panicked"))))
        })
    })?;
    let count = |one: &AtomicU64| one.load(Ordering::SeqCst);
    ensure!(count(&totals.kills) == kills, "not every kill was one");
    ensure!(
        count(&totals.once) >= kills / 8,
        "too little was done: {totals:?}"
    );
    ensure!(
        count(&totals.text) >= kills * 8,
        "too little was streamed: {totals:?}"
    );
    suite_line(
        "B random kills",
        &[
            ("kills", kills),
            ("acknowledged", count(&totals.acknowledged)),
            ("lost", 0),
            ("once", count(&totals.once)),
            ("repeated", 0),
            ("in doubt", count(&totals.in_doubt)),
            ("streamed bytes", count(&totals.text)),
        ],
        began.elapsed(),
    );
    Ok(())
}

/// Some lives on one folder, then rest.
fn live(world: u64, totals: &Totals) -> Result<()> {
    let home = memory_folder()?;
    let mut dice = Dice::new(0x5eed_0002 + world);
    for life in 0..LIVES {
        let context = || format!("life {life}");
        cut_short(home.path(), world * LIVES + life, &mut dice).with_context(context)?;
        totals.kills.fetch_add(1, Ordering::SeqCst);
        check(home.path()).with_context(context)?;
    }
    let mut last = Worker::start(home.path(), "all", world, "settle", &[])?;
    let ended = last.end()?;
    let said = last.complaint()?;
    ensure!(ended.success(), "it never came to rest: {said:?}");
    let (facts, counts) = check(home.path()).context("at rest")?;
    totals.add(&facts, counts);
    Ok(())
}

/// One life: from its start, or from its first sign of work, it has 10 to 120 ms.
fn cut_short(home: &Path, seed: u64, dice: &mut Dice) -> Result<()> {
    let facts = home.join("facts-all");
    let size = || std::fs::metadata(&facts).map_or(0, |file| file.len());
    let before = size();
    let mut worker = Worker::start(home, "all", seed, "work", &[])?;
    if !dice.is_one_in(3) {
        let deadline = Deadline::new();
        // Its beginning is the first thing that it notes; this is more.
        while size() < before + 60 {
            let ended = worker.process.ended()?;
            ensure!(ended.is_none(), "it ended: {:?}", worker.complaint()?);
            deadline.pause("a sign of work")?;
        }
    }
    std::thread::sleep(Duration::from_micros(10_000 + dice.below(110_000)));
    let ended = worker.process.ended()?;
    ensure!(ended.is_none(), "it ended: {:?}", worker.complaint()?);
    Ok(worker.process.kill_alone()?)
}

fn check(home: &Path) -> Result<(Vec<Fact>, Counts)> {
    let facts = facts_in(&home.join("facts-all"))?;
    let database = home.join("data/holdfast.db");
    if !database.exists() {
        // It was killed before there was one; nothing can have been answered.
        let is_empty = facts.iter().all(|fact| matches!(fact, Fact::Began { .. }));
        ensure!(is_empty, "there is no database");
        return Ok((facts, Counts::default()));
    }
    let counts = check_file(&database, &facts, Loss::Process)?;
    Ok((facts, counts))
}
