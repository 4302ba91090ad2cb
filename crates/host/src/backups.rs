//! A backup a day, at the start and for as long as the app runs.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Clock, Engine, SystemClock};
use store::DataFolder;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// How often it is asked whether a day has passed. A computer may sleep in between.
const LOOK_EVERY: Duration = Duration::from_secs(60 * 60);

/// A thread beside everything else: neither the start nor the end waits for it.
#[derive(Debug)]
pub(crate) struct DailyBackups {
    stopped: Arc<Stopped>,
}

#[derive(Debug, Default)]
struct Stopped {
    is_stopped: Mutex<bool>,
    changed: Condvar,
}

impl DailyBackups {
    /// A database that was just created has nothing to keep yet: the first look comes later.
    pub(crate) fn start(engine: Engine, folder: DataFolder, is_new: bool) -> Self {
        let stopped = Arc::new(Stopped::default());
        let told = Arc::clone(&stopped);
        let spawned = std::thread::Builder::new()
            .name("daily-backup".to_owned())
            .spawn(move || {
                let mut is_first = true;
                while !told.is_stopped() {
                    if !(is_first && is_new) {
                        back_up_if_due(&engine, &folder);
                    }
                    is_first = false;
                    told.wait(LOOK_EVERY);
                }
            });
        if let Err(error) = spawned {
            tracing::warn!(name: "host.backup.not_started", %error);
        }
        Self { stopped }
    }

    /// No backup begins any more; one that is being made is cut short by the closing store.
    pub(crate) fn stop(&self) {
        *self.stopped.lock() = true;
        self.stopped.changed.notify_all();
    }
}

/// The thread must not keep an engine alive that nobody else holds.
impl Drop for DailyBackups {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Stopped {
    fn is_stopped(&self) -> bool {
        *self.lock()
    }

    fn wait(&self, at_most: Duration) {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), at_most, |is_stopped| !*is_stopped);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn back_up_if_due(engine: &Engine, folder: &DataFolder) {
    let now_ms = SystemClock.now_ms();
    let is_due = store::newest_backup(folder)
        .is_none_or(|newest| now_ms.saturating_sub(newest.created_at_ms) >= DAY_MS);
    if is_due && let Err(error) = engine.backup() {
        tracing::warn!(name: "host.backup.failed", message = error.message);
    }
}
