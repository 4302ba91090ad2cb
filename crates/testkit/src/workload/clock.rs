//! A clock that runs fast, so that waits of seconds are over in milliseconds.
#![expect(clippy::disallowed_methods, reason = "it is a clock, for tests alone")]

use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::Clock;

/// So many times as fast as the computer's.
const FACTOR: u32 = 20;

/// The same for everyone in a process; after a restart it is later than it was.
#[derive(Debug)]
pub struct FastClock {
    began: Instant,
    began_ms: u64,
}

impl FastClock {
    /// The clock of this process.
    pub fn shared() -> Arc<Self> {
        static CLOCK: LazyLock<Arc<FastClock>> = LazyLock::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let since_ms = since.unwrap_or_default().as_millis();
            let began_ms = u64::try_from(since_ms).unwrap_or_default() * u64::from(FACTOR);
            Arc::new(FastClock {
                began: Instant::now(),
                // A time of this century again, and one that a later process is ahead of.
                began_ms: began_ms % 4_000_000_000_000,
            })
        });
        Arc::clone(&CLOCK)
    }

    /// The time.
    pub fn now(&self) -> u64 {
        let passed = self.began.elapsed() * FACTOR;
        self.began_ms + u64::try_from(passed.as_millis()).unwrap_or_default()
    }
}

impl Clock for FastClock {
    fn now_ms(&self) -> u64 {
        self.now()
    }

    fn wait_until(&self, at_ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let left = Duration::from_millis(at_ms.saturating_sub(self.now())) / FACTOR;
        // A little later rather than a little earlier.
        Box::pin(tokio::time::sleep(left + Duration::from_millis(1)))
    }
}
