//! Stages: each shows a heading, its progress and its time; at the end there is a table.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::repository::Repository;
use crate::screen::{self, Stopwatch};

/// What a stage's work is given.
pub(crate) type Work<'a> = Box<dyn Fn(&Repository) -> Result<()> + 'a>;

/// One named piece of work.
pub(crate) struct Stage<'a> {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What to do when it fails.
    pub(crate) advice: &'static str,
    pub(crate) work: Work<'a>,
}

/// Whether later stages run after one has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterFailure {
    Stop,
    GoOn,
}

/// Runs the stages in order and prints the table of their times.
pub(crate) fn run_all(
    repository: &Repository,
    stages: &[Stage<'_>],
    after_failure: AfterFailure,
) -> Result<()> {
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for stage in stages {
        if after_failure == AfterFailure::Stop && !failed.is_empty() {
            rows.push((stage.name.to_owned(), "not run".to_owned(), Duration::ZERO));
            continue;
        }
        screen::heading(stage.name, stage.about);
        let watch = Stopwatch::start();
        let result = (stage.work)(repository);
        let took = watch.elapsed();
        let note = match result {
            Ok(()) => {
                screen::say(format!("   ok, {:.1} s", took.as_secs_f64()));
                "ok"
            }
            Err(error) => {
                screen::say(format!(
                    "   FAILED after {:.1} s: {error:#}",
                    took.as_secs_f64()
                ));
                screen::say(format!("   What to do: {}", stage.advice));
                failed.push(stage.name);
                "FAILED"
            }
        };
        rows.push((stage.name.to_owned(), note.to_owned(), took));
    }
    screen::say("\n== stages");
    screen::raw(&screen::time_table(&rows));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}
