//! The process itself: in a group of its own, ended with us, and heard only where it fails.
#![expect(
    clippy::disallowed_methods,
    reason = "the door to the one kind of process that the app starts"
)]

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::environment;
use super::program;

/// Where it listens if nobody else does: a provider of it stays right over restarts.
const PORT: u16 = 11_711;
/// It is asked to end, and has so long.
const GRACE: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// What is kept of its words.
const LINES: usize = 6;
const LINE_BYTES: u64 = 2_000;
const LINE_CHARS: usize = 200;
/// It tells the system to end what it becomes once whoever started it has ended.
const GUARD: &str = "setpriv";

/// A running server.
#[derive(Debug)]
pub(super) struct Child {
    child: std::process::Child,
    pub(super) port: u16,
    last_words: Arc<Mutex<VecDeque<String>>>,
}

impl Child {
    /// Starts to serve a file, on this computer alone.
    pub(super) fn start(path: &Path, name: &str, programs: &OsStr, mark: &str) -> io::Result<Self> {
        let server = program::find(program::SERVER, programs)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no llama-server"))?;
        let port = free_port()?;
        let mut command = guarded(&server, programs);
        command
            .arg("--model")
            .arg(path)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--alias", name, "--jinja"])
            .env_clear()
            .envs(environment::of_child(programs, mark))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let last_words = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            listen(stderr, Arc::clone(&last_words));
        }
        Ok(Self {
            child,
            port,
            last_words,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended. It stays known until it is finished with, so its id is nobody else's.
    #[cfg(unix)]
    pub(super) fn has_ended(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid()
            .is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// The last that it said.
    pub(super) fn last_words(&self) -> String {
        let words = self
            .last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        words.iter().cloned().collect::<Vec<_>>().join(" / ")
    }

    /// Asked to end, then made to.
    pub(super) fn end(mut self) {
        self.signal(Signal::Ask);
        let mut waited = Duration::ZERO;
        while waited < GRACE && !self.has_ended() {
            std::thread::sleep(LOOK_EVERY);
            waited += LOOK_EVERY;
        }
        self.finish();
    }

    /// Nothing of it is left. How it ended, in words.
    pub(super) fn finish(mut self) -> String {
        self.signal(Signal::Force);
        match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[cfg(unix)]
    fn pid(&self) -> Option<rustix::process::Pid> {
        let id = i32::try_from(self.child.id()).ok()?;
        rustix::process::Pid::from_raw(id)
    }

    /// To it and to whatever it started.
    #[cfg(unix)]
    fn signal(&mut self, signal: Signal) {
        let signal = match signal {
            Signal::Ask => rustix::process::Signal::TERM,
            Signal::Force => rustix::process::Signal::KILL,
        };
        let sent = self
            .pid()
            .map(|group| rustix::process::kill_process_group(group, signal));
        if let Some(Err(error)) = sent {
            tracing::debug!(name: "host.serving.no_signal", %error);
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, signal: Signal) {
        if signal == Signal::Force
            && let Err(error) = self.child.kill()
        {
            tracing::debug!(name: "host.serving.no_signal", %error);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Ask,
    Force,
}

/// The server, started through a guard where there is one: then it ends with us however we end.
fn guarded(server: &Path, programs: &OsStr) -> Command {
    let guard = program::find(GUARD, programs).filter(|_| cfg!(target_os = "linux"));
    match guard {
        Some(guard) => {
            let mut command = Command::new(guard);
            command.args(["--pdeathsig", "KILL", "--"]).arg(server);
            command
        }
        None => Command::new(server),
    }
}

fn free_port() -> io::Result<u16> {
    let at = |port: u16| TcpListener::bind(("127.0.0.1", port));
    let listener = at(PORT).or_else(|_| at(0))?;
    Ok(listener.local_addr()?.port())
}

/// Reads all that it says, so that it never has to wait, and keeps the end of it. It is in no log: a
/// server may be told to write down what people say to it.
fn listen(stderr: impl Read + Send + 'static, words: Arc<Mutex<VecDeque<String>>>) {
    let listen = move || {
        let mut reader = BufReader::new(stderr);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader
                .by_ref()
                .take(LINE_BYTES)
                .read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) {
                return;
            }
            let text = String::from_utf8_lossy(&line);
            let text: String = text.trim().chars().take(LINE_CHARS).collect();
            if !text.is_empty() {
                let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
                words.push_back(text);
                if words.len() > LINES {
                    words.pop_front();
                }
            }
        }
    };
    let started = std::thread::Builder::new()
        .name("served-model-words".to_owned())
        .spawn(listen);
    if let Err(error) = started {
        tracing::error!(name: "host.serving.no_thread", %error);
    }
}
