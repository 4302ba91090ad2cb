//! What was done to the watched files, in order.

/// A file by its content: one that is deleted and made again under its name is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) usize);

/// One operation, as SQLite asked for it and as it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A file that was not there was made.
    Create {
        /// The new file.
        file: FileId,
        /// Its name, without its folder.
        name: String,
    },
    /// Bytes were written.
    Write {
        /// Where.
        file: FileId,
        /// From here on.
        offset: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A file was cut or extended.
    Truncate {
        /// Which.
        file: FileId,
        /// To this size.
        size: u64,
    },
    /// The disk was asked to keep what was written to a file.
    Sync {
        /// Which.
        file: FileId,
        /// Whether the folder was synced along. SQLite does that once per handle that may have made
        /// a journal or a log.
        with_names: bool,
    },
    /// A name was taken away.
    Delete {
        /// Which.
        name: String,
        /// Whether the folder was synced after it.
        with_names: bool,
    },
}

/// Everything from the first image on.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The files before the first operation, all of them on disk: name, content. Their ids count
    /// from zero in this order.
    pub base: Vec<(String, Vec<u8>)>,
    /// What followed.
    pub operations: Vec<Operation>,
}

impl Record {
    /// How often a file that was there before the first operation was synced: of a database, how
    /// often its log was moved into it.
    pub fn syncs_of(&self, name: &str) -> usize {
        let place = self.base.iter().position(|(one, _)| one == name);
        let syncs = self.operations.iter().filter(
            |operation| matches!(operation, Operation::Sync { file, .. } if Some(file.0) == place),
        );
        syncs.count()
    }
}
