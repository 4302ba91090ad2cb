//! Walking below a folder, in order of names, through folders that are open.
//!
//! Every step opens one name below a folder that is already open, and no link is ever entered: a
//! folder that becomes one between being listed and being opened is left out. (A walker that works
//! with paths would open them from the top each time, and could be led elsewhere in between.)

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};
use engine::ToolError;

use crate::blocking::Steps;
use crate::difference::counted;
use crate::ignored::Ignored;
use crate::path::{DEPTH, WorkspacePath, visible};
use crate::place::{self, Links};
use crate::{folder, refusal};

/// Entries of one folder: all of them have to be put in order.
const FOLDER_ENTRIES: usize = 200_000;
/// Entries of one walk.
const ENTRIES: usize = 1_000_000;

/// What is looked at beside the ordinary.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// Names that begin with a dot.
    pub(crate) hidden: bool,
    /// What ignore files name.
    pub(crate) ignored: bool,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Go,
    Enough,
}

/// Something on the way that is no folder.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    /// The folder that it is in.
    pub(crate) folder: &'a Dir,
    /// Its name there.
    pub(crate) name: &'a OsStr,
    /// What the folder says that it is; whoever opens it looks again.
    pub(crate) kind: FileType,
    /// Its path below the folder where the walk began.
    pub(crate) below: &'a Path,
    /// Its names from the top of the workspace, links resolved.
    pub(crate) names: &'a [String],
}

/// What a walk left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    entries: usize,
    is_over_time: bool,
    too_deep: usize,
    too_full: usize,
    unreadable: usize,
    unused_ignore_files: usize,
}

impl LeftOut {
    /// In words, a sentence without its end each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_over_time {
            notes.push("the time was over before everything was looked at".to_owned());
        }
        if self.entries > ENTRIES {
            notes.push(format!("only the first {ENTRIES} entries were looked at"));
        }
        for (count, what) in [
            (self.too_deep, "too deep to be looked at"),
            (self.too_full, "with too many entries to be looked at"),
            (self.unreadable, "that could not be opened"),
        ] {
            if count > 0 {
                notes.push(format!("{} {what}", counted(count, "folder")));
            }
        }
        if self.unused_ignore_files > 0 {
            let files = counted(self.unused_ignore_files, "ignore file");
            notes.push(format!("{files} could not be used"));
        }
        notes
    }

    /// Whether the walk ended before its end.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_over_time || self.entries > ENTRIES
    }
}

/// Where a walk begins.
#[derive(Debug)]
pub(crate) enum Start {
    /// A folder, with the ignore files on the way to it.
    Folder(Folder),
    /// A file: its folder and its name.
    File(place::Place),
}

/// A folder where a walk begins.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    names: Vec<String>,
    ignored: Ignored,
}

/// Finds the beginning. `None` if the workspace itself does not exist yet.
pub(crate) fn start(workspace: &Path, path: &WorkspacePath) -> Result<Option<Start>, ToolError> {
    let text = path.text();
    let Some(top) = folder::open_workspace(workspace)? else {
        return if text == "." {
            Ok(None)
        } else {
            Err(refusal::missing(&text))
        };
    };
    let again = top
        .try_clone()
        .map_err(|error| refusal::by_system(&text, &error))?;
    let place = place::find(again, path, Links::Inside)?.ok_or_else(|| refusal::missing(&text))?;
    let metadata = place
        .folder
        .symlink_metadata(&place.name)
        .map_err(|error| refusal::by_system(&text, &error))?;
    if !metadata.is_dir() {
        return Ok(Some(Start::File(place)));
    }
    // Once more from the top, by the names that were found: for the ignore files on the way.
    let mut ignored = Ignored::default();
    let mut dir = top;
    for name in &place.names {
        ignored.enter(&dir);
        dir = dir
            .open_dir_nofollow(name)
            .map_err(|error| refusal::by_system(&text, &error))?;
    }
    Ok(Some(Start::Folder(Folder {
        dir,
        names: place.names,
        ignored,
    })))
}

/// Visits everything below that is no folder, in order, until it is enough.
pub(crate) fn walk(
    start: Folder,
    wanted: Wanted,
    steps: &Steps,
    visit: &mut dyn FnMut(&Entry<'_>) -> Result<Flow, ToolError>,
) -> Result<LeftOut, ToolError> {
    let mut walk = Walk {
        wanted,
        steps,
        full: start.names.iter().collect(),
        names: start.names,
        below: PathBuf::new(),
        ignored: if wanted.ignored {
            Ignored::default()
        } else {
            start.ignored
        },
        left_out: LeftOut::default(),
        visit,
    };
    walk.enter(&start.dir)?;
    walk.left_out.unused_ignore_files = walk.ignored.unused;
    Ok(walk.left_out)
}

struct Walk<'a> {
    wanted: Wanted,
    steps: &'a Steps,
    /// The path from the top of the workspace, as it is and in names.
    full: PathBuf,
    names: Vec<String>,
    below: PathBuf,
    ignored: Ignored,
    left_out: LeftOut,
    visit: &'a mut dyn FnMut(&Entry<'_>) -> Result<Flow, ToolError>,
}

