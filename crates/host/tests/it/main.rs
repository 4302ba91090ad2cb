//! What the host promises: the engine without a window, its start, its logs.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

/// A data folder, and a host on it.
mod fixture;
/// A headless process inside this one: lines in, lines out.
mod talk;

/// Lines in, lines out.
mod headless;
/// How headless ends.
mod headless_end;

/// Starts that succeed, and those that do not.
mod starting;

/// What is logged, and what never is.
mod logs;

/// What helps to find a fault.
mod auditing;
mod diagnosing;
