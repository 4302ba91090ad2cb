//! One file on its way from what it holds to what it will hold: shared by the tools that change one.

use std::path::Path;

use engine::{Intent, ToolError};
use protocol::ErrorClass;

use crate::blocking::Steps;
use crate::file::Found;
use crate::path::WorkspacePath;
use crate::place::{self, Links};
use crate::replace::{self, Replacement};
use crate::{CHANGED_FILE_BYTES, file, folder, refusal};

/// What is at the path now. A file that nobody may write to stays as it is, although a rename
/// would not ask.
pub(crate) fn look(workspace: &Path, path: &WorkspacePath) -> Result<Option<Found>, ToolError> {
    let Some(workspace) = folder::open_workspace(workspace)? else {
        return Ok(None);
    };
    let Some(place) = place::find(workspace, path, Links::Refused)? else {
        return Ok(None);
    };
    let text = path.text();
    let found = file::read(&place.folder, &place.name, &text, CHANGED_FILE_BYTES)?;
    if found
        .as_ref()
        .is_some_and(|found| found.permissions.readonly())
    {
        return Err(refusal::forbidden(format!(
            "{text} is read-only. Ask the person to change that, or write another file."
        )));
    }
    Ok(found)
}

/// The hashes on both sides of the rename, as they were committed before the body started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) before: Option<[u8; 32]>,
    pub(crate) after: [u8; 32],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Sides {
    /// Of an intent that is about this path and this content, and about nothing else.
    pub(crate) fn of(
        intent: &Intent,
        path: &WorkspacePath,
        content: &str,
    ) -> Result<Self, ToolError> {
        let after = file::hash(content.as_bytes());
        match intent.files.as_slice() {
            [file] if file.path == path.text() && file.after == after => Ok(Self {
                before: file.before.as_deref().map(file::hash),
                after,
            }),
            _ => Err(not_prepared()),
        }
    }

    /// On which side of the rename this file is; a failure if on neither.
    fn of_file(self, found: Option<Found>, path: &WorkspacePath) -> Result<Side, ToolError> {
        let now = found.map(|found| found.hash());
        if now == Some(self.after) {
            Ok(Side::After)
        } else if now == self.before {
            Ok(Side::Before)
        } else {
            Err(replace::changed(&path.text()))
        }
    }
}

/// The intent does not belong to the call.
pub(crate) fn not_prepared() -> ToolError {
    ToolError::definite("What was prepared is not what is to be written.").of(ErrorClass::Internal)
}

/// A change that was prepared.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    /// The workspace.
    pub(crate) workspace: &'a Path,
    /// The file in it.
    pub(crate) path: &'a WorkspacePath,
    /// Everything that it will hold.
    pub(crate) content: &'a str,
    /// Its two sides.
    pub(crate) sides: Sides,
    /// The same for every body of the call.
    pub(crate) key: &'a str,
}

impl Change<'_> {
    /// Makes it, unless a body that died made it already.
    pub(crate) fn make(&self, steps: &Steps) -> Result<(), ToolError> {
        // Before folders are made for nothing.
        self.sides
            .of_file(look(self.workspace, self.path)?, self.path)?;
        steps.go_on()?;
        let workspace = folder::open_or_create_workspace(self.workspace)?;
        let folder = folder::open_or_create(workspace, self.path.parents())?;
        let path = self.path.text();
        let replacement = Replacement {
            folder: &folder,
            name: self.path.name(),
            path: &path,
            expected: self.sides.before,
            key: self.key,
        };
        let found = file::read(&folder, self.path.name(), &path, CHANGED_FILE_BYTES)?;
        match self.sides.of_file(found, self.path)? {
            Side::Before => replacement.write(self.content.as_bytes(), steps),
            Side::After => replacement.finish(),
        }
    }
}
