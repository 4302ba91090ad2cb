//! What the tried out files are made of here: locks, channels and threads that `shuttle` schedules, and
//! a clock that stands still, so that a schedule is the same when it is repeated.

use std::time::Duration;

pub(super) use shuttle::sync::mpsc::{Receiver, Sender, channel};
pub(super) use shuttle::sync::{Mutex, MutexGuard};
pub(super) use shuttle::thread::{Builder, JoinHandle, current};

/// A moment of a clock that stands still.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment;

impl Moment {
    #[expect(clippy::unused_self, reason = "it stands for a moment that has one")]
    pub(super) const fn elapsed(self) -> Duration {
        Duration::ZERO
    }
}

pub(super) const fn now() -> Moment {
    Moment
}
