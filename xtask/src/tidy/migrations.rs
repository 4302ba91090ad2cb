//! Released migrations are frozen: people's databases were made with them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::Finding;
use super::tree::{SourceFile, Tree};

const FOLDER: &str = "crates/store/migrations/";
/// One line for each released migration: `sha256  filename`, as `sha256sum` prints it.
pub(super) const FROZEN: &str = "crates/store/migrations/frozen.txt";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(frozen) = tree.get(FROZEN) else {
        return findings;
    };
    for (number, line) in frozen.lines().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((hash, name)) = line.split_once("  ") else {
            findings.push(Finding::new(
                FROZEN,
                number,
                "not of the form `sha256  filename`",
            ));
            continue;
        };
        let message = match tree.get(&format!("{FOLDER}{name}")) {
            None => format!("{name} was released and is missing: bring it back"),
            Some(file) if hash_of(file) != hash => {
                format!("{name} was released and has changed: undo that, and add a new migration")
            }
            Some(_) => continue,
        };
        findings.push(Finding::new(FROZEN, number, message));
    }
    findings
}

/// The list with every migration in it, in order of name.
pub(super) fn frozen_text(tree: &Tree) -> String {
    let migrations: BTreeMap<&str, String> = tree
        .files
        .iter()
        .filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".sql"))
        .map(|file| (&file.path[FOLDER.len()..], hash_of(file)))
        .collect();
    migrations
        .iter()
        .map(|(name, hash)| format!("{hash}  {name}\n"))
        .collect()
}

fn hash_of(file: &SourceFile) -> String {
    Sha256::digest(&file.text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "crates/store/migrations/V001__initial.sql";
    const SECOND: &str = "crates/store/migrations/V002__more.sql";

    #[test]
    fn the_list_is_what_sha256sum_prints() {
        assert_eq!(
            frozen_text(&Tree::of(&[
                (FIRST, "abc"),
                ("crates/store/src/lib.rs", "")
            ])),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  V001__initial.sql\n"
        );
    }

    #[test]
    fn a_changed_or_missing_released_migration_is_found() {
        let frozen = frozen_text(&Tree::of(&[(FIRST, "abc")]));
        assert!(check(&Tree::of(&[(FIRST, "abc"), (FROZEN, &frozen)])).is_empty());
        let changed = check(&Tree::of(&[(FIRST, "abd"), (FROZEN, &frozen)]));
        assert!(changed[0].message.contains("has changed"));
        let missing = check(&Tree::of(&[(FROZEN, &frozen)]));
        assert!(missing[0].message.contains("is missing"));
    }

    #[test]
    fn an_unreleased_migration_may_change() {
        let frozen = frozen_text(&Tree::of(&[(FIRST, "abc")]));
        let tree = Tree::of(&[(FIRST, "abc"), (SECOND, "anything"), (FROZEN, &frozen)]);
        assert!(check(&tree).is_empty());
    }
}
