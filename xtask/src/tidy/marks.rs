//! Nothing is left for later in the code: no reminders, holes or tests that are switched off.

use super::Finding;
use super::tree::Tree;

/// Written in pieces, or this file would find itself.
const MARKS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!"),
    concat!("unimple", "mented!"),
    concat!("#[ign", "ore"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        for (number, line) in file.lines() {
            for mark in MARKS.iter().filter(|mark| holds(line, mark)) {
                let message = format!("`{mark}`: do it, or leave it out");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

/// Whether the mark stands there as a word of its own.
fn holds(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + mark.len()..].chars().next();
        let ends_in_letter = mark.ends_with(char::is_alphabetic);
        let runs_on = ends_in_letter && after.is_some_and(is_word);
        !before.is_some_and(is_word) && !runs_on
    })
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_found() {
        for mark in MARKS {
            let text = format!("//! A.\n// {mark}\n");
            let findings = check(&Tree::of(&[("a.rs", &text)]));
            assert_eq!(findings.len(), 1, "{mark}");
            assert_eq!(findings[0].line, 2);
        }
    }

    #[test]
    fn longer_words_and_other_files_are_left_alone() {
        let text = format!("{}S {}_list", MARKS[0], MARKS[0]);
        assert!(check(&Tree::of(&[("a.rs", &text), ("a.md", MARKS[0])])).is_empty());
    }
}
