//! The locks of what is handed over between threads, in one place: the test that tries out schedules
//! compiles those files with others.

pub(crate) use std::sync::{Mutex, MutexGuard};
