//! Reading a file whole: looked at before it is opened, checked again once it is open, and never
//! more of it than the cap.

use std::io::{self, Read};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, Metadata, OpenOptions, Permissions};
use engine::ToolError;

use crate::refusal;

/// A file as it was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// What it holds.
    pub(crate) bytes: Vec<u8>,
    /// Who may do what with it.
    pub(crate) permissions: Permissions,
}

impl Found {
    /// The hash of what it holds.
    pub(crate) fn hash(&self) -> [u8; 32] {
        hash(&self.bytes)
    }
}

/// How contents are compared.
pub(crate) fn hash(bytes: &[u8]) -> [u8; 32] {
    blake3::hash(bytes).into()
}

/// Reads an ordinary file; `None` if there is nothing of this name. Everything else that can have
/// a name (links, folders, pipes, devices) is refused. `path` is for messages.
pub(crate) fn read(
    folder: &Dir,
    name: &str,
    path: &str,
    cap_bytes: u64,
) -> Result<Option<Found>, ToolError> {
    let failed = |error: io::Error| refusal::by_system(path, &error);
    match folder.symlink_metadata(name) {
        Ok(metadata) => check(&metadata, path, cap_bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let mut options = OpenOptions::new();
    // Should it have become a pipe since, opening it must not wait for a writer.
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    check(&metadata, path, cap_bytes)?;
    let mut bytes = Vec::new();
    file.take(cap_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    // It may have grown while it was read.
    check_size(bytes.len() as u64, path, cap_bytes)?;
    Ok(Some(Found {
        bytes,
        permissions: metadata.permissions(),
    }))
}

/// The text of a file, or why it is none.
pub(crate) fn text<'a>(bytes: &'a [u8], path: &str) -> Result<&'a str, ToolError> {
    as_text(bytes).ok_or_else(|| {
        ToolError::definite(format!(
            "{path} is not text: {} bytes that are not UTF-8, or have a zero byte in them.",
            bytes.len()
        ))
    })
}

/// The same where binary is no error.
pub(crate) fn as_text(bytes: &[u8]) -> Option<&str> {
    if bytes.contains(&0) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

fn check(metadata: &Metadata, path: &str, cap_bytes: u64) -> Result<(), ToolError> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(refusal::invalid(format!(
            "{path} is a folder. list_files shows what is in it."
        )));
    }
    if kind.is_symlink() {
        return Err(refusal::forbidden(format!(
            "{path} became a link meanwhile. Look again."
        )));
    }
    if !kind.is_file() {
        return Err(refusal::forbidden(format!(
            "{path} is a pipe, a socket or a device. Tools work on ordinary files only."
        )));
    }
    check_size(metadata.len(), path, cap_bytes)
}

fn check_size(bytes: u64, path: &str, cap_bytes: u64) -> Result<(), ToolError> {
    if bytes > cap_bytes {
        return Err(refusal::too_large(format!(
            "{path} has {bytes} bytes or more; at most {cap_bytes} are taken."
        )));
    }
    Ok(())
}
