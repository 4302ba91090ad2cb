//! This binary once more, in a process of its own: without its variable, the test that is its entry
//! does nothing.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of these tests where processes are started; each is ended on drop"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const WORKSPACE: &str = "HOLDFAST_TOOLS_WORKSPACE";

/// The entry of a child; not a test of anything by itself.
#[test]
fn entry() {
    if let Some(workspace) = std::env::var_os(WORKSPACE) {
        crate::killed::write_for_ever(&PathBuf::from(workspace));
    }
}

/// Tells the parent a number. Lines of the test runner itself do not begin like this.
pub(crate) fn say(number: u32) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n> {number}").unwrap();
    out.flush().unwrap();
}

/// A child at work, ended at the latest when this is dropped.
pub(crate) struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    pub(crate) fn start(workspace: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::entry", "--nocapture"])
            .env(WORKSPACE, workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next number, or nothing once the child ended.
    pub(crate) fn heard(&mut self) -> Option<u32> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // A line that was cut off by the end was not said.
            let said = line
                .strip_prefix("> ")
                .and_then(|said| said.strip_suffix('\n'));
            if let Some(said) = said {
                return said.parse().ok();
            }
        }
    }

    /// Ends the child as a crash would, and gives the last number that it said after those heard.
    pub(crate) fn kill(mut self) -> Option<u32> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.heard()).last()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, or have been ended by `kill`.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
