//! What the engine promises, on real SQLite files, with models that do what the test says.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test picks out what it asks about"
)]

/// An engine in a folder of its own, and short ways to ask it.
mod fixture;
/// One who follows a session and notices every gap.
mod follower;
/// Models in the test's hands.
mod scripted;

/// Sessions are created, named, listed.
mod sessions;
/// Messages are sent, runs begin.
mod starting;

/// How runs end, whatever the model does.
mod ending;
/// What is large stays within bounds.
mod large;

/// Who comes first, when it is close.
mod racing;
/// Stop, resume, cancel.
mod stopping;

/// Closing while things are going.
mod closing;
/// Taking up what a dead process left.
mod recovering;

/// What a person was told of.
mod notices;
/// A snapshot, and what follows it.
mod snapshots;
/// Events and text, live and again.
mod subscribing;
/// Many events, slow readers.
mod throughput;
/// The list, and who needs a person.
mod watching;

/// Nothing is shared, nothing is left behind.
mod isolation;
