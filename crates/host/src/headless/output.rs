//! Lines out: one writer, in order, bounded; a slow reader slows whoever sends, never a run.

use std::io::Write;
use std::sync::Arc;

use protocol::{CommandError, ErrorCode, Push, Reply};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Lines that may wait for the reader.
pub(super) const WAITING_LINES: usize = 256;
/// Bytes that may wait for the reader; a longer line waits alone.
const WAITING_BYTES: u32 = 16 * 1024 * 1024;

/// Where lines are sent to. Cheap to clone; the output ends when all clones are gone.
#[derive(Debug, Clone)]
pub(super) struct Output {
    lines: mpsc::Sender<Waiting>,
    room: Arc<Semaphore>,
}

/// A line on its way, and the room that it takes until it is written.
#[derive(Debug)]
struct Waiting {
    line: String,
    _room: OwnedSemaphorePermit,
}

/// The thread that writes.
#[derive(Debug)]
pub(super) struct Writing {
    ended: oneshot::Receiver<()>,
}

impl Writing {
    /// Waits until everything is written, or can no longer be.
    pub(super) async fn wait(self) {
        // The thread drops its end, which is the message.
        drop(self.ended.await);
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Ok {
        id: &'a Value,
        ok: &'a Reply,
    },
    Error {
        id: &'a Value,
        error: &'a CommandError,
    },
}

impl Output {
    pub(super) fn start(
        output: impl Write + Send + 'static,
    ) -> Result<(Self, Writing), CommandError> {
        let (lines, receiver) = mpsc::channel(WAITING_LINES);
        let (done, ended) = oneshot::channel::<()>();
        std::thread::Builder::new()
            .name("headless-output".to_owned())
            .spawn(move || {
                write_lines(output, receiver);
                drop(done);
            })
            .map_err(|error| {
                CommandError::new(ErrorCode::Internal, error.to_string(), "Try again.")
            })?;
        let room = Arc::new(Semaphore::new(WAITING_BYTES as usize));
        Ok((Self { lines, room }, Writing { ended }))
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
        let line = match serde_json::to_string(value) {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(name: "host.headless.unwritable", %error);
                return;
            }
        };
        let bytes = u32::try_from(line.len()).map_or(WAITING_BYTES, |len| len.min(WAITING_BYTES));
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else {
            return;
        };
        // A reader that went away is noticed by `closed`.
        drop(self.lines.send(Waiting { line, _room: room }).await);
    }
}

fn write_lines(mut output: impl Write, mut lines: mpsc::Receiver<Waiting>) {
    while let Some(waiting) = lines.blocking_recv() {
        let written = output
            .write_all(waiting.line.as_bytes())
            .and_then(|()| output.write_all(b"\n"))
            .and_then(|()| output.flush());
        if written.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc::{Receiver, channel};
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Takes nothing until the other end is dropped.
    struct Blocked(Receiver<()>);

    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            assert!(self.0.recv().is_err());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn is_sent_at_once(output: &Output, line: &str) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        pin!(output.line(&line)).as_mut().poll(&mut context) == Poll::Ready(())
    }

    // STR-5
    #[tokio::test]
    async fn a_reader_that_does_not_read_costs_a_bounded_number_of_bytes() {
        let (release, blocked) = channel();
        let (output, writing) = Output::start(Blocked(blocked)).unwrap();
        let megabyte = "x".repeat(1024 * 1024);
        let sent = (0..24).filter(|_| is_sent_at_once(&output, &megabyte));
        assert!(sent.count() <= 16);
        drop(release);
        output.line(&megabyte).await;
        drop(output);
        writing.wait().await;
    }

    #[tokio::test]
    async fn a_line_larger_than_all_the_room_is_sent_too() {
        let (output, writing) = Output::start(std::io::sink()).unwrap();
        let line = "x".repeat(WAITING_BYTES as usize + 1);
        output.line(&line).await;
        output.line(&line).await;
        drop(output);
        writing.wait().await;
    }
}
