//! The watched disk: the order of operations, the counts of calls, the fault that is set.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fault::{Armed, Call, Failure, Fault};
use super::record::{FileId, Operation, Record};
use super::{route, shim_vfs};

/// How careful SQLite is let be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Setting {
    /// As the app asks for it.
    #[default]
    AsAsked,
    /// `synchronous=NORMAL` whatever the app asks for: what the suites must be able to tell.
    Normal,
    /// `synchronous=OFF` whatever the app asks for.
    Off,
}

impl Setting {
    /// What the argument of the pragma is replaced with.
    pub(super) const fn level(self) -> Option<u8> {
        match self {
            Self::AsAsked => None,
            Self::Normal => Some(b'1'),
            Self::Off => Some(b'0'),
        }
    }
}

/// A folder, or files that begin alike, that are looked at until this is dropped.
#[derive(Debug)]
pub struct Watch {
    disk: Arc<Disk>,
}

impl Watch {
    /// Watches all files whose path begins like this: a folder, or a database and what SQLite keeps
    /// beside it. Nothing is recorded and nothing fails until it is asked for.
    pub fn new(prefix: &Path) -> io::Result<Self> {
        shim_vfs::register()?;
        let prefix = resolved(prefix)?;
        let disk = Arc::new(Disk {
            state: Mutex::default(),
        });
        let text = prefix
            .to_str()
            .ok_or_else(|| io::Error::other("a path that is no text"))?
            .to_owned();
        route::add(text, Arc::clone(&disk));
        Ok(Self { disk })
    }

    /// Begins to record. The files of the database, which nobody has open, are taken as they are
    /// now, and as on disk. Files that were open before are not recorded.
    pub fn record(&self, database: &Path) -> io::Result<()> {
        let mut base = Vec::new();
        let name = file_name(database);
        for suffix in ["", "-wal", "-journal"] {
            let name = format!("{name}{suffix}");
            match std::fs::read(database.with_file_name(&name)) {
                Ok(bytes) => base.push((name, bytes)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let mut state = self.disk.state();
        state.files = (0..)
            .map(FileId)
            .zip(&base)
            .map(|(id, (name, _))| (name.clone(), id))
            .collect();
        state.next_file = base.len();
        state.record = Some(Record {
            base,
            operations: Vec::new(),
        });
        Ok(())
    }

    /// How many operations were made. What is acknowledged now must be in every image of a power cut
    /// after this many operations.
    pub fn position(&self) -> usize {
        let state = self.disk.state();
        state
            .record
            .as_ref()
            .map_or(0, |record| record.operations.len())
    }

    /// Ends recording and gives the record.
    pub fn take_record(&self) -> Record {
        self.disk.state().record.take().unwrap_or_default()
    }

    /// From now on SQLite is kept at this level. For connections that are opened later.
    pub fn keep_at(&self, setting: Setting) {
        self.disk.state().setting = setting;
    }

    /// Sets a fault; counting begins here.
    pub fn set_fault(&self, fault: Fault) {
        self.disk.state().armed = Some(Armed::new(fault));
    }

    /// Takes the fault away; says how often it struck.
    pub fn clear_fault(&self) -> u64 {
        let armed = self.disk.state().armed.take();
        armed.map_or(0, |armed| armed.struck())
    }

    /// How often the fault that is set has struck.
    pub fn struck(&self) -> u64 {
        self.disk.state().armed.as_ref().map_or(0, Armed::struck)
    }

    /// How many calls of this kind were made so far.
    pub fn calls(&self, call: Call) -> u64 {
        self.disk.state().calls.get(&call).copied().unwrap_or(0)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        route::remove(&self.disk);
    }
}

/// As SQLite will name it: links are followed as far as there is something.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Ok(found) => Ok(found),
        Err(_) => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
            _ => Err(io::Error::other("a path without a folder")),
        },
    }
}

/// A file's name without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What a watch and its open files share.
#[derive(Debug)]
pub(super) struct Disk {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    record: Option<Record>,
    /// The files that the names stand for now.
    files: BTreeMap<String, FileId>,
    next_file: usize,
    armed: Option<Armed>,
    calls: BTreeMap<Call, u64>,
    setting: Setting,
}

/// An open file that is watched.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) disk: Arc<Disk>,
    /// Nothing if recording had not begun when it was opened.
    id: Option<FileId>,
    /// The next sync of this handle syncs the folder along.
    syncs_names: bool,
}

