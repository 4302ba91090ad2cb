//! Faults for tests: named points where a test ends the process or makes the disk refuse, and
//! mutants, known mistakes that the crash suites must catch.
//!
//! Only with the feature `faults`, which no build that is given to anyone has: without it the same
//! names do nothing and leave nothing in the binary. A process is told once, by its environment:
//! `HOLDFAST_FAULT=point:action:hit` and `HOLDFAST_MUTANT=name`; and `HOLDFAST_IGNORE_LOCK=1`, with
//! which it takes a folder that another process has.

#[cfg(feature = "faults")]
mod armed;
mod names;
#[cfg(not(feature = "faults"))]
mod none;

#[cfg(feature = "faults")]
pub use armed::{
    FAULT_VARIABLE, IGNORE_LOCK_VARIABLE, MUTANT_VARIABLE, hits, ignores_lock, is_mutant, pass,
    reach,
};
pub use names::{Action, Mutant, Point};
#[cfg(not(feature = "faults"))]
pub use none::{ignores_lock, is_mutant, pass, reach};
