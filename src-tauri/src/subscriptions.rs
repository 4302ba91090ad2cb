//! The open channels to the page, each fed by a task that never runs far ahead of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use host::Source;
use protocol::{CommandError, Push, SessionId};
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;
use tokio::sync::Semaphore;

use crate::wish::Wish;

/// Batches that may be on their way to the page. A page has no back-pressure of its own: what it
/// has not acknowledged is not followed by more.
const UNACKNOWLEDGED: usize = 2;

/// Channels that may be open.
const OPEN_AT_ONCE: usize = 32;

/// All open channels.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    next_id: AtomicU32,
    open: Mutex<HashMap<u32, Open>>,
    wish: Arc<Wish>,
}

#[derive(Debug)]
struct Open {
    permits: Arc<Semaphore>,
    task: JoinHandle<()>,
}

impl Subscriptions {
    pub(crate) fn open(&self, source: Source, channel: Channel<Vec<Push>>) -> u32 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let permits = Arc::new(Semaphore::new(UNACKNOWLEDGED));
        let feed = Feed {
            source,
            channel,
            permits: Arc::clone(&permits),
            wish: Arc::clone(&self.wish),
        };
        let task = tauri::async_runtime::spawn(feed.run());
        let mut open = self.lock();
        open.retain(|_, open| !open.task.inner().is_finished());
        // A page has one channel for the list and one for a session; one that keeps opening more
        // loses its oldest.
        while open.len() >= OPEN_AT_ONCE
            && let Some(oldest) = open.keys().min().copied()
            && let Some(oldest) = open.remove(&oldest)
        {
            oldest.task.abort();
        }
        open.insert(id, Open { permits, task });
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

    /// The person asked for this session from outside the window: whoever follows the list is
    /// told, now or when a page does so next.
    pub(crate) fn show(&self, session_id: SessionId) {
        self.wish.make(session_id);
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

/// What one channel is fed from.
struct Feed {
    source: Source,
    channel: Channel<Vec<Push>>,
    permits: Arc<Semaphore>,
    wish: Arc<Wish>,
}

impl Feed {
    async fn run(mut self) {
        loop {
            let Ok(permit) = self.permits.acquire().await else {
                return;
            };
            permit.forget();
            let batch = self.next().await;
            let is_over = batch.is_err();
            let batch = batch.unwrap_or_else(|error| vec![self.source.ended(error)]);
            if self.channel.send(batch).is_err() || is_over {
                return;
            }
        }
    }

    async fn next(&mut self) -> Result<Vec<Push>, CommandError> {
        match &self.source {
            Source::Session(_) => self.source.next().await,
            Source::List(_) => tokio::select! {
                batch = self.source.next() => batch,
                session_id = self.wish.take() => Ok(vec![Push::Show { session_id }]),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use host::{Host, HostOptions};
    use protocol::{Command, Reply};

    use super::*;

    /// STR-5: a page that acknowledges nothing gets two batches and costs nothing more; once it
    /// acknowledges, everything follows.
    #[test]
    fn a_page_that_does_not_acknowledge_is_not_flooded() {
        let folder = tempfile::tempdir().unwrap();
        tauri::async_runtime::block_on(async {
            let host = Host::start(&HostOptions::new(folder.path())).unwrap();
            let session_id = create(&host).await;
            let received = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&received);
            let channel = Channel::new(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
                Ok(())
            });
            let subscriptions = Subscriptions::default();
            let source = Source::Session(host.engine.subscribe(session_id, 0).unwrap());
            let id = subscriptions.open(source, channel);
            for round in 0..20 {
                let title = format!("Title {round}");
                host.engine
                    .execute(Command::RenameSession { session_id, title })
                    .await
                    .unwrap();
                tokio::task::yield_now().await;
            }
            // A follower that is not held back has seen all of it; the page was sent two batches.
            let mut follower = host.engine.subscribe(session_id, 0).unwrap();
            let mut seen = 0;
            while seen < 21 {
                seen += follower.next().await.unwrap().len();
            }
            assert!((1..=2).contains(&received.load(Ordering::SeqCst)));
            let before = received.load(Ordering::SeqCst);
            subscriptions.acknowledge(id);
            subscriptions.acknowledge(id);
            subscriptions.acknowledge(id);
            let title = "The last".to_owned();
            host.engine
                .execute(Command::RenameSession { session_id, title })
                .await
                .unwrap();
            let waited = tokio::time::timeout(Duration::from_secs(20), async {
                while received.load(Ordering::SeqCst) == before {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            assert!(waited.await.is_ok(), "an acknowledgement lets more come");
            subscriptions.end_all();
            host.close().await.unwrap();
        });
    }

    /// ATT-3: what was asked for before a page follows the list is not forgotten, and only whoever
    /// follows the list is told.
    #[test]
    fn a_session_that_was_asked_for_reaches_the_page_once() {
        let folder = tempfile::tempdir().unwrap();
        tauri::async_runtime::block_on(async {
            let host = Host::start(&HostOptions::new(folder.path())).unwrap();
            let session_id = create(&host).await;
            let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
            let channel = |from: &'static str| {
                let sender = sender.clone();
                Channel::new(move |body| {
                    let pushes = body.deserialize::<Vec<Push>>().unwrap();
                    sender.send((from, pushes)).unwrap();
                    Ok(())
                })
            };
            let subscriptions = Subscriptions::default();
            let session = host.engine.subscribe(session_id, 1).unwrap();
            subscriptions.open(Source::Session(session), channel("session"));
            subscriptions.show("ses_01920000000070008000000000000001".parse().unwrap());
            subscriptions.show(session_id);
            let watch = host.engine.watch_sessions().unwrap();
            subscriptions.open(Source::List(watch), channel("list"));
            for _ in 0..2 {
                let pushes = tokio::time::timeout(Duration::from_secs(20), received.recv());
                let shown = vec![Push::Show { session_id }];
                assert_eq!(pushes.await.unwrap(), Some(("list", shown)));
                assert!(received.try_recv().is_err());
                subscriptions.show(session_id);
            }
            subscriptions.end_all();
            host.close().await.unwrap();
        });
    }

    async fn create(host: &Host) -> SessionId {
        let created = Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: None,
        };
        let Reply::Session(session) = host.engine.execute(created).await.unwrap() else {
            panic!("not a session")
        };
        session.session_id
    }
}
