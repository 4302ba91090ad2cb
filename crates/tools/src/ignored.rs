//! Ignore files: what they name is not looked at. They are read through the folders that are open,
//! like everything else; a link or a pipe of that name is none.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::file;

/// Bytes of an ignore file. What is longer is not used, and said to be so.
const IGNORE_BYTES: u64 = 64 * 1024;
/// The names, the one that wins first.
const NAMES: [&str; 2] = [".ignore", ".gitignore"];

/// The ignore files of a folder and of those above it, up to the workspace.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    /// One for each folder, from the top.
    levels: Vec<[Option<Gitignore>; NAMES.len()]>,
    /// Files that were there and could not be used.
    pub(crate) unused: usize,
}

impl Ignored {
    /// Reads those of the next folder on the way down.
    pub(crate) fn enter(&mut self, folder: &Dir) {
        let level = NAMES.map(|name| self.read(folder, name));
        self.levels.push(level);
    }

    /// Back to the folder above.
    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Whether this path, from the top of the workspace, is to be left out. The deepest file that
    /// says something about it counts, and in it the last line. A folder that is left out is not
    /// entered, so nothing in it comes back.
    pub(crate) fn holds(&self, path: &Path, is_folder: bool) -> bool {
        for which in 0..NAMES.len() {
            for (depth, level) in self.levels.iter().enumerate().rev() {
                let Some(rules) = &level[which] else { continue };
                let below: PathBuf = path.components().skip(depth).collect();
                match rules.matched(below, is_folder) {
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                    Match::None => {}
                }
            }
        }
        false
    }

    fn read(&mut self, folder: &Dir, name: &str) -> Option<Gitignore> {
        let found = match file::read(folder, name, name, IGNORE_BYTES) {
            Ok(found) => found?,
            Err(_) => {
                self.unused += 1;
                return None;
            }
        };
        let rules = rules(&found.bytes);
        self.unused += usize::from(rules.is_none());
        rules
    }
}

/// A line that cannot be read is left out, as git does it.
fn rules(bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        drop(builder.add_line(None, line).map(|_| ()));
    }
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(levels: &[(&str, &str)]) -> Ignored {
        Ignored {
            levels: levels
                .iter()
                .map(|(ignore, gitignore)| [ignore, gitignore].map(|text| rules(text.as_bytes())))
                .collect(),
            unused: 0,
        }
    }

    #[test]
    fn the_deepest_file_that_says_something_counts() {
        let ignored = ignored(&[("", "*.log\n/top\nbuild/\n"), ("", "!kept.log\n/only\n")]);
        for (path, is_folder, is_held) in [
            ("a.log", false, true),
            ("sub/a.log", false, true),
            ("sub/kept.log", false, false),
            ("top", false, true),
            ("sub/top", false, false),
            ("sub/only", false, true),
            ("build", true, true),
            ("build", false, false),
            ("sub/a.md", false, false),
        ] {
            assert_eq!(ignored.holds(Path::new(path), is_folder), is_held, "{path}");
        }
    }

    #[test]
    fn the_own_ignore_file_wins_over_that_of_git() {
        let ignored = ignored(&[("!a.log\nb.md\n", "*.log\n")]);
        assert!(!ignored.holds(Path::new("a.log"), false));
        assert!(ignored.holds(Path::new("b.log"), false));
        assert!(ignored.holds(Path::new("b.md"), false));
    }

    #[test]
    fn lines_that_cannot_be_read_do_not_spoil_the_others() {
        let ignored = ignored(&[("", "\u{feff}a.md\r\n[z\n\n# b.md\n\\#c.md\n  \n{x\nd.md")]);
        for (name, is_held) in [
            ("a.md", true),
            ("b.md", false),
            ("#c.md", true),
            ("d.md", true),
        ] {
            assert_eq!(ignored.holds(Path::new(name), false), is_held, "{name}");
        }
    }
}
