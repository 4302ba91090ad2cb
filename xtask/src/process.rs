//! The one door through which xtask starts other programs.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the door: every command that xtask runs is built and watched here"
)]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::channel;

use anyhow::{Context, Result, bail};

use crate::screen;

mod watch;

/// What a command's output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// Kept, and printed only when the command fails.
    OnFailure,
    /// Printed as it comes, except cargo's progress, which is shown as progress.
    Results,
}

/// A command: program, arguments, environment and folder.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: PathBuf,
}

impl Process {
    pub(crate) fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: folder.to_owned(),
        }
    }

    /// The cargo that runs us, so that the toolchain stays the same.
    pub(crate) fn cargo(folder: &Path) -> Self {
        Self::new(
            std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            folder,
        )
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// The same command, started by another program (`sudo`, `xvfb-run`) in front.
    pub(crate) fn behind(mut self, program: &str, arguments: &[&str]) -> Self {
        let mut all: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        all.push(std::mem::replace(&mut self.program, program.into()));
        all.append(&mut self.arguments);
        self.arguments = all;
        self
    }

    /// The command as a person would type it.
    pub(crate) fn text(&self) -> String {
        let name = Path::new(&self.program)
            .file_name()
            .unwrap_or(&self.program);
        let mut text = name.to_string_lossy().into_owned();
        for argument in &self.arguments {
            let argument = argument.to_string_lossy();
            if argument.is_empty() || argument.contains([' ', '"', '$', '*']) {
                text.push_str(&format!(" '{argument}'"));
            } else {
                text.push_str(&format!(" {argument}"));
            }
        }
        text
    }

    /// Runs a quick command silently and returns what it wrote.
    pub(crate) fn output(&self) -> Result<Output> {
        self.command()
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("could not start `{}`", self.text()))
    }

    /// Standard output of a quick command that must succeed.
    pub(crate) fn stdout(&self) -> Result<String> {
        let output = self.output()?;
        if !output.status.success() {
            bail!(
                "`{}`: {}",
                self.text(),
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs a command with the terminal as its own, for instance to ask for a password.
    pub(crate) fn attached(&self) -> Result<()> {
        let status = self
            .command()
            .status()
            .with_context(|| format!("could not start `{}`", self.text()))?;
        self.check(status)
    }

    /// Runs a long command with live progress.
    pub(crate) fn run(&self, show: Show) -> Result<()> {
        let mut process = self.clone();
        if screen::is_live() {
            process = process.env("CARGO_TERM_COLOR", "always");
        }
        let mut child = process.start(Stdio::piped(), Stdio::piped())?;
        let (sender, lines) = channel();
        watch::follow(child.stdout.take(), sender.clone());
        watch::follow(child.stderr.take(), sender);
        let mut kept = String::new();
        let status = watch::watch(&mut child, &lines, show, &mut kept)?;
        if !status.success() {
            screen::raw(&kept);
        }
        self.check(status)
    }

    /// Starts a command that the caller ends by its own child id; what it writes is dropped.
    pub(crate) fn start_silent(&self) -> Result<Child> {
        self.start(Stdio::null(), Stdio::null())
    }

    /// Becomes the command; returns only if that fails (or, where a process
    /// cannot be replaced, with the command's end).
    #[cfg(unix)]
    pub(crate) fn become_it(&self) -> Result<()> {
        use std::os::unix::process::CommandExt;
        Err(self.command().exec()).with_context(|| format!("could not start `{}`", self.text()))
    }

    #[cfg(not(unix))]
    pub(crate) fn become_it(&self) -> Result<()> {
        self.attached()
    }

    fn start(&self, output: Stdio, errors: Stdio) -> Result<Child> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        command
            .spawn()
            .with_context(|| format!("could not start `{}`", self.text()))
    }

    fn check(&self, status: ExitStatus) -> Result<()> {
        if status.success() {
            return Ok(());
        }
        match status.code() {
            Some(code) => bail!("`{}` ended with exit code {code}", self.text()),
            None => bail!("`{}` was ended by a signal", self.text()),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        // Cargo describes *this* package to us; what we start must not take it for its own.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Where a program lies on PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_as_it_would_be_typed() {
        let process = Process::new("/usr/bin/cargo", Path::new(".")).args(["test", "-p", "a b"]);
        assert_eq!(process.text(), "cargo test -p 'a b'");
        let process = process.behind("xvfb-run", &["-a"]);
        assert_eq!(process.text(), "xvfb-run -a /usr/bin/cargo test -p 'a b'");
    }

    #[test]
    fn a_failing_command_names_itself_and_its_code() {
        let error = Process::new("sh", Path::new("."))
            .args(["-c", "exit 3"])
            .attached();
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err("`sh -c 'exit 3'` ended with exit code 3".to_owned())
        );
    }
}
