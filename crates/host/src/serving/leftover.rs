//! A server that a dead app left behind, where the system did not end it.
//!
//! Its mark, a random number that no other process has, is written down before it starts. Whoever has it
//! in its environment is ours; nobody else is touched, whatever its id or its name.

use std::io;
use std::path::PathBuf;

use store::DataFolder;

use super::environment::MARK;

const FILE: &str = "served.mark";
/// A mark in hexadecimal.
const MARK_BYTES: usize = 32;

/// A new mark, which is on disk before anything is started with it.
pub(super) fn new_mark(folder: &DataFolder) -> io::Result<String> {
    let mut random = [0; MARK_BYTES / 2];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let mark: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    folder
        .write_file(FILE, mark.as_bytes())
        .map_err(io::Error::other)?;
    Ok(mark)
}

/// Nothing of ours runs any more.
pub(super) fn forget(folder: &DataFolder) {
    let removed = std::fs::remove_file(file(folder));
    if let Err(error) = removed
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(name: "host.serving.mark_left", %error);
    }
}

/// Ends what an earlier process left. The folder is ours alone by now, so whoever started it is dead.
pub(super) fn end(folder: &DataFolder) {
    let Ok(mark) = std::fs::read_to_string(file(folder)) else {
        return;
    };
    if mark.len() == MARK_BYTES && mark.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        end_marked(&format!("{MARK}={mark}"));
    }
    forget(folder);
}

fn file(folder: &DataFolder) -> PathBuf {
    folder.root().join(FILE)
}

/// A process is held on to before it is looked at, so that what is ended is what was looked at.
#[cfg(target_os = "linux")]
fn end_marked(mark: &str) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return;
    };
    for process in processes.flatten() {
        let name = process.file_name();
        let id = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = id.and_then(Pid::from_raw) else {
            continue;
        };
        let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        // Others' environments cannot be read, and so are not ours.
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let is_ours = environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark.as_bytes());
        if is_ours {
            let ended = pidfd_send_signal(&held, Signal::KILL);
            wait_until_gone(&process.path());
            tracing::warn!(name: "host.serving.leftover_ended", pid = pid.as_raw_nonzero().get(), ended = ended.is_ok());
        }
    }
}

/// So that its port is free again. It is nobody's child here, so there is nobody to be told.
#[cfg(target_os = "linux")]
fn wait_until_gone(process: &std::path::Path) {
    const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(10);
    for _ in 0..100 {
        if !process.exists() {
            return;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Elsewhere nobody can tell for sure whose it is.
#[cfg(not(target_os = "linux"))]
fn end_marked(_mark: &str) {}
