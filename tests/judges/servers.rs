//! The judges that are servers: each test has its own, on a port of its own.

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::{Process, command};

/// A server of a big language starts in a second or two; a machine under load takes its time.
const STARTS: u32 = 1_200;
const PAUSE: Duration = Duration::from_millis(50);

/// A judge that listens.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) port: u16,
    _process: Process,
}

impl Server {
    /// Starts a program that is told its port, and waits until it listens.
    pub(crate) fn start(build: impl Fn(u16) -> Result<Command>) -> Result<Self> {
        // A port that was free a moment ago may be taken: then the next one is tried.
        for _ in 0..3 {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            let mut process = Process::start(
                build(port)?
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null()),
            )?;
            if listens(&mut process, port)? {
                let _process = process;
                return Ok(Self { port, _process });
            }
        }
        bail!("the server ended by itself, three times")
    }

    /// An address on it.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn listens(process: &mut Process, port: u16) -> Result<bool> {
    for _ in 0..STARTS {
        if process.ended()?.is_some() {
            return Ok(false);
        }
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Ok(true);
        }
        std::thread::sleep(PAUSE);
    }
    bail!("the server does not listen on {port}")
}

/// The Python that has the judges in it.
pub(crate) fn python() -> Result<Command> {
    let mut python = command(told("HOLDFAST_JUDGES_PYTHON")?);
    // No compiled files beside the sources.
    python.arg("-B");
    Ok(python)
}

/// A Node that is new enough.
pub(crate) fn node() -> Result<Command> {
    Ok(command(told("HOLDFAST_JUDGES_NODE")?))
}

/// Where they are installed.
pub(crate) fn installed() -> Result<PathBuf> {
    Ok(told("HOLDFAST_JUDGES")?.into())
}

/// A script of ours.
pub(crate) fn script(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.join("judges/scripts").join(name)
}

fn told(variable: &str) -> Result<OsString> {
    std::env::var_os(variable)
        .with_context(|| format!("no {variable}: run `cargo xtask test judges`, which sets it"))
}
