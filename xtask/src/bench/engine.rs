//! `cargo xtask bench engine`: what durable steps cost, ours and the peers', side by side on one disk.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use self::contender::{Contender, Row};
use crate::process::{Process, Show, find_program};
use crate::repository::{Profile, Repository};
use crate::setup::{self, Need};
use crate::{folder, screen};

mod alone;
mod contender;
mod peers;
mod table;

/// Sessions that run at once, and steps of each: enough that what happens once does not count.
const SESSIONS: [(u32, u32); 3] = [(1, 400), (4, 200), (16, 100)];

#[derive(clap::Args, Clone, Copy)]
pub(crate) struct Arguments {
    /// How often everything is measured; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Measure Holdfast alone
    #[arg(long)]
    alone: bool,
}

pub(crate) fn run(repository: &Repository, arguments: Arguments) -> Result<()> {
    screen::heading("build", "the engine and what drives it, optimised");
    repository
        .cargo()
        .args(["build", "--release", "--package", "holdfast-benches"])
        .run(Show::OnFailure)?;
    let bench = Bench {
        repository,
        folder: repository.target.join("bench/engine"),
        binary: repository
            .target
            .join(Profile::Release.folder())
            .join(format!("holdfast-benches{}", std::env::consts::EXE_SUFFIX)),
    };
    let mut contenders = vec![bench.ours()];
    if !arguments.alone {
        screen::heading("peers", "installed once into target/, then used from there");
        // Without one of them something is left out, and said.
        if let Err(error) = setup::install_packages(repository, &[Need::Peers]) {
            screen::say(format!("   {error:#}"));
        }
        contenders.extend(peers::install(repository)?);
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let rows = bench.steps(&contenders, arguments.rounds)?;
    let alone = alone::measure(&bench, arguments.rounds)?;
    screen::say("");
    screen::raw(&table::comparison(
        &rows,
        &SESSIONS.map(|(sessions, _)| sessions),
    ));
    screen::say("");
    screen::raw(&alone.table());
    let note = format!(
        "{} cores, load at the start {}, median of {} rounds",
        std::thread::available_parallelism().map_or(0, usize::from),
        load.split(' ').take(3).collect::<Vec<_>>().join(" "),
        arguments.rounds
    );
    screen::say(format!("\n{note}"));
    let raw = json!({
        "note": note,
        "steps": rows.iter().map(Row::raw).collect::<Vec<_>>(),
        "alone": alone.raw(),
    });
    let report = repository.target.join("bench/engine.json");
    std::fs::write(&report, format!("{raw:#}\n"))?;
    screen::say(format!("Raw numbers: {}", report.display()));
    Ok(())
}

/// Where measurements are made.
struct Bench<'a> {
    repository: &'a Repository,
    /// Emptied before each of them.
    folder: PathBuf,
    binary: PathBuf,
}

impl Bench<'_> {
    fn ours(&self) -> Contender {
        Contender {
            name: "Holdfast",
            is_safe: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.ours_with(&["steps"]),
        }
    }

    fn ours_with(&self, arguments: &[&str]) -> Process {
        self.repository
            .process(&self.binary.to_string_lossy())
            .arg("--folder")
            .arg(&self.folder)
            .args(arguments)
    }

    /// In turn, so that whatever else this machine does meets all of them.
    fn steps(&self, contenders: &[Contender], rounds: u32) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (sessions, steps) in SESSIONS {
            screen::heading(
                &format!("{sessions} at once"),
                &format!("{steps} durable steps each, everyone in turn, {rounds} rounds"),
            );
            let mut measured: Vec<Row> = contenders
                .iter()
                .map(|contender| Row::new(contender, sessions))
                .collect();
            for round in 1..=rounds {
                for (contender, row) in contenders.iter().zip(&mut measured) {
                    match self.once(&contender.with(sessions, steps)) {
                        Ok(line) => row.add(&line),
                        Err(error) => say_failed(contender, &error),
                    }
                }
                screen::say(format!("   round {round} of {rounds} done"));
            }
            for (contender, row) in contenders.iter().zip(&mut measured) {
                match self.fsyncs_per_step(contender, sessions, steps) {
                    Ok(fsyncs) => row.fsyncs_per_step = fsyncs,
                    Err(error) => say_failed(contender, &error),
                }
                screen::say(format!("   {}", row.line()));
            }
            rows.extend(measured);
        }
        Ok(rows)
    }

    fn empty_folder(&self) -> Result<()> {
        folder::remove(&self.folder)?;
        std::fs::create_dir_all(&self.folder)?;
        Ok(())
    }

    /// One measurement in an empty folder: the last line of what it prints.
    fn once(&self, process: &Process) -> Result<Value> {
        self.empty_folder()?;
        last_line(process)
    }

    /// What twice the steps take more: making and closing a database is no step. In rounds of their own,
    /// because whoever is traced is slow.
    fn fsyncs_per_step(
        &self,
        contender: &Contender,
        sessions: u32,
        steps: u32,
    ) -> Result<Option<f64>> {
        if find_program("strace").is_none() {
            return Ok(None);
        }
        let half = self.count_fsyncs(&contender.with(sessions, steps / 2))?;
        let whole = self.count_fsyncs(&contender.with(sessions, steps))?;
        let more = f64::from(sessions * (steps - steps / 2));
        Ok(Some((f64::from(whole) - f64::from(half)) / more))
    }

    fn count_fsyncs(&self, process: &Process) -> Result<u32> {
        self.empty_folder()?;
        let counts = self.repository.target.join("bench/fsyncs.txt");
        let path = counts.to_string_lossy();
        let traced = process.clone().behind(
            "strace",
            &[
                "-f",
                "-c",
                "-qq",
                "-e",
                "trace=fsync,fdatasync",
                "-o",
                &path,
            ],
        );
        last_line(&traced)?;
        let report = std::fs::read_to_string(&counts).context("strace wrote nothing")?;
        Ok(contender::count_calls(&report))
    }
}

fn last_line(process: &Process) -> Result<Value> {
    let printed = process.stdout()?;
    let line = printed.lines().last().unwrap_or_default();
    serde_json::from_str(line).with_context(|| format!("`{}` printed `{line}`", process.text()))
}

fn say_failed(contender: &Contender, error: &anyhow::Error) {
    screen::say(format!("   {} did not run: {error:#}", contender.name));
}
