//! From a path to an open folder and a name in it, one name at a time.
//!
//! Every step opens one name below a folder that is already open and refuses links while doing so.
//! Where a link may be followed, its target is walked by the same steps. So there is no moment at
//! which something that was checked can become something else before it is opened.

use std::io;
use std::path::{Component, Path};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use engine::ToolError;

use crate::path::WorkspacePath;
use crate::refusal;

/// Links that are followed on one path; a loop ends here.
const FOLLOWED_LINKS: usize = 40;

/// What is done about links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Followed, as long as they stay in the workspace.
    Inside,
    /// Refused, wherever they lead.
    Refused,
}

/// Where a path leads: a name in an open folder. It is no link, and may be nothing at all.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder.
    pub(crate) folder: Dir,
    /// The name in it; `.` for the folder itself.
    pub(crate) name: String,
    /// The names from the top of the workspace, links resolved.
    pub(crate) names: Vec<String>,
}

/// Walks along a path. `None` if a folder on the way does not exist.
pub(crate) fn find(
    workspace: Dir,
    path: &WorkspacePath,
    links: Links,
) -> Result<Option<Place>, ToolError> {
    let text = path.text();
    let mut walk = Walk {
        text: &text,
        folder: workspace,
        above: Vec::new(),
        names: Vec::new(),
        ahead: path.names().iter().rev().cloned().collect(),
    };
    let mut followed = 0;
    while let Some(name) = walk.ahead.pop() {
        if name == ".." {
            walk.leave()?;
            continue;
        }
        let metadata = match walk.folder.symlink_metadata(&name) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(walk.ahead.is_empty().then(|| walk.end_at(name)));
            }
            Err(error) => return Err(refusal::by_system(&text, &error)),
        };
        if metadata.is_symlink() {
            followed += 1;
            if links == Links::Refused || followed > FOLLOWED_LINKS {
                return Err(walk.refuse_link(name));
            }
            walk.follow(&name)?;
        } else if walk.ahead.is_empty() {
            return Ok(Some(walk.end_at(name)));
        } else if metadata.is_dir() {
            walk.enter(name)?;
        } else {
            walk.names.push(name);
            return Err(ToolError::definite(format!(
                "{} is a file, not a folder.",
                walk.names.join("/")
            )));
        }
    }
    Ok(Some(Place {
        folder: walk.folder,
        name: ".".to_owned(),
        names: walk.names,
    }))
}

struct Walk<'a> {
    text: &'a str,
    folder: Dir,
    /// The folders above: where `..` in a link leads. They stay open, so it cannot lead elsewhere.
    above: Vec<Dir>,
    names: Vec<String>,
    /// What is still to be walked, the next one last.
    ahead: Vec<String>,
}

impl Walk<'_> {
    fn enter(&mut self, name: String) -> Result<(), ToolError> {
        let inner = self
            .folder
            .open_dir_nofollow(&name)
            .map_err(|error| refusal::by_system(self.text, &error))?;
        self.above.push(std::mem::replace(&mut self.folder, inner));
        self.names.push(name);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), ToolError> {
        self.folder = self
            .above
            .pop()
            .ok_or_else(|| refusal::outside(self.text))?;
        self.names.pop();
        Ok(())
    }

    fn follow(&mut self, name: &str) -> Result<(), ToolError> {
        let target = self
            .folder
            .read_link_contents(name)
            .map_err(|error| refusal::by_system(self.text, &error))?;
        let mut steps = link_steps(&target).ok_or_else(|| refusal::outside(self.text))?;
        steps.reverse();
        self.ahead.append(&mut steps);
        Ok(())
    }

    fn end_at(mut self, name: String) -> Place {
        self.names.push(name.clone());
        Place {
            folder: self.folder,
            name,
            names: self.names,
        }
    }

    fn refuse_link(mut self, name: String) -> ToolError {
        self.names.push(name);
        refusal::forbidden(format!(
            "{} is a link, and what it leads to could change at any time. Use the path of the \
             file itself.",
            self.names.join("/")
        ))
    }
}

/// The steps of a link's target; nothing if it begins elsewhere or cannot be named.
fn link_steps(target: &Path) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    for component in target.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => steps.push("..".to_owned()),
            Component::Normal(name) => steps.push(name.to_str()?.to_owned()),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(steps)
}
