//! What suite A counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, ensure};
use store::faults::Point;
use testkit::evidence::{Counts, Fact};
use testkit::suite_line;

use super::Case;

#[derive(Default)]
pub(super) struct Totals {
    kills: AtomicU64,
    acknowledged: AtomicU64,
    once: AtomicU64,
    doubts: AtomicU64,
    struck: Mutex<Vec<Point>>,
}

impl Totals {
    pub(super) fn strike(&self, point: Point) {
        let mut struck = self.struck.lock().unwrap_or_else(PoisonError::into_inner);
        struck.push(point);
    }

    pub(super) fn add(&self, facts: &[Fact], counts: Counts) {
        let lives = facts
            .iter()
            .filter(|fact| matches!(fact, Fact::Began { .. }));
        // The last one ended by itself.
        let kills = lives.count().saturating_sub(1) as u64;
        let settled = facts
            .iter()
            .filter(|fact| matches!(fact, Fact::Settling { .. }));
        self.kills.fetch_add(kills, Ordering::Relaxed);
        self.acknowledged
            .fetch_add(counts.acknowledged, Ordering::Relaxed);
        self.once.fetch_add(counts.once, Ordering::Relaxed);
        self.doubts
            .fetch_add(settled.count() as u64, Ordering::Relaxed);
    }

    /// A point that is never reached proves nothing.
    pub(super) fn ensure_struck(&self, cases: &[Case<'_>]) -> Result<()> {
        let struck = self.struck.lock().unwrap_or_else(PoisonError::into_inner);
        let missed: Vec<Point> = Point::ALL
            .iter()
            .copied()
            .filter(|point| cases.iter().any(|case| case.point == *point))
            .filter(|point| !struck.contains(point))
            .collect();
        ensure!(missed.is_empty(), "never struck: {missed:?}");
        Ok(())
    }

    pub(super) fn say(&self, runs: usize, began: Instant) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        suite_line(
            "A failpoints",
            &[
                ("points", Point::ALL.len() as u64),
                ("runs", runs as u64),
                ("ends", read(&self.kills)),
                ("acknowledged", read(&self.acknowledged)),
                ("lost", 0),
                ("once", read(&self.once)),
                ("repeated", 0),
                ("in doubt", read(&self.doubts)),
            ],
            began.elapsed(),
        );
    }
}
