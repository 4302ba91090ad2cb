//! Workers of the crash suites that are not waited for: they are killed, held, and raced.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use testkit::evidence::{Fact, facts_in};
use testkit::{DEADLINE, Process, command};

/// More than any of them gets to.
const ACTS: &str = "1000000";
/// The worker's own word for a folder that it could not open.
pub(super) const REFUSED: i32 = 3;

/// A process at work on the data of a home, ended at the latest when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) process: Process,
    facts: PathBuf,
    errors: PathBuf,
}

impl Worker {
    /// Starts one; its facts and what it complains of are in files of this name.
    pub(super) fn start(
        home: &Path,
        name: &str,
        seed: u64,
        mode: &str,
        environment: &[(&str, &str)],
    ) -> Result<Self> {
        let (facts, errors) = (
            home.join(format!("facts-{name}")),
            home.join(format!("errors-{name}")),
        );
        let acts = if mode.contains("work") { ACTS } else { "0" };
        let process = Process::start(
            command(env!("CARGO_BIN_EXE_holdfast-crash-worker"))
                .arg(home.join("data"))
                .arg(&facts)
                .args([&seed.to_string(), acts, "any", mode])
                .envs(environment.iter().copied())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(File::create(&errors)?),
        )?;
        Ok(Self {
            process,
            facts,
            errors,
        })
    }

    /// What it noted so far.
    pub(super) fn facts(&self) -> Result<Vec<Fact>> {
        Ok(facts_in(&self.facts)?)
    }

    /// What it complained of.
    pub(super) fn complaint(&self) -> Result<String> {
        Ok(std::fs::read_to_string(&self.errors)?)
    }

    /// Waits for it to end by itself.
    pub(super) fn end(&mut self) -> Result<ExitStatus> {
        let deadline = Deadline::new();
        loop {
            if let Some(status) = self.process.ended()? {
                return Ok(status);
            }
            deadline.pause("a worker to end")?;
        }
    }
}

/// A generous limit to waiting.
#[derive(Debug)]
pub(super) struct Deadline(Instant);

impl Deadline {
    pub(super) fn new() -> Self {
        Self(now())
    }

    /// Waits a moment, unless it has waited too long.
    pub(super) fn pause(&self, what: &str) -> Result<()> {
        ensure!(self.0.elapsed() < DEADLINE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(2));
        Ok(())
    }
}

/// The moment at which a suite begins.
#[expect(clippy::disallowed_methods, reason = "a suite says how long it took")]
pub(super) fn now() -> Instant {
    Instant::now()
}
