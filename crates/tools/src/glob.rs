//! Patterns that a model gives for the files it means.

use std::path::Path;

use engine::ToolError;
use globset::{GlobBuilder, GlobSet};

use crate::path::is_deceptive;
use crate::refusal;

/// Bytes of a pattern.
const PATTERN_BYTES: usize = 1_000;

/// A pattern. Without `/` it fits names in every folder, with one it fits the path below the folder
/// that is looked at.
#[derive(Debug)]
pub(crate) struct Glob {
    set: GlobSet,
    is_for_names: bool,
}

impl Glob {
    /// Reads it. `field` is for messages.
    pub(crate) fn read(field: &str, text: &str) -> Result<Self, ToolError> {
        check_form(field, text)?;
        let pattern = text.strip_prefix("./").unwrap_or(text);
        let unreadable = |error: &globset::Error| {
            refusal::invalid(format!(
                "`{field}` cannot be read: {}. Give something like *.md or src/**/*.rs.",
                error.kind()
            ))
        };
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| unreadable(&error))?;
        // A single glob panics when its form is fine and its size is not; a set of one says so.
        let set = GlobSet::builder().add(glob).build();
        Ok(Self {
            set: set.map_err(|error| unreadable(&error))?,
            is_for_names: !pattern.contains('/'),
        })
    }

    /// Whether it fits a path below the folder that is looked at.
    pub(crate) fn fits(&self, path: &Path) -> bool {
        if self.is_for_names {
            path.file_name().is_some_and(|name| self.set.is_match(name))
        } else {
            self.set.is_match(path)
        }
    }
}

fn check_form(field: &str, text: &str) -> Result<(), ToolError> {
    let problem = if text.is_empty() {
        "is empty"
    } else if text.len() > PATTERN_BYTES {
        "is too long: at most 1000 bytes are taken"
    } else if text.chars().any(is_deceptive) {
        "has control or invisible characters in it"
    } else if text.starts_with('/') || text.starts_with('~') {
        "is not relative to the workspace"
    } else if text.split('/').any(|name| name == "..") {
        "has `..` in it, which could leave the workspace"
    } else if text.ends_with('/') {
        "names a folder, and files are looked for: end it with /** for everything below"
    } else {
        return Ok(());
    };
    Err(refusal::invalid(format!(
        "`{field}` {problem}. Give something like *.md or src/**/*.rs; `path` says below which folder."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        Glob::read("pattern", pattern)
            .unwrap()
            .fits(Path::new(path))
    }

    #[test]
    fn a_pattern_without_a_folder_fits_names_everywhere() {
        for path in ["a.md", "docs/a.md", "docs/deep/a.md"] {
            assert!(fits("*.md", path), "{path}");
            assert!(fits("**/*.md", path), "{path}");
            assert!(fits("a.{md,txt}", path), "{path}");
        }
        assert!(!fits("*.md", "a.md.bak"));
    }

    #[test]
    fn a_pattern_with_a_folder_fits_the_path() {
        assert!(fits("docs/*.md", "docs/a.md"));
        assert!(fits("./docs/*.md", "docs/a.md"));
        assert!(!fits("docs/*.md", "docs/deep/a.md"), "one star, one folder");
        assert!(fits("docs/**/*.md", "docs/deep/a.md"));
        assert!(fits("docs/**/*.md", "docs/a.md"));
        assert!(!fits("docs/*.md", "old/docs/a.md"));
    }

    #[test]
    fn patterns_that_cannot_mean_anything_are_refused() {
        let long = "a".repeat(PATTERN_BYTES + 1);
        let nested = "{a,".repeat(300);
        for pattern in [
            "",
            "/etc/*",
            "~/*",
            "../*",
            "a/../../*",
            "docs/",
            "[a",
            "{a",
            "a\nb",
            "a\u{202e}b",
            &long,
            &nested,
        ] {
            let error = Glob::read("glob", pattern).unwrap_err();
            assert!(error.is_definite);
            assert!(error.message.contains("`glob`"), "{pattern:?}: {error}");
            assert!(error.message.contains("*.md"), "{pattern:?}: {error}");
        }
    }
}
