//! The locks, channels and threads of the hand-off, in one place: the test that tries out schedules
//! compiles the hand-off with others.

pub(super) use std::sync::Mutex;
pub(super) use std::sync::mpsc::{Receiver, Sender, channel};
pub(super) use std::thread::{Builder, JoinHandle, current};
pub(super) use std::time::Instant;
