//! The scratch workspaces: one private folder for each session, made when it is first written to.

use std::io;
use std::path::PathBuf;

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use engine::{RestoreError, ToolError, Workspaces};

use crate::blocking::Steps;
use crate::path::WorkspacePath;
use crate::place::{self, Links, Place};
use crate::replace::Replacement;
use crate::{CHANGED_FILE_BYTES, file, folder};

/// Bytes of a workspace's name.
const NAME_BYTES: usize = 64;

/// Workspaces as folders below one root.
#[derive(Debug)]
pub struct ScratchWorkspaces {
    root: PathBuf,
}

impl ScratchWorkspaces {
    /// Below this folder, which may not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn open_root(&self) -> io::Result<Option<Dir>> {
        optional(Dir::open_ambient_dir(&self.root, ambient_authority()))
    }
}

impl Workspaces for ScratchWorkspaces {
    fn folder(&self, name: &str) -> PathBuf {
        if is_name(name) {
            self.root.join(name)
        } else {
            // No system opens or makes this, so whoever uses it is refused.
            self.root.join("\0")
        }
    }

    fn restore(
        &self,
        name: &str,
        path: &str,
        after: [u8; 32],
        before: Option<&[u8]>,
    ) -> Result<(), RestoreError> {
        let failed = |detail: String| RestoreError::Failed {
            path: path.to_owned(),
            detail,
        };
        if !is_name(name) {
            return Err(failed(format!("{name:?} is not a workspace")));
        }
        let workspace_path = WorkspacePath::file(path).map_err(|error| failed(error.message))?;
        let place = self
            .find(name, &workspace_path)
            .map_err(|error| failed(error.message))?;
        let expected = before.map(file::hash);
        let now = match &place {
            Some(place) => hash_now(place).ok_or_else(|| RestoreError::Changed(path.to_owned()))?,
            None => None,
        };
        if now == expected {
            return Ok(());
        }
        let (Some(place), true) = (&place, now == Some(after)) else {
            return Err(RestoreError::Changed(path.to_owned()));
        };
        put_back(place, path, after, before).map_err(|error| failed(error.message))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        if !is_name(name) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{name:?} is not a workspace"),
            ));
        }
        let Some(root) = self.open_root()? else {
            return Ok(());
        };
        // A link of this name is removed itself; links inside are too, whatever they lead to.
        optional(root.remove_dir_all(name))?;
        folder::sync(&root)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let Some(root) = self.open_root()? else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for entry in root.entries()? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            if let Ok(name) = entry.file_name().into_string()
                && is_name(&name)
            {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

impl ScratchWorkspaces {
    fn find(&self, name: &str, path: &WorkspacePath) -> Result<Option<Place>, ToolError> {
        let Some(root) = folder::open_workspace(&self.root)? else {
            return Ok(None);
        };
        let workspace = optional(root.open_dir_nofollow(name))
            .map_err(|error| ToolError::definite(error.to_string()))?;
        match workspace {
            Some(workspace) => place::find(workspace, path, Links::Refused),
            None => Ok(None),
        }
    }
}

/// What is there now: nothing, or a file with this hash. `None` if it is something that no tool
/// wrote.
fn hash_now(place: &Place) -> Option<Option<[u8; 32]>> {
    let found = file::read(&place.folder, &place.name, "", CHANGED_FILE_BYTES).ok()?;
    Some(found.map(|found| found.hash()))
}

fn put_back(
    place: &Place,
    path: &str,
    after: [u8; 32],
    before: Option<&[u8]>,
) -> Result<(), ToolError> {
    let key = format!("undo-{}", blake3::Hash::from_bytes(after).to_hex());
    let replacement = Replacement {
        folder: &place.folder,
        name: &place.name,
        path,
        expected: Some(after),
        key: &key,
    };
    match before {
        Some(before) => replacement.write(before, &Steps::without_end()),
        None => replacement.remove(),
    }
}

/// What ids are made of, and nothing that a path could be made of.
fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= NAME_BYTES && name.bytes().all(is_allowed)
}

fn optional<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
