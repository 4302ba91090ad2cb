//! The forms on the wire, and what is refused there.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

/// One of everything that is asked and that happens.
mod sample;
/// One of everything that is answered and sent.
mod sample_answers;

/// Every form is pinned, and reads back.
mod forms;
/// What is not a command is told so.
mod refused;
