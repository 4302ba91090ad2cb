//! The data folder: what lies where, who may read it, and the lock that makes it one process's.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::{Error, faults};

/// The database, and what SQLite keeps beside it.
pub(crate) const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];
/// Ends the name of a file that is being written.
pub(crate) const UNFINISHED: &str = ".unfinished";
/// Begins the name of a backup that is to become the database.
const RESTORED: &str = "holdfast.db.restored-";

/// The folder that holds everything. Files in it are for their owner alone.
#[derive(Debug, Clone)]
pub struct DataFolder {
    root: PathBuf,
}

impl DataFolder {
    /// Makes the folder if it is missing, and private if it is not.
    pub fn create(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = Self { root: root.into() };
        for dir in [
            folder.root.clone(),
            folder.backups(),
            folder.damaged(),
            folder.logs(),
        ] {
            make_private_dir(&dir)?;
            make_files_private(&dir)?;
        }
        Ok(folder)
    }

    /// A folder that is only looked at: nothing is made, nothing is changed.
    pub(crate) fn existing(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.root.join("holdfast.db")
    }

    /// Where a new database is made before it gets its name.
    pub(crate) fn unfinished_database(&self) -> PathBuf {
        with_suffix(&self.database(), UNFINISHED)
    }

    /// A backup on its way to being the database: where it exists, a restore was decided and
    /// must be finished. The number says when.
    pub(crate) fn restored_database(&self, at_ms: u64) -> PathBuf {
        self.root.join(format!("{RESTORED}{at_ms}"))
    }

    /// The restore that was decided and not finished, if there is one.
    pub(crate) fn unfinished_restore(&self) -> Result<Option<u64>, Error> {
        for entry in fs::read_dir(&self.root)? {
            let name = entry?.file_name();
            let at_ms = name
                .to_string_lossy()
                .strip_prefix(RESTORED)
                .and_then(|at_ms| at_ms.parse().ok());
            if at_ms.is_some() {
                return Ok(at_ms);
            }
        }
        Ok(None)
    }

    /// Removes what was being written when an earlier process ended. It never got its name, so
    /// it never was anyone's data.
    pub(crate) fn sweep_unfinished(&self) -> Result<(), Error> {
        for dir in [self.root.clone(), self.backups(), self.damaged()] {
            for entry in fs::read_dir(dir)? {
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.starts_with("holdfast") && name.contains(UNFINISHED) {
                    remove_if_present(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Makes a database private that somebody copied here; SQLite gives its own files its mode.
    pub(crate) fn make_database_private(&self) -> Result<(), Error> {
        for suffix in BESIDE {
            let path = with_suffix(&self.database(), suffix);
            if path.try_exists()? {
                make_private(&path, 0o600)?;
            }
        }
        Ok(())
    }

    /// Copies of the database, verified when they were made.
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// Databases that could not be read, kept aside.
    pub fn damaged(&self) -> PathBuf {
        self.root.join("damaged")
    }

    /// Log files.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Writes a file beside the database: private, under a temporary name, fsynced, renamed.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.root.join(name);
        let unfinished = with_suffix(&path, ".unfinished");
        remove_if_present(&unfinished)?;
        let mut file = create_private_file(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, &path)?;
        sync_dir(&self.root)
    }

    fn lock_file(&self) -> PathBuf {
        self.root.join("engine.lock")
    }

    /// Takes the folder for this process, until the lock is dropped or the process ends.
    pub(crate) fn lock(&self, pid: u32) -> Result<FolderLock, Error> {
        let mut file = private_options()
            .read(true)
            .truncate(false)
            .open(self.lock_file())?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if faults::ignores_lock() => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::InUse {
                    folder: self.root.clone(),
                    pid: read_pid(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // Only for the message that a second process gets; the lock itself is the operating system's.
        file.set_len(0)?;
        file.rewind()?;
        write!(file, "{pid}")?;
        Ok(FolderLock { _file: file })
    }
}

/// Held for as long as the process owns the folder.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Creates a file for its owner alone, empty. Fails if it exists.
pub(crate) fn create_private_file(path: &Path) -> Result<File, Error> {
    Ok(private_options().create_new(true).open(path)?)
}

/// Makes the names in a folder durable: a rename is safe only after this.
pub(crate) fn sync_dir(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Copies a file to a private one under a temporary name, fsyncs it, and renames it.
pub(crate) fn copy_durably(from: &Path, to: &Path) -> Result<(), Error> {
    let unfinished = with_suffix(to, UNFINISHED);
    remove_if_present(&unfinished)?;
    let mut target = create_private_file(&unfinished)?;
    std::io::copy(&mut File::open(from)?, &mut target)?;
    target.sync_all()?;
    fs::rename(&unfinished, to)?;
    sync_parent(to)
}

pub(crate) fn sync_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        // A relative name of one part lies in the current folder.
        Some(parent) if parent.as_os_str().is_empty() => sync_dir(Path::new(".")),
        Some(parent) => sync_dir(parent),
        None => Ok(()),
    }
}

pub(crate) fn remove_if_present(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Whether there is a file and it is not empty.
pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() > 0)
}

/// `holdfast.db` with `-wal` gives `holdfast.db-wal`.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

fn make_private_dir(path: &Path) -> Result<(), Error> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists())
        .collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)?;
    // Outermost first: a folder that a power cut takes away takes all that is in it along.
    for dir in missing.into_iter().rev() {
        match sync_parent(dir) {
            // A folder that may be written and not read cannot be synced; that is no reason not
            // to start.
            Ok(()) | Err(Error::ReadOnly(_)) => {}
            Err(error) => return Err(error),
        }
    }
    make_private(path, 0o700)
}

/// Takes away what others may do with a file or a folder.
/// What somebody opened up, or copied here, is for its owner alone again.
fn make_files_private(dir: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // Another process may be renaming its files at this moment.
        if entry.metadata().is_ok_and(|found| found.is_file()) && entry.path().try_exists()? {
            make_private(&entry.path(), 0o600).or_else(|error| {
                if entry.path().try_exists()? {
                    Err(error)
                } else {
                    Ok(())
                }
            })?;
        }
    }
    Ok(())
}

fn make_private(path: &Path, mode: u32) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}