impl Walk<'_> {
    fn enter(&mut self, dir: &Dir) -> Result<Flow, ToolError> {
        let Some(entries) = self.entries(dir)? else {
            return Ok(Flow::Go);
        };
        if !self.wanted.ignored {
            self.ignored.enter(dir);
        }
        for (name, kind) in entries {
            self.steps.go_on()?;
            self.left_out.entries += 1;
            self.left_out.is_over_time |= self.steps.is_time_up();
            if self.left_out.is_cut() {
                return Ok(Flow::Enough);
            }
            if self.is_passed_over(&name) {
                continue;
            }
            self.full.push(&name);
            self.below.push(&name);
            self.names.push(name.to_string_lossy().into_owned());
            let flow = self.one(dir, &name, kind)?;
            self.full.pop();
            self.below.pop();
            self.names.pop();
            if flow == Flow::Enough {
                return Ok(flow);
            }
        }
        self.ignored.leave();
        Ok(Flow::Go)
    }

    fn one(&mut self, dir: &Dir, name: &OsStr, kind: FileType) -> Result<Flow, ToolError> {
        let is_folder = kind.is_dir();
        if self.ignored.holds(&self.full, is_folder) {
            return Ok(Flow::Go);
        }
        if !is_folder {
            return (self.visit)(&Entry {
                folder: dir,
                name,
                kind,
                below: &self.below,
                names: &self.names,
            });
        }
        // No tool takes a path that is deeper.
        if self.names.len() >= DEPTH {
            self.left_out.too_deep += 1;
            return Ok(Flow::Go);
        }
        match dir.open_dir_nofollow(name) {
            Ok(inner) => self.enter(&inner),
            Err(_) => {
                self.left_out.unreadable += 1;
                Ok(Flow::Go)
            }
        }
    }

    /// What a folder holds, in order; nothing if that cannot be said.
    fn entries(&mut self, dir: &Dir) -> Result<Option<Vec<(OsString, FileType)>>, ToolError> {
        let Ok(listed) = dir.entries() else {
            self.left_out.unreadable += 1;
            return Ok(None);
        };
        let mut entries = Vec::new();
        for entry in listed {
            self.steps.go_on()?;
            let Ok(entry) = entry else {
                self.left_out.unreadable += 1;
                return Ok(None);
            };
            if entries.len() == FOLDER_ENTRIES {
                self.left_out.too_full += 1;
                return Ok(None);
            }
            let name = entry.file_name();
            // Not every file system says what an entry is; then the entry itself is asked.
            let kind = match entry.file_type() {
                Ok(kind) if kind != FileType::unknown() => kind,
                Ok(_) | Err(_) => match dir.symlink_metadata(&name) {
                    Ok(metadata) => metadata.file_type(),
                    Err(_) => continue,
                },
            };
            entries.push((name, kind));
        }
        entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(Some(entries))
    }

    /// What git keeps for itself is passed over even among the hidden: it is large, and no file that
    /// anybody works on.
    fn is_passed_over(&self, name: &OsStr) -> bool {
        let name = name.as_encoded_bytes();
        name.eq_ignore_ascii_case(b".git") || !self.wanted.hidden && name.starts_with(b".")
    }
}

/// A path below a folder as it is said: on one line, and as the other tools take it.
pub(crate) fn shown(start: &WorkspacePath, below: &Path) -> String {
    let below: Vec<String> = below
        .iter()
        .map(|name| visible(&name.to_string_lossy()))
        .collect();
    if start.names().is_empty() {
        below.join("/")
    } else {
        format!("{}/{}", start.text(), below.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &Path) -> Folder {
        match start(path, &WorkspacePath::folder(".").unwrap()).unwrap() {
            Some(Start::Folder(folder)) => folder,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_walk_without_time_says_so() {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join("a"), "").unwrap();
        let mut visited = 0;
        let mut visit = |_: &Entry<'_>| {
            visited += 1;
            Ok(Flow::Go)
        };
        let steps = Steps::without_time();
        let left_out = walk(folder(top.path()), Wanted::default(), &steps, &mut visit).unwrap();
        assert!(left_out.notes()[0].contains("time was over"));
        let steps = Steps::without_end();
        let left_out = walk(folder(top.path()), Wanted::default(), &steps, &mut visit).unwrap();
        assert_eq!((left_out.notes(), visited), (Vec::new(), 1));
    }

    #[test]
    fn a_visitor_that_has_enough_ends_the_walk() {
        let top = tempfile::tempdir().unwrap();
        for path in ["a/b", "a/c", "d"] {
            std::fs::create_dir_all(top.path().join("a")).unwrap();
            std::fs::write(top.path().join(path), "").unwrap();
        }
        let mut visited = Vec::new();
        let mut visit = |entry: &Entry<'_>| {
            visited.push(entry.below.to_owned());
            Ok(Flow::Enough)
        };
        let steps = Steps::without_end();
        walk(folder(top.path()), Wanted::default(), &steps, &mut visit).unwrap();
        assert_eq!(visited, [Path::new("a/b")]);
    }
}
