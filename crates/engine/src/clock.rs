//! The one door to the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door that the lint guards"
)]

use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time. Given to the engine, so that a test can choose it.
pub trait Clock: std::fmt::Debug + Send + Sync + 'static {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
