//! The door to folders: opening a workspace, making folders in it, writing them to disk.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt, OpenOptionsMaybeDirExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use engine::ToolError;

use crate::refusal;

/// Opens a workspace, if it exists.
pub(crate) fn open_workspace(workspace: &Path) -> Result<Option<Dir>, ToolError> {
    match Dir::open_ambient_dir(workspace, ambient_authority()) {
        Ok(dir) => Ok(Some(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refusal::by_system("The workspace", &error)),
    }
}

/// Opens a workspace; makes it, for nobody else to look into, if it does not exist.
pub(crate) fn open_or_create_workspace(workspace: &Path) -> Result<Dir, ToolError> {
    if let Some(dir) = open_workspace(workspace)? {
        return Ok(dir);
    }
    create_private(workspace)
        .and_then(|()| Dir::open_ambient_dir(workspace, ambient_authority()))
        .map_err(|error| refusal::by_system("The workspace", &error))
}

/// Opens the folder with these names below `top`; makes what is not there. A link on the way is
/// refused.
pub(crate) fn open_or_create(top: Dir, names: &[String]) -> Result<Dir, ToolError> {
    let mut folder = top;
    for (index, name) in names.iter().enumerate() {
        let failed = |error: io::Error| refusal::by_system(&names[..=index].join("/"), &error);
        match folder.create_dir(name) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
        // Its entry has to be on disk before anything in it is. Also if it was there: a body that
        // died may have made it, and died before this.
        sync(&folder).map_err(failed)?;
        folder = folder.open_dir_nofollow(name).map_err(failed)?;
    }
    Ok(folder)
}

/// Writes a folder's entries to disk.
pub(crate) fn sync(folder: &Dir) -> io::Result<()> {
    if cfg!(windows) {
        // Folders cannot be flushed there; a rename is in the journal of the file system.
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.read(true).maybe_dir(true);
    folder.open_with(".", &options)?.sync_all()
}

/// Makes a folder and those above it, and writes the entry of each to disk.
fn create_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|ancestor| !ancestor.exists())
        .collect();
    builder.create(path)?;
    for parent in missing.into_iter().filter_map(Path::parent) {
        sync(&Dir::open_ambient_dir(parent, ambient_authority())?)?;
    }
    Ok(())
}
