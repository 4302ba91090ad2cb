//! The checkout's text files, read once for all rules.

use std::fs;
use std::path::Path;

use anyhow::Result;

/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 5] = [".git", "target", "ui/dist", "src-tauri/gen", "node_modules"];

/// One text file; the path is relative, with `/` on every system.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }

    /// Whether a line, or the one above it, carries `tidy: allow(what)` with a reason.
    pub(crate) fn allows(&self, line: usize, what: &str) -> bool {
        let mark = format!("tidy: allow({what})");
        self.lines()
            .filter(|(number, _)| *number == line || number + 1 == line)
            .filter_map(|(_, text)| text.split_once(&mark))
            .any(|(_, reason)| !reason.trim().trim_end_matches("*/").trim().is_empty())
    }
}

/// All text files.
pub(crate) struct Tree {
    pub(crate) files: Vec<SourceFile>,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { files })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| SourceFile {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        Self { files }
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_rust())
    }

    pub(crate) fn get(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}/{name}")
        };
        if name.ends_with(".new")
            || SKIPPED
                .iter()
                .any(|skipped| path == *skipped || name == *skipped)
        {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &path, files)?;
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            // What is not text (icons, fixtures of databases) is no matter of style.
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_needs_a_reason_and_reaches_one_line() {
        let tree = Tree::of(&[(
            "a.rs",
            "// tidy: allow(chat) the provider calls it so\nlet a;\nlet b;\nlet c; // tidy: allow(chat)\n",
        )]);
        let Some(file) = tree.get("a.rs") else {
            panic!("no file")
        };
        let allowed: Vec<bool> = (1..=4).map(|line| file.allows(line, "chat")).collect();
        assert_eq!(allowed, [true, true, false, false]);
    }

    #[test]
    fn generated_folders_are_not_read() -> Result<()> {
        let root = tempfile::tempdir()?;
        for path in [
            "src/a.rs",
            "target/b.rs",
            "ui/dist/c.js",
            "ui/d.css",
            "ui/dist.new/e.js",
        ] {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().unwrap_or(root.path()))?;
            fs::write(file, "x")?;
        }
        let tree = Tree::read(root.path())?;
        let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["src/a.rs", "ui/d.css"]);
        Ok(())
    }
}
