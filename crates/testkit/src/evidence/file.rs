//! Facts in a file: one line each, of which only whole ones count.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Fact, Witness};

/// A file that only grows, for a process that may end at any instant. What a tool did is on disk
/// when it is noted; the rest is safe from the end of the process.
#[derive(Debug)]
pub struct FactFile {
    file: Mutex<File>,
}

impl FactFile {
    /// Goes on at the end of a file, which may not exist yet.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self {
            file: Mutex::new(file),
        })
    }
}

impl Witness for FactFile {
    /// A witness that cannot write must not let the test go on: it would miss what it is there for.
    fn note(&self, fact: Fact) {
        let mut line = serde_json::to_vec(&fact).unwrap_or_default();
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(&line).and_then(|()| match fact {
            Fact::Did(_) => file.sync_all(),
            _ => Ok(()),
        });
        assert!(written.is_ok(), "the facts cannot be written: {written:?}");
    }
}

/// Every whole line. A last one without its end was never noted.
pub fn facts_in(path: &Path) -> io::Result<Vec<Fact>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    text.split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .map(|line| serde_json::from_slice(line).map_err(io::Error::from))
        .collect()
}
