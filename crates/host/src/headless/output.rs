//! Lines out: one writer, in order, bounded; a slow reader slows whoever sends, never a run.

use std::io::Write;

use protocol::{CommandError, ErrorCode, Push, Reply};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Lines that may wait for the reader.
const WAITING_LINES: usize = 256;

/// Where lines are sent to. Cheap to clone; the output ends when all clones are gone.
#[derive(Debug, Clone)]
pub(super) struct Output {
    lines: mpsc::Sender<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Ok { id: &'a Value, ok: &'a Reply },
    Error { id: &'a Value, error: &'a CommandError },
}

impl Output {
    pub(super) fn start(
        output: impl Write + Send + 'static,
    ) -> Result<(Self, JoinHandle<()>), CommandError> {
        let (lines, receiver) = mpsc::channel(WAITING_LINES);
        let (done, ended) = tokio::sync::oneshot::channel();
        std::thread::Builder::new()
            .name("headless-output".to_owned())
            .spawn(move || {
                write_lines(output, receiver);
                // Dropping it is the message.
                drop::<tokio::sync::oneshot::Sender<()>>(done);
            })
            .map_err(|error| {
                CommandError::new(ErrorCode::Internal, error.to_string(), "Try again.")
            })?;
        let ending = tokio::spawn(async move { drop(ended.await) });
        Ok((Self { lines }, ending))
    }

    pub(super) async fn reply(&self, id: &Value, result: Result<Reply, CommandError>) {
        let answer = match &result {
            Ok(ok) => Answer::Ok { id, ok },
            Err(error) => Answer::Error { id, error },
        };
        self.line(&answer).await;
    }

    pub(super) async fn push(&self, push: &Push) {
        self.line(push).await;
    }

    /// Resolves when whoever read the output has gone away.
    pub(super) async fn closed(&self) {
        self.lines.closed().await;
    }

    async fn line(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            // A reader that went away is noticed by `closed`.
            Ok(line) => drop(self.lines.send(line).await),
            Err(error) => tracing::error!(name: "host.headless.unwritable", %error),
        }
    }
}

fn write_lines(mut output: impl Write, mut lines: mpsc::Receiver<String>) {
    while let Some(line) = lines.blocking_recv() {
        let written = output
            .write_all(line.as_bytes())
            .and_then(|()| output.write_all(b"\n"))
            .and_then(|()| output.flush());
        if written.is_err() {
            return;
        }
    }
}
