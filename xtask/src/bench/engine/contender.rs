//! Whoever is measured, and what was measured of it.

use serde_json::{Value, json};

use crate::process::Process;

/// One system with one setting.
pub(super) struct Contender {
    pub(super) name: &'static str,
    /// Whether a step is on disk before the next one begins.
    pub(super) is_safe: bool,
    pub(super) version: String,
    /// Prints its line of JSON when it is told how many sessions and steps.
    pub(super) command: Process,
}

impl Contender {
    pub(super) fn with(&self, sessions: u32, steps: u32) -> Process {
        let (sessions, steps) = (sessions.to_string(), steps.to_string());
        let command = self.command.clone();
        command.args(["--sessions", &sessions, "--steps", &steps])
    }
}

/// What was measured of one contender with so many sessions.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) is_safe: bool,
    pub(super) version: String,
    pub(super) sessions: u32,
    /// In the counting round.
    pub(super) fsyncs_per_step: Option<f64>,
    per_second: Vec<f64>,
    cpu_ms: Vec<f64>,
    p50_ms: Vec<f64>,
    p95_ms: Vec<f64>,
}

impl Row {
    pub(super) fn new(contender: &Contender, sessions: u32) -> Self {
        Self {
            name: contender.name,
            is_safe: contender.is_safe,
            version: contender.version.clone(),
            sessions,
            fsyncs_per_step: None,
            per_second: Vec::new(),
            cpu_ms: Vec::new(),
            p50_ms: Vec::new(),
            p95_ms: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, line: &Value) {
        let number = |name: &str| line[name].as_f64().unwrap_or(f64::NAN);
        self.per_second.push(number("steps") / number("seconds"));
        self.cpu_ms
            .push(number("cpu_seconds") * 1_000.0 / number("steps"));
        self.p50_ms.push(number("p50_us") / 1_000.0);
        self.p95_ms.push(number("p95_us") / 1_000.0);
    }

    pub(super) fn per_second(&self) -> f64 {
        median(&self.per_second)
    }

    pub(super) fn cpu_ms(&self) -> f64 {
        median(&self.cpu_ms)
    }

    pub(super) fn p50_ms(&self) -> f64 {
        median(&self.p50_ms)
    }

    pub(super) fn p95_ms(&self) -> f64 {
        median(&self.p95_ms)
    }

    pub(super) fn line(&self) -> String {
        format!(
            "{} ({}): {:.0} steps/s, {:.2} ms processor time a step",
            self.name,
            setting(self.is_safe),
            self.per_second(),
            self.cpu_ms()
        )
    }

    pub(super) fn raw(&self) -> Value {
        json!({
            "name": self.name,
            "setting": setting(self.is_safe),
            "version": self.version,
            "sessions": self.sessions,
            "steps_per_second": self.per_second,
            "cpu_ms_per_step": self.cpu_ms,
            "fsyncs_per_step": self.fsyncs_per_step,
            "p50_ms": self.p50_ms,
            "p95_ms": self.p95_ms,
        })
    }
}

pub(super) fn setting(is_safe: bool) -> &'static str {
    if is_safe { "safe" } else { "as shipped" }
}

/// The middle one; not a number if there is none.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The sum of the column `calls` in strace's summary.
pub(super) fn count_calls(report: &str) -> u32 {
    let is_call = |line: &&str| line.ends_with("fsync") || line.ends_with("fdatasync");
    let calls = |line: &str| line.split_whitespace().nth(3)?.parse::<u32>().ok();
    report.lines().filter(is_call).filter_map(calls).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_both_kinds_are_added() {
        let report = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 98.00    0.016889          92       182           fsync
  2.00    0.000889          92        20         1 fdatasync
------ ----------- ----------- --------- --------- ----------------
100.00    0.016889          92       202         1 total
";
        assert_eq!(count_calls(report), 202);
        assert_eq!(count_calls(""), 0);
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median(&[]).is_nan());
    }
}