impl Disk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn setting(&self) -> Setting {
        self.state().setting
    }

    /// A call that changes nothing on disk. The real one is not made if it is to fail.
    pub(super) fn pass(&self, call: Call, real: impl FnOnce() -> c_int) -> c_int {
        let failure = self.state().count(call);
        failure.map_or_else(real, |failure| failure.code(call))
    }

    /// Opens a file; `real` says whether that went well.
    pub(super) fn open(
        self: &Arc<Self>,
        path: &Path,
        may_make_log: bool,
        real: impl FnOnce() -> c_int,
    ) -> (c_int, OpenFile) {
        let name = file_name(path);
        let mut state = self.state();
        let mut file = OpenFile {
            disk: Arc::clone(self),
            id: state.files.get(&name).copied(),
            syncs_names: may_make_log,
        };
        if let Some(failure) = state.count(Call::Open) {
            return (failure.code(Call::Open), file);
        }
        // Held until the file is there: what is written to it comes later in the order.
        let was_there = path.exists();
        let code = real();
        if code == rusqlite::ffi::SQLITE_OK && !was_there && state.record.is_some() {
            let id = FileId(state.next_file);
            state.next_file += 1;
            state.files.insert(name.clone(), id);
            file.id = Some(id);
            state.add(Operation::Create { file: id, name });
        }
        (code, file)
    }

    /// Deletes a file by its path.
    pub(super) fn delete(
        &self,
        path: &Path,
        with_names: bool,
        real: impl FnOnce() -> c_int,
    ) -> c_int {
        let mut state = self.state();
        if let Some(failure) = state.count(Call::Delete) {
            return failure.code(Call::Delete);
        }
        let code = real();
        let name = file_name(path);
        if code == rusqlite::ffi::SQLITE_OK && state.files.remove(&name).is_some() {
            state.add(Operation::Delete { name, with_names });
        }
        code
    }
}

impl OpenFile {
    /// Writes; `real` writes that many of the first bytes.
    pub(super) fn write(
        &self,
        offset: u64,
        bytes: &[u8],
        real: impl FnOnce(usize) -> c_int,
    ) -> c_int {
        let mut state = self.disk.state();
        let failure = state.count(Call::Write);
        let length = match failure {
            None => bytes.len(),
            Some(Failure::ShortWrite) => bytes.len() / 2,
            Some(failure) => return failure.code(Call::Write),
        };
        let code = real(length);
        if code == rusqlite::ffi::SQLITE_OK
            && let Some(file) = self.id
        {
            state.add(Operation::Write {
                file,
                offset,
                bytes: bytes.get(..length).unwrap_or_default().to_vec(),
            });
        }
        match failure {
            Some(failure) if code == rusqlite::ffi::SQLITE_OK => failure.code(Call::Write),
            Some(_) | None => code,
        }
    }

    pub(super) fn truncate(&self, size: u64, real: impl FnOnce() -> c_int) -> c_int {
        self.change(Call::Truncate, real, |file| Operation::Truncate {
            file,
            size,
        })
    }

    pub(super) fn sync(&mut self, real: impl FnOnce() -> c_int) -> c_int {
        let with_names = self.syncs_names;
        let code = self.change(Call::Sync, real, |file| Operation::Sync {
            file,
            with_names,
        });
        if code == rusqlite::ffi::SQLITE_OK {
            self.syncs_names = false;
        }
        code
    }

    fn change(
        &self,
        call: Call,
        real: impl FnOnce() -> c_int,
        operation: impl FnOnce(FileId) -> Operation,
    ) -> c_int {
        let mut state = self.disk.state();
        if let Some(failure) = state.count(call) {
            return failure.code(call);
        }
        // The lock is held meanwhile: the order in the record is the order on the disk.
        let code = real();
        if code == rusqlite::ffi::SQLITE_OK
            && let Some(file) = self.id
        {
            state.add(operation(file));
        }
        code
    }
}

impl State {
    fn count(&mut self, call: Call) -> Option<Failure> {
        *self.calls.entry(call).or_default() += 1;
        self.armed.as_mut().and_then(|armed| armed.strike(call))
    }

    fn add(&mut self, operation: Operation) {
        if let Some(record) = self.record.as_mut() {
            record.operations.push(operation);
        }
    }
}
