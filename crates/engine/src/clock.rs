//! The one door to the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door that the lint guards"
)]

use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tells the time. Given to the engine, so that a test can choose it.
pub trait Clock: std::fmt::Debug + Send + Sync + 'static {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;

    /// Ends at that time or somewhat later, or earlier when the clock was set: whoever waits looks
    /// at the time again.
    fn wait_until(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// A clock that was set forward is noticed after at most so long.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn wait_until(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let left = Duration::from_millis(at_ms.saturating_sub(self.now_ms()));
        Box::pin(tokio::time::sleep(left.min(LONGEST_WAIT)))
    }
}
