//! A reader that does not read, to the last line that fits.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use models::GuideOptions;
use protocol::{Command, Reply, RunStatus};

use super::{AtEnd, input, output, run_until};
use crate::{Host, HostOptions};

/// The same line for ever, counted as it is taken.
struct Endless {
    line: &'static [u8],
    taken: Arc<AtomicUsize>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.line.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.line[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Endless {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        Ok(self.line)
    }

    fn consume(&mut self, count: usize) {
        assert!(count == 0 || count == self.line.len(), "whole lines alone");
        self.taken
            .fetch_add(usize::from(count > 0), Ordering::SeqCst);
    }
}

/// Takes nothing until the test is over.
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

// STR-5, RUN-18
#[tokio::test]
async fn a_reader_that_does_not_read_holds_up_no_run_and_no_end() {
    let dir = tempfile::tempdir().unwrap();
    let options = HostOptions {
        guide: GuideOptions {
            seed: 1,
            word_pause: Duration::from_secs(1_000_000),
        },
        ..HostOptions::new(dir.path())
    };
    let host = Host::start(&options).unwrap();
    let start = Command::StartRun {
        session_id: None,
        text: "Hello".to_owned(),
        request_key: None,
    };
    let Reply::RunStarted { run_id, .. } = host.engine.execute(start).await.unwrap() else {
        panic!("another reply");
    };
    let (release, blocked) = channel();
    let (ask, asked) = tokio::sync::oneshot::channel();
    let taken = Arc::new(AtomicUsize::new(0));
    let line = b"{\"id\": 1, \"command\": {\"type\": \"get_app\"}}\n";
    let endless = Endless {
        line,
        taken: Arc::clone(&taken),
    };
    let engine = host.engine.clone();
    let asked = async { asked.await.unwrap() };
    let running = tokio::spawn(run_until(
        host,
        endless,
        Blocked(blocked),
        AtEnd::Wait,
        asked,
    ));
    // One line is being written, one answered, one handed over; between them the queues are full.
    let full = output::WAITING_LINES + input::WAITING_LINES + 3;
    while taken.load(Ordering::SeqCst) < full {
        tokio::task::yield_now().await;
    }
    let get = Command::GetRun { run_id };
    let Reply::Run(run) = engine.execute(get).await.unwrap() else {
        panic!("another reply");
    };
    assert_eq!(run.status, RunStatus::Running, "nothing is held up");
    drop(engine);
    ask.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), running).await;
    ended.expect("it never ended").unwrap().unwrap();
    assert_eq!(
        taken.load(Ordering::SeqCst),
        full,
        "no more was taken than could be answered"
    );
    drop(release);
    let host = Host::start(&options).unwrap();
    assert_eq!(
        host.recovered.interrupted, 0,
        "it was interrupted before the end"
    );
    host.close().await.unwrap();
}
