//! Every package takes part in the workspace's lints, or has its own.

use super::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| file.name() == "Cargo.toml")
        .filter(|file| file.text.lines().any(|line| line.trim() == "[package]"))
        .filter(|file| !has_lints(&file.text))
        .map(|file| {
            Finding::new(
                &file.path,
                1,
                "no lints: add `[lints]` with `workspace = true`",
            )
        })
        .collect()
}

fn has_lints(manifest: &str) -> bool {
    let mut in_lints = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            in_lints = line == "[lints]" || line.starts_with("[lints.");
        } else if in_lints && line.contains('=') && !line.starts_with('#') {
            return !line.replace(' ', "").eq("workspace=false");
        }
    }
    manifest
        .lines()
        .any(|line| line.trim() == "lints.workspace = true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        check(&Tree::of(&[("crates/a/Cargo.toml", text)])).len()
    }

    #[test]
    fn a_package_has_lints() {
        assert_eq!(
            count("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"),
            0
        );
        assert_eq!(
            count("[package]\nname = \"a\"\n\n[lints.rust]\nunsafe_code = \"deny\"\n"),
            0
        );
    }

    #[test]
    fn a_package_without_lints_is_found() {
        assert_eq!(count("[package]\nname = \"a\"\n"), 1);
        assert_eq!(count("[package]\nname = \"a\"\n\n[lints]\n"), 1);
    }

    #[test]
    fn a_virtual_workspace_is_no_package() {
        assert_eq!(count("[workspace]\nmembers = []\n"), 0);
    }
}
