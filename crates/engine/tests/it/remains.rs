//! What a process that ended at some instant leaves behind, to be opened in its place.

use std::path::Path;

use crate::fixture::Home;

/// The database and its log, the ledger and the workspaces. Paths are part of what approvals are
/// bound to, so these are put back where they were instead of being opened elsewhere.
#[derive(Debug)]
pub(crate) struct Remains {
    dir: tempfile::TempDir,
}

const DATABASE: &str = "holdfast.db";
const LOG: &str = "holdfast.db-wal";
const LEDGER: &str = "ledger.jsonl";
const WORKSPACES: &str = "workspaces";

impl Home {
    /// What a process that ended at this instant would leave behind.
    pub(crate) fn remains(&self) -> Remains {
        let dir = tempfile::tempdir().unwrap();
        // The database before its log: the log only ever says more than the database.
        for name in [DATABASE, LOG, LEDGER] {
            let from = self.path().join(name);
            if from.exists() {
                std::fs::copy(from, dir.path().join(name)).unwrap();
            }
        }
        copy_folder(&self.path().join(WORKSPACES), &dir.path().join(WORKSPACES));
        Remains { dir }
    }

    /// Makes this folder what it was. Nobody may have it open.
    pub(crate) fn put_back(&self, remains: &Remains) {
        for name in [DATABASE, LOG, "holdfast.db-shm", LEDGER] {
            let to = self.path().join(name);
            if to.exists() {
                std::fs::remove_file(&to).unwrap();
            }
            let from = remains.dir.path().join(name);
            if from.exists() {
                std::fs::copy(from, to).unwrap();
            }
        }
        let workspaces = self.path().join(WORKSPACES);
        if workspaces.exists() {
            std::fs::remove_dir_all(&workspaces).unwrap();
        }
        copy_folder(&remains.dir.path().join(WORKSPACES), &workspaces);
    }
}

impl Remains {
    /// The log's length after each of its commits: cut there, it is what a process that ended
    /// right after that commit left.
    pub(crate) fn commits(&self) -> Vec<usize> {
        let log = std::fs::read(self.dir.path().join(LOG)).unwrap();
        let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
        let page = number(8) as usize;
        let (header, frame) = (32, 24 + page);
        let mut commits = Vec::new();
        let mut at = header;
        // The salts of a frame are those of its log; after a restart of the log, older ones follow.
        while at + frame <= log.len() && log[at + 8..at + 16] == log[16..24] {
            let is_commit = number(at + 4) != 0;
            at += frame;
            if is_commit {
                commits.push(at);
            }
        }
        commits
    }

    /// Cuts the log off after one of its commits.
    pub(crate) fn cut(&self, bytes: usize) -> Self {
        let cut = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        let database = self.dir.path().join(DATABASE);
        std::fs::copy(database, cut.dir.path().join(DATABASE)).unwrap();
        let log = std::fs::read(self.dir.path().join(LOG)).unwrap();
        std::fs::write(cut.dir.path().join(LOG), &log[..bytes]).unwrap();
        cut
    }

    /// The database without its log.
    pub(crate) fn database(&self) -> Vec<u8> {
        std::fs::read(self.dir.path().join(DATABASE)).unwrap()
    }
}

fn copy_folder(from: &Path, to: &Path) {
    if !from.exists() {
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
