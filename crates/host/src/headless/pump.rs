//! From a subscription to the output, until it is ended.

use protocol::Push;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::output::Output;
use crate::Source;

/// A task that sends what a subscription brings. Dropping it ends it at once.
#[derive(Debug)]
pub(super) struct Pump {
    end: Option<oneshot::Sender<End>>,
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
    pub(super) fn start(source: Source, output: Output) -> Self {
        let (end, ended) = oneshot::channel();
        let task = tokio::spawn(pump(source, output, ended));
        let end = Some(end);
        Self { end, task }
    }

    /// Ends it; nothing is sent any more when this returns.
    pub(super) async fn end(self) {
        self.end_with(End::Now).await;
    }

    /// Sends what is committed by now, then ends it.
    pub(super) async fn finish(self) {
        self.end_with(End::AfterTheRest).await;
    }

    async fn end_with(mut self, end: End) {
        let is_over = self
            .end
            .take()
            .is_none_or(|sender| sender.send(end).is_err());
        if is_over {
            tracing::debug!(name: "host.headless.pump_over", "the subscription had ended by itself");
        }
        if (&mut self.task).await.is_err() {
            tracing::error!(name: "host.headless.pump_failed", "a subscription task failed");
        }
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pump(mut source: Source, output: Output, mut ended: oneshot::Receiver<End>) {
    let end = loop {
        tokio::select! {
            biased;
            end = &mut ended => break end.unwrap_or(End::Now),
            batch = source.next() => match batch {
                Ok(batch) => send(&output, batch).await,
                Err(error) => return output.push(&source.ended(error)).await,
            }
        }
    };
    if end == End::AfterTheRest {
        while let Ok(batch) = source.take_new().await {
            if batch.is_empty() {
                return;
            }
            send(&output, batch).await;
        }
    }
}

async fn send(output: &Output, batch: Vec<Push>) {
    for push in batch {
        output.push(&push).await;
    }
}
