//! What several subcommands do with whole folders: list, copy into, remove.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Every file below a folder, in path order; none if there is no such folder.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    folders.retain(|folder| folder.is_dir());
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Copies a file and makes the folders that it needs.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

/// Whether two folders hold the same files with the same bytes.
pub(crate) fn same(one: &Path, other: &Path) -> Result<bool> {
    let ours = files(one)?;
    if ours.len() != files(other)?.len() {
        return Ok(false);
    }
    for file in ours {
        let twin = other.join(file.strip_prefix(one)?);
        if !twin.is_file() || fs::read(&file)? != fs::read(&twin)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes a folder if it exists.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
