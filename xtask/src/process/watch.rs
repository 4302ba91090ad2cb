//! Follows a running command: its lines, its progress, its end.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::Result;

use crate::screen::{self, Progress};

use super::Show;

/// Sends each line of a pipe.
pub(super) fn follow(pipe: Option<impl Read + Send + 'static>, sender: Sender<String>) {
    let Some(pipe) = pipe else { return };
    std::thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|length| length > 0)
        {
            let text = String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
}

/// Shows a child's lines until it has ended. A grandchild that keeps the pipe
/// open must not hold us up, so the end of the child counts, not of the pipe.
pub(super) fn watch(
    child: &mut Child,
    lines: &Receiver<String>,
    show: Show,
    kept: &mut String,
) -> Result<ExitStatus> {
    let mut progress = Progress::start();
    let mut latest = String::new();
    let mut was_blank = false;
    loop {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => {
                let plain = screen::without_colours(&line);
                if is_progress(&plain) || (show == Show::OnFailure && !line.trim().is_empty()) {
                    latest.clone_from(&plain);
                }
                if show == Show::OnFailure {
                    kept.push_str(&line);
                    kept.push('\n');
                } else if !is_progress(&plain) {
                    let is_blank = plain.trim().is_empty();
                    if !(is_blank && was_blank) {
                        progress.clear();
                        screen::say(&line);
                    }
                    was_blank = is_blank;
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = child.try_wait()? {
                    progress.clear();
                    return Ok(status);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                progress.clear();
                return Ok(child.wait()?);
            }
        }
        progress.tick(&latest);
    }
}

/// Cargo's own progress: `   Compiling serde v1.0`.
fn is_progress(line: &str) -> bool {
    const VERBS: [&str; 12] = [
        "Compiling",
        "Checking",
        "Building",
        "Downloading",
        "Downloaded",
        "Blocking",
        "Locking",
        "Updating",
        "Adding",
        "Fresh",
        "Finished",
        "Installing",
    ];
    line.starts_with("  ")
        && line
            .split_whitespace()
            .next()
            .is_some_and(|word| VERBS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_progress_is_told_from_results() {
        assert!(is_progress("   Compiling serde v1.0.229"));
        assert!(!is_progress("     Running unittests src/lib.rs"));
        assert!(!is_progress("test result: ok. 3 passed"));
    }
}
