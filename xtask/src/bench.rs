//! `cargo xtask bench`: measures what a person waits for.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Subcommand;

use crate::repository::{Profile, Repository};
use crate::screen::{self, Stopwatch};
use crate::setup::{self, Need, Part};
use crate::stage::{self, AfterFailure, Stage};
use crate::ui_build::Shrink;
use crate::{folder, run, sizes, test};

mod engine;

const STARTS: usize = 7;
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// What durable steps cost, ours and the peers', side by side
    Engine(engine::Arguments),
    /// From starting the release build to a usable window, warm
    Start,
    /// The same, on the screen that is already there
    #[command(hide = true)]
    StartHere,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<()> {
    match arguments.what {
        What::Start => start(repository),
        What::StartHere => start_here(repository),
        What::Engine(arguments) => engine::run(repository, arguments),
    }
}

fn start(repository: &Repository) -> Result<()> {
    let setup = Stage {
        name: "setup",
        about: "what the measurement needs on this machine",
        advice: "install what is named above by hand, then run the same command again",
        work: Box::new(|repository| {
            setup::install_packages(repository, &[Need::Build, Need::Window])?;
            setup::install_parts(repository, &[Part::WasmTarget])
        }),
    };
    let stages = [
        setup,
        run::ui_stage(Shrink::No),
        run::app_stage(Profile::Release),
    ];
    stage::run_all(repository, &stages, AfterFailure::Stop)?;
    screen::heading(
        "start",
        "from the start of the release build to a usable window, warm",
    );
    let inside = repository
        .process(&repository.xtask.to_string_lossy())
        .args(["bench", "start-here"]);
    test::on_virtual_screen(inside).attached()?;
    screen::heading("sizes", "what is loaded");
    for line in sizes::report(repository)? {
        screen::say(line);
    }
    Ok(())
}

/// One start prepares the data folder and warms the caches; the others count.
fn start_here(repository: &Repository) -> Result<()> {
    let folder = repository.target.join("bench/start");
    folder::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    start_once(repository, &folder)?;
    let mut times_ms = Vec::new();
    for number in 1..=STARTS {
        let time_ms = start_once(repository, &folder)?;
        screen::say(format!("   {number} of {STARTS}: {time_ms} ms"));
        times_ms.push(time_ms);
    }
    screen::say(format!("   {}", summary(&mut times_ms)));
    Ok(())
}

/// Starts the app, waits until it reports that its sessions are shown, and ends it.
fn start_once(repository: &Repository, folder: &Path) -> Result<u64> {
    let report = folder.join("ready");
    if report.exists() {
        fs::remove_file(&report)?;
    }
    let mut app = repository
        .process(&repository.binary(Profile::Release).to_string_lossy())
        .arg("--data")
        .arg(folder.join("data"))
        .env("HOLDFAST_REPORT_READY", &report)
        .start_silent()?;
    let waited = wait_for(&mut app, &report);
    end(repository, &mut app)?;
    waited
}

fn wait_for(app: &mut Child, report: &Path) -> Result<u64> {
    let watch = Stopwatch::start();
    while watch.elapsed() < PATIENCE {
        if report.is_file() {
            // Time to finish writing what was just created.
            std::thread::sleep(Duration::from_millis(50));
            let text = fs::read_to_string(report)?;
            return text
                .trim()
                .parse()
                .with_context(|| format!("the app reported `{text}`"));
        }
        if let Some(status) = app.try_wait()? {
            bail!("the app ended before its window was usable ({status})");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    bail!("no usable window after {} s", PATIENCE.as_secs());
}

/// Asks first, so that the next start finds a data folder that was left in order.
fn end(repository: &Repository, app: &mut Child) -> Result<()> {
    let id = app.id().to_string();
    if cfg!(unix) {
        repository.process("kill").args(["-TERM", &id]).output()?;
        let watch = Stopwatch::start();
        while watch.elapsed() < Duration::from_secs(5) {
            if app.try_wait()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    app.kill().context("cannot end the app")?;
    app.wait()?;
    Ok(())
}

fn summary(times_ms: &mut [u64]) -> String {
    times_ms.sort_unstable();
    match (
        times_ms.first(),
        times_ms.get(times_ms.len() / 2),
        times_ms.last(),
    ) {
        (Some(least), Some(median), Some(most)) => {
            format!("median {median} ms, least {least} ms, most {most} ms")
        }
        _ => "nothing was measured".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        assert_eq!(
            summary(&mut [410, 390, 900, 400, 395]),
            "median 400 ms, least 390 ms, most 900 ms"
        );
        assert_eq!(summary(&mut []), "nothing was measured");
    }
}
