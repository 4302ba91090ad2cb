//! The real app in headless mode: commands in, and a record of every line that came out.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use anyhow::{Context, Result, anyhow, bail};
use protocol::{Command, CommandError, Push, Reply, RunId, SessionId};
use serde_json::{Value, json};

use crate::holdfast;
use crate::process::{Process, command};
use crate::recording::Recording;
use crate::wait::DEADLINE;

/// A running headless app.
#[derive(Debug)]
pub struct Headless {
    process: Process,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// Everything that was printed so far, as far as it was read.
    pub seen: Recording,
}

impl Headless {
    /// Starts it on a data folder with more arguments.
    pub fn start(data: &Path, arguments: &[&str]) -> Result<Self> {
        Self::start_program(&holdfast(), data, arguments, &[])
    }

    /// Starts another program that takes the same arguments, with more in its environment.
    pub fn start_program(
        program: &Path,
        data: &Path,
        arguments: &[&str],
        environment: &[(&str, &Path)],
    ) -> Result<Self> {
        let mut process = Process::start(
            command(program)
                .arg("headless")
                .arg("--data")
                .arg(data)
                .args(arguments)
                .envs(environment.iter().copied())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped()),
        )?;
        let input = process.child().stdin.take();
        let output = process
            .child()
            .stdout
            .take()
            .context("no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Only whole lines count as printed: a kill may cut the last one short.
            let mut reader = BufReader::new(output);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 0) && line.ends_with('\n') {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            process,
            input,
            lines,
            next_id: 1,
            seen: Recording::default(),
        })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a command and waits for its answer; pushes that come meanwhile are recorded.
    pub fn ask(&mut self, command: &Command) -> Result<Result<Reply, CommandError>> {
        let id = self.send(command)?;
        loop {
            let value = self.next_value()?;
            if value.get("id") == Some(&Value::String(id.clone())) {
                return answer(&value);
            }
        }
    }

    /// The same for a command that must succeed.
    pub fn must(&mut self, command: &Command) -> Result<Reply> {
        self.ask(command)?
            .map_err(|error| anyhow!("{command:?} failed: {error:?}"))
    }

    /// Sends a message in a session of its own and follows it from its first event.
    pub fn start_run(
        &mut self,
        text: &str,
        request_key: Option<&str>,
    ) -> Result<(SessionId, RunId)> {
        let reply = self.must(&Command::StartRun {
            session_id: None,
            text: text.to_owned(),
            request_key: request_key.map(str::to_owned),
        })?;
        let Reply::RunStarted {
            session_id, run_id, ..
        } = reply
        else {
            bail!("not started: {reply:?}")
        };
        self.must(&Command::Subscribe {
            session_id,
            after_seq: 0,
        })?;
        Ok((session_id, run_id))
    }

    /// Sends a command without waiting.
    pub fn send(&mut self, command: &Command) -> Result<String> {
        let id = format!("r{}", self.next_id);
        self.next_id += 1;
        self.send_line(&json!({ "id": id, "command": command }).to_string())?;
        Ok(id)
    }

    /// Sends a line as it is.
    pub fn send_line(&mut self, line: &str) -> Result<()> {
        let input = self.input.as_mut().context("the input is closed")?;
        writeln!(input, "{line}")?;
        Ok(input.flush()?)
    }

    /// The next line, whatever it is.
    pub fn next_value(&mut self) -> Result<Value> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => self.record(&line),
            Err(RecvTimeoutError::Timeout) => bail!("waited {DEADLINE:?} in vain for a line"),
            Err(RecvTimeoutError::Disconnected) => bail!("the app ended"),
        }
    }

    /// Reads until a push that is wanted.
    pub fn wait_for(&mut self, mut is_wanted: impl FnMut(&Push) -> bool) -> Result<Push> {
        loop {
            let value = self.next_value()?;
            if let Ok(push) = serde_json::from_value::<Push>(value)
                && is_wanted(&push)
            {
                return Ok(push);
            }
        }
    }

    /// Ends it at once, then records every line that it had printed before.
    pub fn kill(mut self) -> Result<Recording> {
        self.kill_in_place()
    }

    /// The same for one whose place is taken by another afterwards.
    pub fn kill_in_place(&mut self) -> Result<Recording> {
        self.process.kill();
        while let Ok(line) = self.lines.recv_timeout(DEADLINE) {
            self.record(&line)?;
        }
        Ok(std::mem::take(&mut self.seen))
    }

    /// Ends its input and waits until it has ended by itself.
    pub fn close(mut self) -> Result<Recording> {
        drop(self.input.take());
        while let Ok(line) = self.lines.recv_timeout(DEADLINE) {
            self.record(&line)?;
        }
        if !self.process.wait()? {
            bail!("the app ended with an error");
        }
        Ok(std::mem::take(&mut self.seen))
    }

    fn record(&mut self, line: &str) -> Result<Value> {
        let value: Value = serde_json::from_str(line).context("a printed line is not JSON")?;
        if let Ok(push) = serde_json::from_value::<Push>(value.clone()) {
            self.seen.add(push);
        }
        Ok(value)
    }
}

fn answer(value: &Value) -> Result<Result<Reply, CommandError>> {
    match (value.get("ok"), value.get("error")) {
        (Some(ok), None) => Ok(Ok(serde_json::from_value(ok.clone())?)),
        (None, Some(error)) => Ok(Err(serde_json::from_value(error.clone())?)),
        _ => bail!("neither ok nor error: {value}"),
    }
}
