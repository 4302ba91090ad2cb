//! Every Rust file opens with a sentence about itself, and is named after what it holds.

use super::Finding;
use super::tree::{SourceFile, Tree};

const NAMELESS: [&str; 4] = ["utils.rs", "helpers.rs", "common.rs", "mod.rs"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        if NAMELESS.contains(&file.name()) {
            let message = format!("{} says nothing: name the thing that it holds", file.name());
            findings.push(Finding::new(&file.path, 1, message));
        }
        if !opens_with_sentence(file) {
            let message = "the first line must be a `//!` sentence about this file";
            findings.push(Finding::new(&file.path, 1, message));
        }
    }
    findings
}

fn opens_with_sentence(file: &SourceFile) -> bool {
    file.text
        .lines()
        .find(|line| !line.starts_with("// size:"))
        .and_then(|line| line.strip_prefix("//!"))
        .is_some_and(|sentence| !sentence.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn a_file_opens_with_its_sentence() {
        assert_eq!(count("a.rs", "//! Keeps runs.\n"), 0);
        assert_eq!(count("a.rs", "// size: one table\n//! Keeps runs.\n"), 0);
        assert_eq!(count("a.rs", "use std::fs;\n//! Keeps runs.\n"), 1);
        assert_eq!(count("a.rs", "//!\n"), 1);
        assert_eq!(count("a.rs", ""), 1);
    }

    #[test]
    fn catch_all_names_are_refused() {
        for name in NAMELESS {
            assert_eq!(
                count(&format!("crates/a/src/{name}"), "//! A.\n"),
                1,
                "{name}"
            );
        }
        assert_eq!(count("crates/a/src/model.rs", "//! A.\n"), 0);
    }
}
