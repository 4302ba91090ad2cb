//! No path of a developer's own machine gets into the repository.

use super::Finding;
use super::tree::Tree;

/// Written in pieces, or this file would find itself.
const PRIVATE: [&str; 4] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
];
/// Names that stand for anybody in an example.
const ANYBODY: [&str; 9] = [
    "you", "me", "user", "name", "someone", "ada", "alice", "bob", "example",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path != "Cargo.lock") {
        for (number, line) in file.lines() {
            if let Some(path) = private_path(line)
                && !file.allows(number, "path")
            {
                let message = format!("`{path}` is a path of one machine");
                findings.push(Finding::new(&file.path, number, message));
            }
        }
    }
    findings
}

fn private_path(line: &str) -> Option<&str> {
    PRIVATE.iter().find_map(|prefix| {
        line.match_indices(prefix).find_map(|(start, _)| {
            let before = line[..start].chars().next_back();
            if before.is_some_and(|character| is_path(character) || "/}$*".contains(character)) {
                return None;
            }
            let rest = &line[start + prefix.len()..];
            let length = rest
                .find(|character| !is_path(character))
                .unwrap_or(rest.len());
            let name = &rest[..length];
            let is_example = name.is_empty() || ANYBODY.contains(&name.to_lowercase().as_str());
            (!is_example).then(|| &line[start..start + prefix.len() + length])
        })
    })
}

fn is_path(character: char) -> bool {
    character.is_alphanumeric() || "_-.".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(line: &str) -> usize {
        check(&Tree::of(&[("docs/a.md", line)])).len()
    }

    #[test]
    fn private_folders_are_found() {
        for prefix in PRIVATE {
            assert_eq!(count(&format!("see `{prefix}rosa/notes`")), 1, "{prefix}");
            assert_eq!(count(&format!("{prefix}main")), 1, "{prefix}");
        }
    }

    #[test]
    fn examples_relative_paths_and_addresses_are_not() {
        for line in [
            format!("{}you/notes", PRIVATE[0]),
            format!("https://example.org{}main", PRIVATE[2]),
            format!("target{}main", PRIVATE[2]),
            format!("the folder {} of a container", PRIVATE[1]),
            format!(
                "{}main <!-- tidy: allow(path) a container's folder -->",
                PRIVATE[2]
            ),
        ] {
            assert_eq!(count(&line), 0, "{line}");
        }
    }
}
