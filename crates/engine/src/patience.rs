//! Waiting while the disk refuses: longer each time, up to a limit.

use std::time::Duration;

use protocol::{CommandError, ErrorCode};
use tokio_util::sync::CancellationToken;

/// The first wait, and the longest.
const WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How long to wait before the next try.
#[derive(Debug)]
pub(crate) struct Patience {
    wait: Duration,
}

impl Patience {
    pub(crate) const fn new() -> Self {
        Self { wait: WAIT }
    }

    /// Waits. Whether to try again: not if it was cancelled meanwhile.
    pub(crate) async fn wait(&mut self, cancel: &CancellationToken) -> bool {
        tokio::select! {
            () = cancel.cancelled() => false,
            () = self.pause() => true,
        }
    }

    /// The same for what must be tried again whatever happens.
    pub(crate) async fn pause(&mut self) {
        tokio::time::sleep(self.wait).await;
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
    }
}

/// Whether trying again can help: the disk may let it next time, and whoever was first is done.
pub(crate) const fn is_passing(error: &CommandError) -> bool {
    matches!(error.code, ErrorCode::StorageFailed | ErrorCode::Conflict)
}
