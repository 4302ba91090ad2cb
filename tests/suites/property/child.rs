//! A life in a process of its own, which is killed. What it is asked for follows from the seed alone, so
//! that this process knows it without being told.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use testkit::{Dice, Process, command};

use super::lane::{Counts, Lane};
use super::{LANES, lanes, life};

/// The test below, by its name.
const ENTRY: &str = "suites::property::child::entry";
const SEED: &str = "HOLDFAST_PROPERTY_SEED";
const FOLDER: &str = "HOLDFAST_PROPERTY_FOLDER";
/// More than any child gets to.
const TRANSITIONS: usize = 2_000;

/// The entry of a child; not a test of anything by itself.
#[test]
fn entry() -> Result<()> {
    let (Ok(seed), Some(folder)) = (std::env::var(SEED), std::env::var_os(FOLDER)) else {
        return Ok(());
    };
    work(seed.parse()?, &PathBuf::from(folder))
}

fn work(seed: u64, folder: &Path) -> Result<()> {
    let store = life::open(folder)?;
    let mut lanes = lanes(seed);
    let mut out = std::io::stdout();
    for turn in 0..TRANSITIONS {
        let lane = &mut lanes[turn % LANES];
        let answer = store.apply(lane.next());
        ensure!(lane.hear(&answer)?, "closed by nobody");
        // On a line of its own: the test runner writes here too.
        writeln!(out, "\n> {turn}")?;
        out.flush()?;
    }
    Ok(())
}

/// Runs a child until it is killed, and checks what it left.
pub(super) fn live(
    seed: u64,
    folder: &Path,
    lanes: &mut [Lane],
    dice: &mut Dice,
    counts: &mut Counts,
) -> Result<()> {
    let mut child = Process::start(
        command(std::env::current_exe()?)
            .args(["--exact", ENTRY, "--nocapture"])
            .env(SEED, seed.to_string())
            .env(FOLDER, folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit()),
    )?;
    let output = child.child().stdout.take().context("no output")?;
    let mut lines = BufReader::new(output).lines();
    let mut acknowledged = 0;
    let wanted = 5 + dice.below(60);
    while acknowledged < wanted {
        let line = lines.next().context("the child ended by itself")??;
        acknowledged += u64::from(line.starts_with("> "));
    }
    std::thread::sleep(Duration::from_micros(dice.below(2_000)));
    child.kill();
    // What it had said before it died counts too; a line that was cut off does not.
    for line in lines {
        acknowledged += u64::from(line?.starts_with("> "));
    }
    counts.crashes += 1;
    // One more was perhaps on its way.
    let mut answered = vec![0; LANES];
    for turn in 0..=acknowledged as usize {
        drop(lanes[turn % LANES].next());
        if turn < acknowledged as usize {
            answered[turn % LANES] += 1;
        }
    }
    for (lane, answered) in lanes.iter_mut().zip(&answered) {
        lane.assume_answered(*answered);
    }
    life::check(folder, lanes, &answered, counts)
}
