//! Without faults: everything is free and nothing happens.

use super::{Mutant, Point};
use crate::Error;

/// Nothing goes wrong here.
#[inline]
pub const fn reach(_: Point) -> Result<(), Error> {
    Ok(())
}

/// Nothing goes wrong here.
#[inline]
pub const fn pass(_: Point) {}

/// Nobody is one.
#[inline]
pub const fn is_mutant(_: Mutant) -> bool {
    false
}

/// A lock is a lock.
#[inline]
pub const fn ignores_lock() -> bool {
    false
}
