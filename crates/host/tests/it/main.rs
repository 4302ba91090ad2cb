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
/// Providers of a test, and the commands about them.
mod provided;
/// A headless process inside this one: lines in, lines out.
mod talk;

/// Lines in, lines out.
mod headless;
/// How headless ends.
mod headless_end;

/// Starts that succeed, and those that do not.
mod starting;

/// Providers that are added, used, changed and removed.
mod providing;

/// Model servers on this computer.
mod finding;

/// Small local models misbehave.
mod small_models;

/// A `llama-server` of our own.
#[cfg(unix)]
mod fake_llama;
/// A model file that the app serves itself.
#[cfg(unix)]
mod serving;

/// Keys: where they are kept, and whom they go to.
mod keeping;

/// A refused key pauses its provider once for everybody.
mod pausing;

/// Where a key is found, and where it never is.
mod planted;

/// What is logged, and what never is.
mod logs;

/// What helps to find a fault.
mod auditing;
mod diagnosing;
