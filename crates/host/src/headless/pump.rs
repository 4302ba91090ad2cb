//! From a subscription to the output, until it is ended.

use engine::{SessionWatch, Subscription};
use protocol::{CommandError, Push};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::output::Output;

/// A task that sends what a subscription brings.
#[derive(Debug)]
pub(super) struct Pump {
    end: oneshot::Sender<End>,
    task: JoinHandle<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At once.
    Now,
    /// After what is committed by now.
    AfterTheRest,
}

impl Pump {
    pub(super) fn session(subscription: Subscription, output: Output) -> Self {
        let (end, ended) = oneshot::channel();
        Self { end, task: tokio::spawn(pump_session(subscription, output, ended)) }
    }

    pub(super) fn list(watch: SessionWatch, output: Output) -> Self {
        let (end, ended) = oneshot::channel();
        Self { end, task: tokio::spawn(pump_list(watch, output, ended)) }
    }

    /// Ends it; nothing is sent any more when this returns.
    pub(super) async fn end(self) {
        self.end_with(End::Now).await;
    }

    /// Sends what is committed by now, then ends it.
    pub(super) async fn finish(self) {
        self.end_with(End::AfterTheRest).await;
    }

    async fn end_with(self, end: End) {
        if self.end.send(end).is_err() {
            tracing::debug!(name: "host.headless.pump_over", "the subscription had ended by itself");
        }
        if self.task.await.is_err() {
            tracing::error!(name: "host.headless.pump_failed", "a subscription task failed");
        }
    }
}

async fn pump_session(
    mut subscription: Subscription,
    output: Output,
    mut ended: oneshot::Receiver<End>,
) {
    let end = loop {
        tokio::select! {
            biased;
            end = &mut ended => break end.unwrap_or(End::Now),
            batch = subscription.next() => match batch {
                Ok(batch) => send(&output, batch).await,
                Err(error) => {
                    let session_id = Some(subscription.session_id());
                    return output.push(&Push::Ended { session_id, error }).await;
                }
            }
        }
    };
    if end == End::AfterTheRest {
        while let Ok(batch) = subscription.take_new() {
            if batch.is_empty() {
                return;
            }
            send(&output, batch).await;
        }
    }
}

async fn pump_list(mut watch: SessionWatch, output: Output, mut ended: oneshot::Receiver<End>) {
    loop {
        let batch: Result<Vec<Push>, CommandError> = tokio::select! {
            biased;
            _ = &mut ended => return,
            batch = watch.next() => batch,
        };
        match batch {
            Ok(batch) => send(&output, batch).await,
            Err(error) => return output.push(&Push::Ended { session_id: None, error }).await,
        }
    }
}

async fn send(output: &Output, batch: Vec<Push>) {
    for push in batch {
        output.push(&push).await;
    }
}
