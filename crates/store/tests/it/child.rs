//! This binary once more, in a process of its own: what it does there is chosen by a variable, and
//! without it the test that is its entry does nothing.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of these tests where processes are started; each is ended on drop"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

const TASK: &str = "HOLDFAST_STORE_CHILD";
const FOLDER: &str = "HOLDFAST_STORE_FOLDER";

/// A process that is being started holds, for as long as that takes, every file of this one, the
/// locks of other tests included. Whoever opens a folder waits until no process is being started.
static STARTING: RwLock<()> = RwLock::new(());

/// Keeps processes from being started for as long as it is held.
pub(crate) fn none_is_starting() -> RwLockReadGuard<'static, ()> {
    STARTING.read().unwrap_or_else(PoisonError::into_inner)
}

/// What a child does, on a data folder.
type Task = (&'static str, fn(&Path));

const TASKS: [Task; 6] = [
    ("audit_for_ever", crate::audit_head::audit_for_ever),
    ("write_for_ever", crate::killed::write_for_ever),
    ("call_for_ever", crate::killed_call::call_for_ever),
    ("restore_for_ever", crate::restore::restore_for_ever),
    ("hold", crate::one_process::hold),
    ("leave_every_file", crate::privacy::leave_every_file),
];

/// The entry of a child; not a test of anything by itself.
#[test]
fn entry() {
    let Ok(wanted) = std::env::var(TASK) else {
        return;
    };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let (_, task) = TASKS.iter().find(|(name, _)| *name == wanted).unwrap();
    task(&folder);
}

/// Tells the parent something. Lines of the test runner itself do not begin like this.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n> {text}").unwrap();
    out.flush().unwrap();
}

/// Blocks until this process is ended.
pub(crate) fn wait_for_the_end() {
    loop {
        std::thread::park();
    }
}

/// A child at work, ended at the latest when this is dropped.
pub(crate) struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a child. Whatever it creates is for everybody unless it says otherwise.
    pub(crate) fn start(task: &str, folder: &Path) -> Self {
        let starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        let mut child = Command::new("/bin/sh")
            .args(["-c", "umask 000; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "child::entry", "--nocapture"])
            .env(TASK, task)
            .env(FOLDER, folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        drop(starting);
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next thing that the child says, or nothing once it ended.
    pub(crate) fn heard(&mut self) -> Option<String> {
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
                return Some(said.to_owned());
            }
        }
    }

    /// Ends the child as a crash would, and gives what it had said until then.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.heard()).collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, or have been ended by `kill`.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
