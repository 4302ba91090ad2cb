//! What is measured with: the clock, the process's own counters, and percentiles.
#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the real clock"
)]

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Ticks of `/proc/self/stat` in a second: fixed by Linux's interface to programs.
const TICKS: f64 = 100.0;

/// Wall time and processor time since it was started.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    cpu_s: f64,
}

impl Watch {
    pub(crate) fn start() -> Result<Self> {
        Ok(Self {
            cpu_s: cpu_s()?,
            started: Instant::now(),
        })
    }

    /// Seconds on the wall, and seconds of processor time of all threads.
    pub(crate) fn stop(&self) -> Result<(f64, f64)> {
        let wall_s = self.started.elapsed().as_secs_f64();
        Ok((wall_s, cpu_s()? - self.cpu_s))
    }
}

/// How long something takes.
pub(crate) async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let started = Instant::now();
    let result = work.await;
    (result, started.elapsed())
}

/// User and system time of this process, in seconds.
fn cpu_s() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("no /proc here")?;
    // The name of the program stands in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(')').context("an odd /proc/self/stat")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |index: usize| -> Result<f64> {
        let text = fields.get(index).context("a short /proc/self/stat")?;
        Ok(text.parse()?)
    };
    Ok((ticks(11)? + ticks(12)?) / TICKS)
}

/// Resident memory of this process, in kilobytes.
pub(crate) fn resident_kb() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("no /proc here")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("no resident size")?;
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse()?)
}

/// The steps of one session: from a result that is handed over to the beginning of the next step lies
/// exactly what durability costs.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    handed_over: Option<Instant>,
    waits: Vec<(Next, Duration)>,
}

/// Which step begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    ModelCall,
    ToolCall,
}

impl Lane {
    /// A step begins.
    pub(crate) fn begin(&self, next: Next) {
        let mut seen = self.lock();
        if let Some(since) = seen.handed_over.take() {
            seen.waits.push((next, since.elapsed()));
        }
    }

    /// A step has its result.
    pub(crate) fn hand_over(&self) {
        self.lock().handed_over = Some(Instant::now());
    }

    /// How long the next step had to wait, each time.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.lock().waits.iter().map(|(_, wait)| *wait).collect()
    }

    /// The same for one kind of step.
    pub(crate) fn waits_for(&self, next: Next) -> Vec<Duration> {
        let seen = self.lock();
        let fitting = seen.waits.iter().filter(|(kind, _)| *kind == next);
        fitting.map(|(_, wait)| *wait).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time that this part of the waits, in hundredths, does not exceed, in microseconds.
pub(crate) fn percentile_us(waits: &mut [Duration], percent: usize) -> u64 {
    waits.sort_unstable();
    let index = (waits.len() * percent / 100).min(waits.len().saturating_sub(1));
    let wait = waits.get(index).copied().unwrap_or_default();
    u64::try_from(wait.as_micros()).unwrap_or(u64::MAX)
}
