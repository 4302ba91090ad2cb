//! What can go wrong in the store, and whether trying again helps.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// A failed read, write or start. Nothing was half-written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The rows are not as the transition expected them: reload and decide again.
    #[error("the state changed meanwhile ({0})")]
    Conflict(&'static str),
    /// A move that the closed tables do not allow.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// A row larger than its cap, refused before the insert.
    #[error("{what} is larger than {cap_bytes} bytes")]
    TooLarge {
        /// What was too large.
        what: &'static str,
        /// Its cap.
        cap_bytes: usize,
    },
    /// Another process owns the data folder.
    #[error("another process uses {}", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// Its process id, where it could be read.
        pid: Option<u32>,
    },
    /// A newer process took the data folder over; this one may no longer write.
    #[error("a newer process has taken over the data folder")]
    Fenced,
    /// Written by a newer version.
    #[error("the database has schema {found}, this version knows {known}")]
    Newer {
        /// The schema in the file.
        found: u32,
        /// The newest schema that this version knows.
        known: u32,
    },
    /// Not readable as our database. Nothing was overwritten.
    #[error("the database {} is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// A copy of it, kept aside.
        copy: Option<PathBuf>,
        /// What was found.
        detail: String,
    },
    /// Damage that SQLite came upon while the database was in use. The next start checks it all.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// There is nothing to restore from.
    #[error("there is no usable backup in {}", folder.display())]
    NoBackup {
        /// Where backups are kept.
        folder: PathBuf,
    },
    /// The store is closed.
    #[error("the database is closed")]
    Closed,
    /// A stored value that this version cannot read.
    #[error("a stored {what} cannot be read: {detail}")]
    Unreadable {
        /// What was being read.
        what: &'static str,
        /// Why.
        detail: String,
    },
    /// No space left.
    #[error("the disk is full")]
    DiskFull,
    /// The folder or the file cannot be written.
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    /// The disk refused.
    #[error("the disk refused: {0}")]
    Io(String),
    /// Anything else that SQLite said.
    #[error("SQLite: {0}")]
    Sqlite(String),
}

impl Error {
    /// Whether the same call may succeed later without anything else changing.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::DiskFull | Self::Io(_))
    }

    /// After a failed fsync nothing that was written can be trusted any more.
    pub(crate) fn is_failed_sync(error: &rusqlite::Error) -> bool {
        const FSYNC: i32 = rusqlite::ffi::SQLITE_IOERR_FSYNC;
        const DIR_FSYNC: i32 = rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC;
        error
            .sqlite_error()
            .is_some_and(|error| matches!(error.extended_code, FSYNC | DIR_FSYNC))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly(text)
            }
            // Somebody else's lock outlasted the wait: trying again helps.
            Some(
                ErrorCode::SystemIoFailure | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked,
            ) => Self::Io(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(text),
            Some(_) | None => Self::Sqlite(text),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let kind = error.kind();
        if matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded) {
            Self::DiskFull
        } else if matches!(
            kind,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
        ) {
            Self::ReadOnly(error.to_string())
        } else {
            Self::Io(error.to_string())
        }
    }
}

/// Whether SQLite says that the file is not a sound database.
pub(crate) fn says_damaged(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}
