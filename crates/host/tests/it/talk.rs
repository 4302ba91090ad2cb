//! A headless process inside this one: lines in, lines out.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};

use host::Host;
use host::headless::{self, AtEnd};
use protocol::CommandError;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::fixture::soon;

/// Both ends of it.
pub(crate) struct Talk {
    input: Option<PipeWriter>,
    output: Output,
    running: JoinHandle<Result<(), CommandError>>,
    ask_to_end: Option<oneshot::Sender<()>>,
    /// What came unasked while an answer was waited for.
    pub(crate) pushes: VecDeque<Value>,
    last_id: u64,
}

enum Output {
    Read(mpsc::UnboundedReceiver<Value>),
    /// Nobody reads, and nobody goes away.
    Unread(PipeReader),
    Gone,
}

impl Talk {
    /// One whose output is read.
    pub(crate) fn start(host: Host, at_end: AtEnd) -> Self {
        let mut talk = Self::start_unread(host, at_end);
        let Output::Unread(reader) = std::mem::replace(&mut talk.output, Output::Gone) else {
            unreachable!("it was made so");
        };
        let (sender, receiver) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines() {
                let line = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        talk.output = Output::Read(receiver);
        talk
    }

    /// One whose output nobody reads.
    pub(crate) fn start_unread(host: Host, at_end: AtEnd) -> Self {
        let (input_reader, input) = std::io::pipe().unwrap();
        let (output, output_writer) = std::io::pipe().unwrap();
        let (ask_to_end, asked) = oneshot::channel::<()>();
        let asked = async {
            // Only the word counts: whoever forgets to ask has not asked.
            if asked.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let input_reader = BufReader::new(input_reader);
        let run = headless::run_until(host, input_reader, output_writer, at_end, asked);
        Self {
            input: Some(input),
            output: Output::Unread(output),
            running: tokio::spawn(run),
            ask_to_end: Some(ask_to_end),
            pushes: VecDeque::new(),
            last_id: 0,
        }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn ask(&mut self, command: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let line = format!("{}\n", json!({ "id": id, "command": command }));
        self.send(line.as_bytes());
        loop {
            let line = self.line().await.expect("the output ended");
            if line["id"] == id {
                return line;
            }
            self.pushes.push_back(line);
        }
    }

    /// The next thing that came unasked.
    pub(crate) async fn push(&mut self) -> Value {
        match self.pushes.pop_front() {
            Some(push) => push,
            None => self.line().await.expect("the output ended"),
        }
    }

    /// Waits for an event of this kind.
    pub(crate) async fn event(&mut self, kind: &str) -> Value {
        loop {
            let push = self.push().await;
            if push["event"]["type"] == kind {
                return push["event"].clone();
            }
        }
    }

    /// The next line; nothing once the output has ended.
    pub(crate) async fn line(&mut self) -> Option<Value> {
        match &mut self.output {
            Output::Read(lines) => soon(lines.recv()).await,
            Output::Unread(_) | Output::Gone => panic!("nobody reads"),
        }
    }

    /// Ends the input.
    pub(crate) fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// As a signal would.
    pub(crate) fn ask_to_end(&mut self) {
        self.ask_to_end.take().unwrap().send(()).unwrap();
    }

    /// Whoever read the output goes away.
    pub(crate) fn leave(&mut self) {
        self.output = Output::Gone;
    }

    /// Waits for the end, and returns the lines that were not read before it.
    pub(crate) async fn ended(mut self) -> Vec<Value> {
        soon(&mut self.running).await.unwrap().unwrap();
        let mut rest: Vec<Value> = self.pushes.drain(..).collect();
        if let Output::Read(_) = self.output {
            while let Some(line) = self.line().await {
                rest.push(line);
            }
        }
        rest
    }
}
