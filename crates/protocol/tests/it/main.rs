//! The forms on the wire, and what is refused there.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

/// Every variant by its name.
mod cases;
/// Places in a JSON value, to be changed one at a time.
mod places;
/// One of everything that is said.
mod sample;

/// What the documentation says of the commands.
mod documented;
/// Every form is pinned, and reads back.
mod forms;
/// What is not a command is told so.
mod refused;
/// Values of the right type that cannot be used.
mod refused_values;
/// What leads from one status to another.
mod tables;
/// The words that are stored are those that are sent.
mod words;
