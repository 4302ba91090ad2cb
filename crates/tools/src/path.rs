//! Paths as a model writes them: relative to the workspace, with `/`, and nothing else.

use std::path::{Path, PathBuf};

use engine::ToolError;

use crate::refusal;

/// Bytes of a path.
const PATH_BYTES: usize = 1024;
/// Bytes of one name in it: what file systems take.
const NAME_BYTES: usize = 255;
/// Names in it.
pub(crate) const DEPTH: usize = 32;

/// A path that says nothing but names below the workspace. What those names are on the disk is
/// another question: see [`crate::place`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkspacePath {
    names: Vec<String>,
}

impl WorkspacePath {
    /// Reads the path of a file.
    pub(crate) fn file(text: &str) -> Result<Self, ToolError> {
        let path = Self::folder(text)?;
        if path.names.is_empty() || text.ends_with('/') || text.ends_with("/.") {
            return Err(refusal::invalid(format!(
                "`{text}` names a folder. Give the path of a file, like notes/tides.md."
            )));
        }
        Ok(path)
    }

    /// Reads the path of a folder; `.` is the workspace.
    pub(crate) fn folder(text: &str) -> Result<Self, ToolError> {
        check_form(text)?;
        let mut names = Vec::new();
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    return Err(refusal::forbidden(format!(
                        "`{text}` has `..` in it, which could leave the workspace. Give the path from \
                         the top of the workspace."
                    )));
                }
                name if name.len() > NAME_BYTES => {
                    return Err(refusal::invalid(format!(
                        "The path has a name of {} bytes; at most {NAME_BYTES} are taken.",
                        name.len()
                    )));
                }
                name => names.push(name.to_owned()),
            }
        }
        if names.len() > DEPTH {
            return Err(refusal::invalid(format!(
                "The path has {} names; at most {DEPTH} are taken.",
                names.len()
            )));
        }
        Ok(Self { names })
    }

    /// Its names, from the top of the workspace.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The last name; `.` for the workspace.
    pub(crate) fn name(&self) -> &str {
        self.names.last().map_or(".", String::as_str)
    }

    /// The names of the folders on the way.
    pub(crate) fn parents(&self) -> &[String] {
        self.names.split_last().map_or(&[], |(_, parents)| parents)
    }

    /// With `/`; `.` for the workspace.
    pub(crate) fn text(&self) -> String {
        if self.names.is_empty() {
            ".".to_owned()
        } else {
            self.names.join("/")
        }
    }

    /// The full path, for a person to read. Nothing is ever opened by it.
    pub(crate) fn full(&self, workspace: &Path) -> PathBuf {
        workspace.join(self.names.iter().collect::<PathBuf>())
    }
}

/// Whether a character can hide what a name is: it controls the terminal, turns the writing
/// direction or takes no room. Joiners (200C, 200D) are left: scripts and emoji need them.
pub(crate) fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// A text on one line: a line break in a name could pretend to be another entry.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let escaped = is_deceptive(character).then(|| character.escape_unicode());
            let plain = escaped.is_none().then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

fn check_form(text: &str) -> Result<(), ToolError> {
    if text.is_empty() {
        return Err(refusal::invalid(
            "The path is empty. Give one relative to the workspace, like notes/tides.md.",
        ));
    }
    if text.len() > PATH_BYTES {
        return Err(refusal::invalid(format!(
            "The path has {} bytes; at most {PATH_BYTES} are taken.",
            text.len()
        )));
    }
    if text.chars().any(is_deceptive) {
        return Err(refusal::invalid(
            "The path has control or invisible characters in it. Leave them out.",
        ));
    }
    let bytes = text.as_bytes();
    let has_drive = bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    let is_home = text == "~" || text.starts_with("~/");
    if text.starts_with('/') || has_drive || is_home {
        return Err(refusal::forbidden(format!(
            "`{text}` is not relative to the workspace. Leave out everything up to the workspace: \
             notes/tides.md is a file in its folder notes."
        )));
    }
    if text.contains('\\') {
        return Err(refusal::invalid(format!(
            "`{text}` has a backslash in it. Folders are divided by `/`."
        )));
    }
    Ok(())
}
