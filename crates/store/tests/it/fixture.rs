//! A store in a folder of its own, and short ways to write into it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use store::{Change, DataFolder, Error, Opened, Options, Store, Sync, Transition};
use tempfile::TempDir;

use crate::child::none_is_starting;

/// A data folder that goes with the test.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) folder: DataFolder,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = DataFolder::create(dir.path().join("data")).unwrap();
        Self { dir, folder }
    }

    /// Somewhere beside the data folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A process that another test starts closes its copies of our files a moment after it counts
    /// as started. Whoever is still refused after a second is refused.
    pub(crate) fn try_open(&self) -> Result<(Store, Opened), Error> {
        let _none_is_starting = none_is_starting();
        for _ in 0..100 {
            match Store::open(&options(&self.folder)) {
                Err(Error::InUse { .. }) => std::thread::sleep(Duration::from_millis(10)),
                opened => return opened,
            }
        }
        Store::open(&options(&self.folder))
    }

    pub(crate) fn open(&self) -> Store {
        self.try_open().unwrap().0
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.database()
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.root().join("holdfast.db-wal")
    }

    /// What a crash at this instant would leave: the files as they are, without the process.
    pub(crate) fn crash_image(&self) -> Self {
        let image = Self::new();
        fs::copy(self.database(), image.database()).unwrap();
        if self.log().exists() {
            fs::copy(self.log(), image.log()).unwrap();
        }
        image
    }

    /// The database and its log, byte for byte.
    pub(crate) fn bytes(&self) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        (fs::read(self.database()).ok(), fs::read(self.log()).ok())
    }
}

pub(crate) fn options(folder: &DataFolder) -> Options {
    Options {
        folder: folder.clone(),
        app_version: "0.0.0-test".to_owned(),
        pid: std::process::id(),
        now_ms: 1_000,
    }
}

/// Opens a folder in a child, where it cannot be seen whether the parent is starting a process that
/// still holds the lock.
pub(crate) fn open_when_free(folder: &Path) -> Store {
    let folder = DataFolder::create(folder).unwrap();
    for _ in 0..500 {
        match Store::open(&options(&folder)) {
            Err(Error::InUse { .. }) => std::thread::sleep(std::time::Duration::from_millis(10)),
            opened => return opened.unwrap().0,
        }
    }
    panic!("the folder stays in use");
}

pub(crate) fn barrier(changes: Vec<Change>) -> Transition {
    Transition {
        sync: Sync::Barrier,
        changes,
    }
}

pub(crate) fn relaxed(changes: Vec<Change>) -> Transition {
    Transition {
        sync: Sync::Relaxed,
        changes,
    }
}

/// The names in a folder, in order.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Keeps the writer from working until it is dropped, so that what is submitted meanwhile queues
/// up. The answer to a commit runs on the writer's thread; this one waits there.
pub(crate) struct Held {
    _release: std::sync::mpsc::Sender<()>,
}

pub(crate) fn hold_writer(store: &Store) -> Held {
    let (release, released) = channel::<()>();
    let (reached, is_held) = channel();
    store.submit(barrier(Vec::new()), move |_| {
        reached.send(()).unwrap();
        assert!(released.recv().is_err(), "released by hanging up");
    });
    is_held.recv().unwrap();
    Held { _release: release }
}

/// Submits, and says where the answer will arrive.
pub(crate) fn submit(store: &Store, transition: Transition) -> Receiver<Result<(), Error>> {
    let (sender, receiver) = channel();
    store.submit(transition, move |result| sender.send(result).unwrap());
    receiver
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// Below `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}
