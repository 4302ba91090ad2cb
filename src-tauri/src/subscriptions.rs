//! The open channels to the page, each fed by a task that never runs far ahead of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use host::{SessionWatch, Subscription};
use protocol::{CommandError, Push};
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;
use tokio::sync::Semaphore;

/// Batches that may be on their way to the page. A page has no back-pressure of its own: what it
/// has not acknowledged is not followed by more.
const UNACKNOWLEDGED: usize = 2;

/// All open channels.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    next_id: AtomicU32,
    open: Mutex<HashMap<u32, Open>>,
}

#[derive(Debug)]
struct Open {
    permits: Arc<Semaphore>,
    task: JoinHandle<()>,
}

/// What a channel is fed from.
pub(crate) enum Source {
    Session(Subscription),
    List(SessionWatch),
}

impl Source {
    async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        match self {
            Self::Session(subscription) => subscription.next().await,
            Self::List(watch) => watch.next().await,
        }
    }

    fn ended(&self, error: CommandError) -> Push {
        let session_id = match self {
            Self::Session(subscription) => Some(subscription.session_id()),
            Self::List(_) => None,
        };
        Push::Ended { session_id, error }
    }
}

impl Subscriptions {
    pub(crate) fn open(&self, source: Source, channel: Channel<Vec<Push>>) -> u32 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let permits = Arc::new(Semaphore::new(UNACKNOWLEDGED));
        let task = tauri::async_runtime::spawn(feed(source, channel, Arc::clone(&permits)));
        self.lock().insert(id, Open { permits, task });
        id
    }

    /// The page has applied a batch. Acknowledging more than was sent gains nothing.
    pub(crate) fn acknowledge(&self, id: u32) {
        if let Some(open) = self.lock().get(&id)
            && open.permits.available_permits() < UNACKNOWLEDGED
        {
            open.permits.add_permits(1);
        }
    }

    pub(crate) fn end(&self, id: u32) {
        if let Some(open) = self.lock().remove(&id) {
            open.task.abort();
        }
    }

    /// A page that is loaded anew knows nothing of the channels before it.
    pub(crate) fn end_all(&self) {
        for (_, open) in self.lock().drain() {
            open.task.abort();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn feed(mut source: Source, channel: Channel<Vec<Push>>, permits: Arc<Semaphore>) {
    loop {
        let Ok(permit) = permits.acquire().await else { return };
        permit.forget();
        let batch = source.next().await;
        let is_over = batch.is_err();
        let batch = batch.unwrap_or_else(|error| vec![source.ended(error)]);
        if channel.send(batch).is_err() || is_over {
            return;
        }
    }
}
