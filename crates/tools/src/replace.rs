//! Replacing a file exactly once: temporary file, fsync, rename, fsync of the folder.
//!
//! The hash of what is there says which side of the rename a call is on: still the expected one,
//! or already the new one. Anything else was somebody else's doing and is left alone.

use std::io::{self, Write};

use cap_std::fs::{Dir, OpenOptions, Permissions};
use engine::ToolError;
use protocol::ErrorClass;

use crate::blocking::Steps;
use crate::{CHANGED_FILE_BYTES, file, folder, refusal};

/// One file that is to be changed.
#[derive(Debug)]
pub(crate) struct Replacement<'a> {
    /// Its folder.
    pub(crate) folder: &'a Dir,
    /// Its name in the folder.
    pub(crate) name: &'a str,
    /// Its path, for messages.
    pub(crate) path: &'a str,
    /// The hash that it is expected to have; `None` if it is expected not to exist.
    pub(crate) expected: Option<[u8; 32]>,
    /// Names the temporary file: the same key replaces what a body that died left behind.
    pub(crate) key: &'a str,
}

impl Replacement<'_> {
    /// Puts these bytes there. Stopping is possible until the rename.
    pub(crate) fn write(&self, bytes: &[u8], steps: &Steps) -> Result<(), ToolError> {
        let permissions = self.check()?;
        steps.go_on()?;
        self.write_temporary(bytes, permissions)
            .map_err(|error| self.give_up(refusal::by_system(self.path, &error)))?;
        // Writing and waiting for the disk took time: look again, as late as possible.
        if let Err(error) = self.check().and_then(|_| steps.go_on()) {
            return Err(self.give_up(error));
        }
        self.folder
            .rename(self.temporary(), self.folder, self.name)
            .map_err(|error| self.give_up(refusal::by_system(self.path, &error)))?;
        self.sync()
    }

    /// Removes the file.
    pub(crate) fn remove(&self) -> Result<(), ToolError> {
        self.check()?;
        self.folder
            .remove_file(self.name)
            .map_err(|error| refusal::by_system(self.path, &error))?;
        self.sync()
    }

    /// It is done already: whoever did it may have died before it was on disk.
    pub(crate) fn finish(&self) -> Result<(), ToolError> {
        self.remove_temporary()
            .map_err(|error| refusal::by_system(self.path, &error))?;
        self.sync()
    }

    fn check(&self) -> Result<Option<Permissions>, ToolError> {
        let found = file::read(self.folder, self.name, self.path, CHANGED_FILE_BYTES)?;
        if found.as_ref().map(file::Found::hash) != self.expected {
            return Err(changed(self.path));
        }
        Ok(found.map(|found| found.permissions))
    }

    fn write_temporary(&self, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
        self.remove_temporary()?;
        let mut options = OpenOptions::new();
        // New and never through a link: whoever puts something of this name there in between makes
        // this fail.
        options.write(true).create_new(true);
        let mut temporary = self.folder.open_with(self.temporary(), &options)?;
        if let Some(permissions) = permissions {
            temporary.set_permissions(ordinary(&permissions))?;
        }
        temporary.write_all(bytes)?;
        temporary.sync_all()
    }

    fn temporary(&self) -> String {
        temporary_name(self.key)
    }

    fn remove_temporary(&self) -> io::Result<()> {
        match self.folder.remove_file(self.temporary()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Takes the temporary file away; if that fails too, a body with the same key replaces it.
    fn give_up(&self, error: ToolError) -> ToolError {
        match self.remove_temporary() {
            Ok(()) => error,
            Err(left) => ToolError {
                message: format!(
                    "{} ({} could not be removed: {left})",
                    error.message,
                    self.temporary()
                ),
                ..error
            },
        }
    }

    /// The change is made, so a failure here leaves open what a power cut would leave of it.
    fn sync(&self) -> Result<(), ToolError> {
        folder::sync(self.folder).map_err(|error| {
            ToolError::unobserved(format!("{}: not written to disk: {error}", self.path))
        })
    }
}

/// Somebody else was there.
pub(crate) fn changed(path: &str) -> ToolError {
    ToolError::definite(format!(
        "{path} was changed meanwhile by somebody else, so it was left alone. Read it again."
    ))
    .of(ErrorClass::Tool)
}

/// Where the bytes of a call are until they are in place.
pub(crate) fn temporary_name(key: &str) -> String {
    format!(".holdfast-{key}.tmp")
}

/// Without the bits that lend a file's owner to whoever runs it: they were given to other content.
#[cfg(unix)]
fn ordinary(permissions: &Permissions) -> Permissions {
    use cap_std::fs::PermissionsExt;
    Permissions::from_mode(permissions.mode() & 0o777)
}

#[cfg(not(unix))]
fn ordinary(permissions: &Permissions) -> Permissions {
    permissions.clone()
}
