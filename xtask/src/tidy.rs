//! `cargo xtask tidy`: the rules of this repository that the compiler does not know.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{repository, screen};

mod edges;
mod headers;
mod lexer;
mod manifests;
mod marks;
mod migrations;
mod paths;
mod sizes;
mod tree;
mod words;

use tree::Tree;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Rules that look at files alone.
const RULES: [fn(&Tree) -> Vec<Finding>; 7] = [
    sizes::check,
    headers::check,
    marks::check,
    paths::check,
    words::check,
    migrations::check,
    manifests::check,
];

/// Every broken rule in a checkout, in order of path and line.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let tree = Tree::read(root)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.extend(edges::check(&repository::metadata(root)?));
    findings.sort();
    findings.dedup();
    Ok(findings)
}

pub(crate) fn run(root: &Path) -> Result<()> {
    let findings = check(root)?;
    if findings.is_empty() {
        return Ok(());
    }
    for finding in &findings {
        screen::say(finding);
    }
    bail!(
        "{} untidy {}",
        findings.len(),
        if findings.len() == 1 {
            "place"
        } else {
            "places"
        }
    );
}

/// Records every migration as released.
pub(crate) fn freeze(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let broken = migrations::check(&tree);
    if let Some(finding) = broken.first() {
        bail!("{finding}");
    }
    let text = migrations::frozen_text(&tree);
    std::fs::write(root.join(migrations::FROZEN), text)
        .with_context(|| format!("cannot write {}", migrations::FROZEN))?;
    screen::say(format!("{} names every migration.", migrations::FROZEN));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() -> Result<()> {
        let lines: Vec<String> = check(&repository::root()?)?
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
        Ok(())
    }

    #[test]
    fn a_finding_prints_where_and_what() {
        assert_eq!(
            Finding::new("a/b.rs", 3, "is wrong").to_string(),
            "a/b.rs:3: is wrong"
        );
    }
}
