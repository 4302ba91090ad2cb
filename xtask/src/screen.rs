//! The one place that prints, and the stopwatch that its progress lines need.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a task runner talks to the person at the terminal and measures its own stages"
)]

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a stage says that it is alive when there is no terminal to draw on.
const PLAIN_EVERY: Duration = Duration::from_secs(30);
const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];

/// Time since it was started.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// One line that shows what a long step is doing: redrawn in place on a
/// terminal, repeated now and then elsewhere.
pub(crate) struct Progress {
    watch: Stopwatch,
    plain_said: Duration,
    drawn: Option<Duration>,
    frame: usize,
}

impl Progress {
    pub(crate) fn start() -> Self {
        Self {
            watch: Stopwatch::start(),
            plain_said: Duration::ZERO,
            drawn: None,
            frame: 0,
        }
    }

    /// Shows `latest` with the time spent so far; cheap to call often.
    pub(crate) fn tick(&mut self, latest: &str) {
        let elapsed = self.watch.elapsed();
        if !is_live() {
            if elapsed >= self.plain_said + PLAIN_EVERY {
                self.plain_said = elapsed;
                say(format!("   … {} s  {}", elapsed.as_secs(), latest.trim()));
            }
            return;
        }
        if self
            .drawn
            .is_some_and(|at| elapsed < at + Duration::from_millis(100))
        {
            return;
        }
        self.drawn = Some(elapsed);
        self.frame = (self.frame + 1) % FRAMES.len();
        let frame = FRAMES.get(self.frame).copied().unwrap_or(" ");
        let line = format!("   {frame} {} s  {}", elapsed.as_secs(), latest.trim());
        print!("\r\x1b[2K{}", clip(&line, columns()));
        flush();
    }

    /// Takes the line away, so that something lasting can be printed.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            print!("\r\x1b[2K");
            flush();
        }
    }
}

/// Prints one lasting line.
pub(crate) fn say(line: impl Display) {
    println!("{line}");
}

/// Prints text as it is, for instance what a failed command wrote.
pub(crate) fn raw(text: &str) {
    print!("{text}");
    if !text.ends_with('\n') {
        println!();
    }
    flush();
}

/// Opens a stage.
pub(crate) fn heading(name: &str, about: &str) {
    println!("\n== {name}: {about}");
    flush();
}

/// Whether a person is watching: progress may be drawn and redrawn.
pub(crate) fn is_live() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("CI").is_none()
}

/// `name  note  seconds`, in aligned columns with a sum at the end.
pub(crate) fn time_table(rows: &[(String, String, Duration)]) -> String {
    let width = rows.iter().map(|row| row.0.len()).max().unwrap_or(0).max(5);
    let note_width = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut sum = Duration::ZERO;
    for (name, note, took) in rows {
        sum += *took;
        text.push_str(&format!(
            "   {name:<width$}  {note:<note_width$}  {:>7.1} s\n",
            took.as_secs_f64()
        ));
    }
    text.push_str(&format!(
        "   {:<width$}  {:<note_width$}  {:>7.1} s\n",
        "total",
        "",
        sum.as_secs_f64()
    ));
    text
}

/// A line without the escapes that colour it on a terminal.
pub(crate) fn without_colours(line: &str) -> String {
    let mut plain = String::new();
    let mut in_escape = false;
    for character in line.chars() {
        match character {
            '\u{1b}' => in_escape = true,
            letter if in_escape => in_escape = !letter.is_ascii_alphabetic(),
            letter => plain.push(letter),
        }
    }
    plain
}

fn clip(line: &str, columns: usize) -> String {
    line.chars().take(columns.saturating_sub(1)).collect()
}

fn columns() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(80)
}

/// Printing to a closed pipe is no reason to fail a build.
fn flush() {
    if std::io::stdout().flush().is_err() {
        std::process::exit(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_aligns_names_and_sums_seconds() {
        let rows = [
            (
                "format".to_owned(),
                "ok".to_owned(),
                Duration::from_millis(1_200),
            ),
            (
                "clippy-wasm".to_owned(),
                "failed".to_owned(),
                Duration::from_millis(40_350),
            ),
        ];
        assert_eq!(
            time_table(&rows),
            "   format       ok          1.2 s\n   clippy-wasm  failed     40.4 s\n   total                   41.5 s\n"
        );
    }

    #[test]
    fn colours_are_taken_off() {
        assert_eq!(
            without_colours("\u{1b}[1m\u{1b}[92m   Compiling\u{1b}[0m serde"),
            "   Compiling serde"
        );
    }

    #[test]
    fn long_lines_are_clipped_to_the_terminal() {
        assert_eq!(clip("Compiling leptos", 10), "Compiling");
    }
}
