//! Homes of workers: folders that are made, copied, worked in and checked.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};
use store::faults::FAULT_VARIABLE;
use testkit::command;
use testkit::evidence::{Counts, Fact, Loss, check_file, facts_in};

use crate::suites::place::memory_folder;

/// Where everything of this suite lies: in memory where that is possible, since the end of a
/// process does not care for the disk.
pub(in crate::suites) struct Scratch {
    folder: tempfile::TempDir,
    next: AtomicU64,
}

impl Scratch {
    pub(in crate::suites) fn new() -> Result<Self> {
        Ok(Self {
            folder: memory_folder()?,
            next: AtomicU64::new(0),
        })
    }

    pub(in crate::suites) fn fresh(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.folder.path().join(number.to_string())
    }
}

#[derive(Debug)]
pub(in crate::suites) struct Ran {
    /// Nothing if a signal ended it.
    pub(in crate::suites) code: Option<i32>,
    pub(super) said: String,
    pub(super) complained: String,
}

pub(in crate::suites) fn worker(
    home: &Path,
    class: &str,
    seed: u64,
    acts: u32,
    mode: &str,
    fault: Option<&str>,
) -> Result<Ran> {
    let mut command = command(env!("CARGO_BIN_EXE_holdfast-crash-worker"));
    command
        .arg(home.join("data"))
        .arg(home.join("facts"))
        .args([&seed.to_string(), &acts.to_string(), class, mode])
        .env_remove(FAULT_VARIABLE)
        .stdin(Stdio::null());
    if let Some(fault) = fault {
        command.env(FAULT_VARIABLE, fault);
    }
    let output = command.output()?;
    Ok(Ran {
        code: output.status.code(),
        said: String::from_utf8_lossy(&output.stdout).into_owned(),
        complained: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

pub(in crate::suites) fn check(home: &Path) -> Result<Counts> {
    let facts = facts_in(&home.join("facts"))?;
    let database = home.join("data/holdfast.db");
    if !database.exists() {
        // It ended before there was one; nothing can have been acknowledged.
        let is_empty = facts.iter().all(|fact| matches!(fact, Fact::Began { .. }));
        ensure!(is_empty, "there is no database");
        return Ok(Counts::default());
    }
    check_file(&database, &facts, Loss::Process)
}

pub(in crate::suites) fn copy_of(scratch: &Scratch, from: &Path) -> Result<PathBuf> {
    let to = scratch.fresh();
    copy_folder(from, &to)?;
    Ok(to)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

pub(super) fn parse_hits(said: &str) -> Vec<(String, u32)> {
    said.lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(point, hits)| Some((point.to_owned(), hits.parse().ok()?)))
        .collect()
}
