//! The one door to processes in tests: each has a group of its own and ends with its owner.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door that the lint guards"
)]

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command, ExitStatus};

/// A command that will start in a process group of its own.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    command
}

/// A running process and everything that it started.
#[derive(Debug)]
pub struct Process {
    child: Child,
    is_over: bool,
}

impl Process {
    /// Starts it.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        Ok(Self {
            child: command.spawn()?,
            is_over: false,
        })
    }

    /// Its process id, which is its group's as well.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Ends it and everything that it started, at once: `kill -9`.
    pub fn kill(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        kill_with("-KILL", &format!("-{}", self.child.id()));
        // Reaped, so that its files are closed when this returns.
        drop(self.child.wait());
    }

    /// Ends the process itself at once, without the detour over another program: for one that starts
    /// no others.
    pub fn kill_alone(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.is_over = true;
        Ok(())
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.is_over |= status.is_some();
        Ok(status)
    }

    /// Holds it where it is, `kill -STOP`; none of its threads does anything when this returns.
    pub fn hold(&self) {
        let id = self.child.id();
        kill_with("-STOP", &id.to_string());
        // The signal is sent, which is not yet to say that everyone has heard it.
        while has_thread_at_work(id) {
            std::thread::yield_now();
        }
    }

    /// Lets it go on: `kill -CONT`.
    pub fn go_on(&self) {
        kill_with("-CONT", &self.child.id().to_string());
    }

    /// Waits for it to end by itself; true if it did so well.
    pub fn wait(&mut self) -> io::Result<bool> {
        let status = self.child.wait()?;
        self.is_over = true;
        Ok(status.success())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ends a process that a child of ours started: `kill -9`, by its id.
pub fn kill_process(pid: u32) {
    kill_with("-KILL", &pid.to_string());
}

/// Asks a process to end: `kill -TERM`, by its id.
pub fn ask_process_to_end(pid: u32) {
    kill_with("-TERM", &pid.to_string());
}

/// Whether a process of this id is there and not just waiting to be reaped. The first of its threads
/// may be over while another is still in a call to the system: files are open until that one is too.
pub fn is_running(pid: u32) -> bool {
    states(pid).any(|state| !matches!(state, 'Z' | 'X'))
}

/// Whether a thread of the process is neither held nor at its end.
fn has_thread_at_work(pid: u32) -> bool {
    states(pid).any(|state| !matches!(state, 'T' | 't' | 'Z' | 'X'))
}

/// How each thread of a process stands.
fn states(pid: u32) -> impl Iterator<Item = char> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten();
    let stats = threads.filter_map(|thread| {
        let stat = thread.ok()?.path().join("stat");
        std::fs::read_to_string(stat).ok()
    });
    stats.filter_map(|stat| stat.rsplit(')').next()?.trim_start().chars().next())
}

fn kill_with(signal: &str, target: &str) {
    // The standard library cannot signal a group.
    let killed = Command::new("kill").args([signal, "--", target]).status();
    assert!(killed.is_ok(), "kill is missing on this machine");
}
