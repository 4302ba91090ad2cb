//! Going through a record: what is on disk for sure after each operation, and what is on its way.
//!
//! The rules, which are those that SQLite counts on:
//! - A file's sync makes all earlier writes and truncations of that file durable, and nobody else's.
//! - What was not synced may be on disk or not, in any combination, torn at 512 bytes.
//! - Names are the folder's: a new or a deleted file is so for good once the folder was synced, which
//!   SQLite does with the first sync of a log or journal that it may have made, and with a deletion
//!   where it asks for it. Until then the folder may be at any earlier state, in order: journaling
//!   file systems keep the order of changes of one folder.

use std::collections::BTreeMap;

use super::record::{FileId, Operation, Record};

/// A change of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change<'r> {
    Write {
        offset: u64,
        bytes: &'r [u8],
    },
    Resize {
        size: u64,
    },
    /// The file is at least this long: a new size can reach the disk before its content.
    Room {
        size: u64,
    },
}

/// A change of the folder.
#[derive(Debug, Clone, Copy)]
enum NameChange<'r> {
    Add(&'r str, FileId),
    Remove(&'r str),
}

/// A file: what is on disk, and what may be.
#[derive(Debug, Default)]
pub(super) struct FileState<'r> {
    pub(super) durable: Vec<u8>,
    pub(super) pending: Vec<Change<'r>>,
}

/// The names and what they stand for.
pub(super) type Names<'r> = BTreeMap<&'r str, FileId>;

/// Pending changes that a sync has just made durable.
#[derive(Debug)]
pub(super) struct Settled<'r> {
    pub(super) file: FileId,
    pub(super) changes: Vec<Change<'r>>,
}

/// A walk through a record.
#[derive(Debug)]
pub struct Replay<'r> {
    record: &'r Record,
    position: usize,
    files: Vec<FileState<'r>>,
    durable_names: Names<'r>,
    pending_names: Vec<NameChange<'r>>,
    /// Changes with everything that becomes durable.
    epoch: u64,
}

impl<'r> Replay<'r> {
    /// At its beginning.
    pub fn new(record: &'r Record) -> Self {
        let files = record.base.iter().map(|(_, bytes)| FileState {
            durable: bytes.clone(),
            pending: Vec::new(),
        });
        let names = (0..).map(FileId).zip(&record.base);
        Self {
            record,
            position: 0,
            files: files.collect(),
            durable_names: names.map(|(id, (name, _))| (name.as_str(), id)).collect(),
            pending_names: Vec::new(),
            epoch: 0,
        }
    }

    /// How many operations were made.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The number of states of the disk up to now: what is durable is the same while it is.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The operation that comes next.
    pub fn next_operation(&self) -> Option<&'r Operation> {
        self.record.operations.get(self.position)
    }

    /// Makes the next operation. False at the end.
    pub fn advance(&mut self) -> bool {
        let is_there = self.next_operation().is_some();
        drop(self.step());
        is_there
    }

    pub(super) fn step(&mut self) -> Option<Settled<'r>> {
        let operation = self.next_operation()?;
        self.position += 1;
        match operation {
            Operation::Create { file, name } => {
                self.file(*file);
                self.pending_names.push(NameChange::Add(name, *file));
                None
            }
            Operation::Write {
                file,
                offset,
                bytes,
            } => {
                let offset = *offset;
                let change = Change::Write { offset, bytes };
                self.file(*file).pending.push(change);
                None
            }
            Operation::Truncate { file, size } => {
                self.file(*file)
                    .pending
                    .push(Change::Resize { size: *size });
                None
            }
            Operation::Sync { file, with_names } => {
                if *with_names {
                    self.settle_names();
                }
                self.settle(*file)
            }
            Operation::Delete { name, with_names } => {
                self.pending_names.push(NameChange::Remove(name));
                if *with_names {
                    self.settle_names();
                }
                None
            }
        }
    }

    fn settle(&mut self, file: FileId) -> Option<Settled<'r>> {
        let state = self.file(file);
        if state.pending.is_empty() {
            return None;
        }
        let changes = std::mem::take(&mut state.pending);
        for change in &changes {
            apply(&mut state.durable, *change);
        }
        self.epoch += 1;
        Some(Settled { file, changes })
    }

    fn settle_names(&mut self) {
        if self.pending_names.is_empty() {
            return;
        }
        self.durable_names = self.names_after(self.pending_names.len());
        self.pending_names.clear();
        self.epoch += 1;
    }

    /// How many changes of the folder are on their way.
    pub(super) fn pending_names(&self) -> usize {
        self.pending_names.len()
    }

    /// The folder with the first so many of its pending changes.
    pub(super) fn names_after(&self, count: usize) -> Names<'r> {
        let mut names = self.durable_names.clone();
        for change in self.pending_names.iter().take(count) {
            match change {
                NameChange::Add(name, file) => drop(names.insert(name, *file)),
                NameChange::Remove(name) => drop(names.remove(name)),
            }
        }
        names
    }

    fn file(&mut self, file: FileId) -> &mut FileState<'r> {
        if self.files.len() <= file.0 {
            self.files.resize_with(file.0 + 1, FileState::default);
        }
        &mut self.files[file.0]
    }

    /// A file's state; every file of a name is there.
    pub(super) fn state(&self, file: FileId) -> &FileState<'r> {
        &self.files[file.0]
    }
}

pub(super) fn apply(content: &mut Vec<u8>, change: Change<'_>) {
    match change {
        Change::Write { offset, bytes } => {
            let from = offset as usize;
            let to = from + bytes.len();
            if content.len() < to {
                content.resize(to, 0);
            }
            content[from..to].copy_from_slice(bytes);
        }
        Change::Resize { size } => content.resize(size as usize, 0),
        Change::Room { size } => content.resize(content.len().max(size as usize), 0),
    }
}
