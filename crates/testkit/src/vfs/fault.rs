//! Calls that fail: the k-th of chosen kinds, once or from there on.

use std::ffi::c_int;

use rusqlite::ffi;

/// The kinds of calls that SQLite makes, as far as they can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// A file is opened or made.
    Open,
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// A file is cut.
    Truncate,
    /// The disk is asked to keep what was written.
    Sync,
    /// A file's size is asked for.
    Size,
    /// A file is locked.
    Lock,
    /// A part of the log's index is mapped.
    MapIndex,
    /// A part of the log's index is locked.
    LockIndex,
    /// A file is deleted.
    Delete,
    /// It is asked whether a file is there.
    Access,
}

impl Call {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Open,
        Self::Read,
        Self::Write,
        Self::Truncate,
        Self::Sync,
        Self::Size,
        Self::Lock,
        Self::MapIndex,
        Self::LockIndex,
        Self::Delete,
        Self::Access,
    ];

    /// What the platform's VFS says when such a call fails for a reason of the device.
    const fn io_error(self) -> c_int {
        match self {
            Self::Open => ffi::SQLITE_CANTOPEN,
            Self::Read => ffi::SQLITE_IOERR_READ,
            Self::Write => ffi::SQLITE_IOERR_WRITE,
            Self::Truncate => ffi::SQLITE_IOERR_TRUNCATE,
            Self::Sync => ffi::SQLITE_IOERR_FSYNC,
            Self::Size => ffi::SQLITE_IOERR_FSTAT,
            Self::Lock => ffi::SQLITE_IOERR_LOCK,
            Self::MapIndex => ffi::SQLITE_IOERR_SHMMAP,
            Self::LockIndex => ffi::SQLITE_IOERR_SHMLOCK,
            Self::Delete => ffi::SQLITE_IOERR_DELETE,
            Self::Access => ffi::SQLITE_IOERR_ACCESS,
        }
    }
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// The device refuses, nothing was done.
    IoError,
    /// There is no space, nothing was done.
    Full,
    /// There is space for one half of what was to be written.
    ShortWrite,
    /// The device cannot say that it keeps what was written.
    SyncError,
}

impl Failure {
    /// Every one.
    pub const ALL: &'static [Self] =
        &[Self::IoError, Self::Full, Self::ShortWrite, Self::SyncError];

    /// The calls that can fail like this.
    pub const fn calls(self) -> &'static [Call] {
        match self {
            Self::IoError => &[
                Call::Open,
                Call::Read,
                Call::Write,
                Call::Truncate,
                Call::Size,
                Call::Lock,
                Call::MapIndex,
                Call::LockIndex,
                Call::Delete,
                Call::Access,
            ],
            // A log's index grows while it is mapped, a file while it is written.
            Self::Full => &[Call::Write, Call::MapIndex],
            Self::ShortWrite => &[Call::Write],
            Self::SyncError => &[Call::Sync],
        }
    }

    /// What SQLite is told. The platform's VFS says of a short write that the disk is full.
    pub(super) const fn code(self, call: Call) -> c_int {
        match self {
            Self::Full | Self::ShortWrite => ffi::SQLITE_FULL,
            Self::IoError | Self::SyncError => call.io_error(),
        }
    }
}

/// A call that is going to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// How. Only calls that can fail like this are counted.
    pub failure: Failure,
    /// Which of them, counted from one, from the moment on in which the fault is set.
    pub at: u64,
    /// Whether all later ones fail as well, until the fault is taken away.
    pub is_lasting: bool,
}

/// A fault that was set, and how far it got.
#[derive(Debug)]
pub(super) struct Armed {
    fault: Fault,
    seen: u64,
    struck: u64,
}

impl Armed {
    pub(super) const fn new(fault: Fault) -> Self {
        Self {
            fault,
            seen: 0,
            struck: 0,
        }
    }

    /// Counts a call; says how it fails if it does.
    pub(super) fn strike(&mut self, call: Call) -> Option<Failure> {
        if !self.fault.failure.calls().contains(&call) {
            return None;
        }
        self.seen += 1;
        let is_it = if self.fault.is_lasting {
            self.seen >= self.fault.at
        } else {
            self.seen == self.fault.at
        };
        self.struck += u64::from(is_it);
        is_it.then_some(self.fault.failure)
    }

    pub(super) const fn struck(&self) -> u64 {
        self.struck
    }
}
