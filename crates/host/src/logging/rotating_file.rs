//! A log file that starts anew at a size, keeps a few old ones, and is for its owner alone.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How large logs may grow.
#[derive(Debug, Clone, Copy)]
pub struct RotationLimits {
    /// A file starts anew before it would grow beyond this.
    pub file_bytes: u64,
    /// So many old files are kept beside the current one.
    pub kept_files: u32,
}

impl Default for RotationLimits {
    fn default() -> Self {
        Self {
            file_bytes: 2 * 1024 * 1024,
            kept_files: 4,
        }
    }
}

/// The current file and its older ones: `name.log`, `name.1.log`, `name.2.log` and so on.
#[derive(Debug)]
pub struct RotatingFile {
    folder: PathBuf,
    name: String,
    limits: RotationLimits,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    written_bytes: u64,
}

impl RotatingFile {
    /// Opens the current file, or begins one.
    pub fn open(folder: &Path, name: &str, limits: RotationLimits) -> std::io::Result<Self> {
        let file = append_privately(&folder.join(format!("{name}.log")))?;
        let written_bytes = file.metadata()?.len();
        let state = Mutex::new(State {
            file,
            written_bytes,
        });
        Ok(Self {
            folder: folder.to_owned(),
            name: name.to_owned(),
            limits,
            state,
        })
    }

    /// Writes one line, whole. An error is returned, and the next line is tried afresh.
    pub fn write_line(&self, line: &str) -> std::io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = line.len() as u64 + 1;
        if state.written_bytes > 0 && state.written_bytes + bytes > self.limits.file_bytes {
            *state = self.rotate()?;
        }
        state.file.write_all(format!("{line}\n").as_bytes())?;
        state.written_bytes += bytes;
        Ok(())
    }

    fn rotate(&self) -> std::io::Result<State> {
        for number in (0..self.limits.kept_files).rev() {
            match fs::rename(self.path(number), self.path(number + 1)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(State {
            file: append_privately(&self.path(0))?,
            written_bytes: 0,
        })
    }

    fn path(&self, number: u32) -> PathBuf {
        let name = &self.name;
        match number {
            0 => self.folder.join(format!("{name}.log")),
            _ => self.folder.join(format!("{name}.{number}.log")),
        }
    }
}

fn append_privately(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SEC-6: rotated and capped.
    #[test]
    fn a_log_never_grows_beyond_its_cap_and_loses_only_the_oldest() {
        let dir = tempfile::tempdir().unwrap();
        let limits = RotationLimits {
            file_bytes: 100,
            kept_files: 2,
        };
        let file = RotatingFile::open(dir.path(), "app", limits).unwrap();
        for number in 0..200 {
            file.write_line(&format!("line number {number:04}"))
                .unwrap();
        }
        let mut lines = Vec::new();
        for name in ["app.2.log", "app.1.log", "app.log"] {
            let text = fs::read_to_string(dir.path().join(name)).unwrap();
            assert!(text.len() <= 100, "{name} has {} bytes", text.len());
            lines.extend(text.lines().map(str::to_owned));
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
        let newest: Vec<String> = (200 - lines.len()..200)
            .map(|number| format!("line number {number:04}"))
            .collect();
        assert_eq!(lines, newest);
    }

    #[test]
    fn a_log_is_continued_after_a_restart_and_private() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["first", "second"] {
            let file = RotatingFile::open(dir.path(), "app", RotationLimits::default()).unwrap();
            file.write_line(text).unwrap();
        }
        let path = dir.path().join("app.log");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }
}
