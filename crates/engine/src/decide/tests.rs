//! Pure tests of every decision.
