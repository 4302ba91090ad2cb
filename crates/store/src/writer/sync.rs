//! The locks, channels and threads of the hand-off, in one place: the test that tries out schedules
//! compiles the hand-off with others.

pub(super) use std::sync::Mutex;
pub(super) use std::sync::mpsc::{Receiver, Sender, channel};
pub(super) use std::thread::{Builder, JoinHandle, current};

use std::time::Instant;

/// The moment at which something began.
#[expect(
    clippy::disallowed_methods,
    reason = "the writer measures its own deadlines, no data"
)]
pub(super) fn now() -> Instant {
    Instant::now()
}
