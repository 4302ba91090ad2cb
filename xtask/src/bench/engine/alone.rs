//! What is measured of Holdfast alone: recovery, growth, streaming, memory.

use anyhow::Result;
use serde_json::{Value, json};

use super::contender::median;
use super::{Bench, last_line};
use crate::{folder, screen};

/// The sessions that a recovery and an idle engine meet.
const SESSIONS: &str = "1000";
const INTERRUPTED: &str = "50";
/// Events of the sessions whose growth is measured.
const EVENTS: [&str; 3] = ["10", "1000", "100000"];
/// Sessions that stream, and pieces of each.
const STREAMING: [&str; 2] = ["4", "20000"];
/// Runs that are going while memory is looked at.
const RUNNING: &str = "100";

/// The lines that were measured.
pub(super) struct Alone {
    recovery_ms: Vec<f64>,
    growth: Vec<Value>,
    deltas: Value,
    idle: Value,
    empty: Value,
}

pub(super) fn measure(bench: &Bench<'_>, rounds: u32) -> Result<Alone> {
    screen::heading("recovery", "1,000 sessions, 50 of them cut off");
    bench.once(&crash(bench))?;
    let left = bench.repository.target.join("bench/crashed");
    folder::remove(&left)?;
    copy(&bench.folder, &left)?;
    let mut recovery_ms = Vec::new();
    let mut idle = Value::Null;
    for _ in 0..rounds {
        bench.empty_folder()?;
        copy(&left, &bench.folder)?;
        let line = last_line(&bench.ours_with(&["recover"]))?;
        recovery_ms.push(line["milliseconds"].as_f64().unwrap_or(f64::NAN));
        idle = last_line(&bench.ours_with(&["memory", "--running", RUNNING]))?;
    }
    let empty = bench.once(&bench.ours_with(&["memory", "--running", "0"]))?;
    screen::heading("growth", "sessions with 10, 1,000 and 100,000 events");
    let growth: Result<Vec<Value>> = EVENTS
        .iter()
        .map(|events| bench.once(&bench.ours_with(&["growth", "--events", events])))
        .collect();
    screen::heading("streaming", "pieces that are committed");
    let [sessions, pieces] = STREAMING;
    let streaming = ["deltas", "--sessions", sessions, "--pieces", pieces];
    let deltas = bench.once(&bench.ours_with(&streaming))?;
    Ok(Alone {
        recovery_ms,
        growth: growth?,
        deltas,
        idle,
        empty,
    })
}

fn crash(bench: &Bench<'_>) -> crate::process::Process {
    bench.ours_with(&[
        "crash",
        "--sessions",
        SESSIONS,
        "--interrupted",
        INTERRUPTED,
    ])
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<()> {
    for file in folder::files(from)? {
        folder::copy(&file, &to.join(file.strip_prefix(from)?))?;
    }
    Ok(())
}

impl Alone {
    pub(super) fn table(&self) -> String {
        let number = |line: &Value, name: &str| line[name].as_f64().unwrap_or(f64::NAN);
        let mut text = String::from("| what | figure |\n|---|---:|\n");
        let mut row = |what: String, figure: String| {
            text.push_str(&format!("| {what} | {figure} |\n"));
        };
        row(
            "recovery, 1,000 sessions, 50 cut off".to_owned(),
            format!("{:.0} ms", median(&self.recovery_ms)),
        );
        for line in &self.growth {
            let ms = |name: &str| number(line, name) / 1_000.0;
            row(
                format!(
                    "session of {} events: an event more / opened / reply to tool / result to model",
                    line["events"]
                ),
                format!(
                    "{:.2} / {:.2} / {:.2} / {:.2} ms",
                    ms("append_us"),
                    ms("open_us"),
                    ms("reply_to_tool_us"),
                    ms("result_to_model_us")
                ),
            );
        }
        row(
            "streamed pieces committed, 4 sessions".to_owned(),
            format!(
                "{:.0} a second, {:.1} MB/s, {:.1} µs of processor time each",
                number(&self.deltas, "pieces_per_second"),
                number(&self.deltas, "bytes_per_second") / 1e6,
                number(&self.deltas, "cpu_microseconds_per_piece")
            ),
        );
        let idle_kb = number(&self.idle, "idle_kilobytes");
        row(
            "memory, engine idle with 1,000 sessions / with none".to_owned(),
            format!(
                "{:.0} MB / {:.0} MB",
                idle_kb / 1_000.0,
                number(&self.empty, "idle_kilobytes") / 1_000.0
            ),
        );
        row(
            "memory for each run that is going".to_owned(),
            format!(
                "{:.0} kB",
                number(&self.idle, "kilobytes_per_running_session")
            ),
        );
        text
    }

    pub(super) fn raw(&self) -> Value {
        json!({
            "recovery_ms": self.recovery_ms,
            "growth": self.growth,
            "deltas": self.deltas,
            "memory": self.idle,
            "memory_empty": self.empty,
        })
    }
}
