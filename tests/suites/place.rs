//! Where the suites keep their files.

use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;

/// A folder in memory, where there is one: for suites that end processes, which is nothing that a disk
/// would notice.
pub(crate) fn memory_folder() -> Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    Ok(folder?)
}
