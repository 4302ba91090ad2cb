//! With faults: what this process was told to do wrong, read once from its environment.
//!
//! The counters are the one global state of the tests' build: a fault belongs to a process, and a
//! process that has one is started for it alone.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Action, Mutant, Point};
use crate::Error;

/// `point:action:hit`: the fault strikes when the point is reached for the `hit`th time.
pub const FAULT_VARIABLE: &str = "HOLDFAST_FAULT";
/// The name of a mutant.
pub const MUTANT_VARIABLE: &str = "HOLDFAST_MUTANT";
/// Set for a process that takes a folder which another one has.
pub const IGNORE_LOCK_VARIABLE: &str = "HOLDFAST_IGNORE_LOCK";

#[derive(Debug)]
struct Fault {
    point: Point,
    action: Action,
    hit: u32,
    reached: AtomicU32,
    /// Writes that are still refused because an action struck where nothing can be refused.
    owed: AtomicU32,
}

/// How often each point was reached in this process.
static HITS: [AtomicU32; Point::ALL.len()] = [const { AtomicU32::new(0) }; Point::ALL.len()];

/// How often each point was reached so far in this process.
pub fn hits() -> Vec<(Point, u32)> {
    let counts = HITS.iter().map(|count| count.load(Ordering::SeqCst));
    Point::ALL.iter().copied().zip(counts).collect()
}

fn count(point: Point) {
    if let Some(hits) = HITS.get(point as usize) {
        hits.fetch_add(1, Ordering::SeqCst);
    }
}

fn fault() -> Option<&'static Fault> {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    let read = || {
        let text = std::env::var(FAULT_VARIABLE).ok()?;
        let mut parts = text.split(':');
        let point = Point::named(parts.next()?)?;
        let action = Action::named(parts.next()?)?;
        Some(Fault {
            point,
            action,
            hit: parts.next()?.parse().ok()?,
            reached: AtomicU32::new(0),
            owed: AtomicU32::new(0),
        })
    };
    FAULT.get_or_init(read).as_ref()
}

/// Whether this process has that mistake in it.
pub fn is_mutant(mutant: Mutant) -> bool {
    static MUTANT: OnceLock<Option<Mutant>> = OnceLock::new();
    let read = || Mutant::named(&std::env::var(MUTANT_VARIABLE).ok()?);
    *MUTANT.get_or_init(read) == Some(mutant)
}

/// Whether this process takes a folder that another one has: as if the lock had failed, so that the
/// epoch alone is left.
pub fn ignores_lock() -> bool {
    std::env::var_os(IGNORE_LOCK_VARIABLE).is_some()
}

/// A place where something may fail: the process ends here, or the disk refuses.
pub fn reach(point: Point) -> Result<(), Error> {
    count(point);
    let Some(fault) = fault() else { return Ok(()) };
    let is_owed = fault
        .owed
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |owed| {
            owed.checked_sub(1)
        })
        .is_ok();
    if is_owed || fault.strikes(point) {
        return fault.action.strike();
    }
    Ok(())
}

/// A place where nothing can be refused any more: the process ends here, or the disk refuses the
/// next thing that it can.
pub fn pass(point: Point) {
    count(point);
    let Some(fault) = fault() else { return };
    if fault.strikes(point) && fault.action.strike().is_err() {
        fault.owed.fetch_add(1, Ordering::SeqCst);
    }
}

impl Fault {
    fn strikes(&self, point: Point) -> bool {
        self.point == point && self.reached.fetch_add(1, Ordering::SeqCst) + 1 == self.hit
    }
}

impl Action {
    fn strike(self) -> Result<(), Error> {
        match self {
            Self::Abort => std::process::abort(),
            Self::IoError => Err(Error::Io("a fault was asked for".to_owned())),
            Self::DiskFull => Err(Error::DiskFull),
        }
    }
}
