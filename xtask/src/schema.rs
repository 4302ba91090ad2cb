//! `cargo xtask schema`: documentation of the wire, generated from the types themselves.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::Show;
use crate::repository::Repository;
use crate::screen;

mod example;
mod markdown;

const DOCUMENT: &str = "docs/headless.md";
const SCHEMA: &str = "docs/schema.json";
const BEGIN: &str = "<!-- schema:begin -->";
const END: &str = "<!-- schema:end -->";

/// Writes both files.
pub(crate) fn write(repository: &Repository) -> Result<()> {
    for (name, text) in generate(repository)? {
        let file = repository.path(&name);
        if fs::read_to_string(&file).is_ok_and(|old| old == text) {
            continue;
        }
        fs::write(&file, text)?;
        screen::say(format!("{} written", name.display()));
    }
    Ok(())
}

/// Fails when a file is not what `write` would make of it.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    for (name, text) in generate(repository)? {
        if fs::read_to_string(repository.path(&name)).unwrap_or_default() != text {
            bail!("{} is out of date", name.display());
        }
    }
    Ok(())
}

fn generate(repository: &Repository) -> Result<[(PathBuf, String); 2]> {
    let schema = dump(repository)?;
    let document = fs::read_to_string(repository.path(DOCUMENT))
        .unwrap_or_else(|_| format!("# Headless mode\n\n{BEGIN}\n{END}\n"));
    let value: Value = serde_json::from_str(&schema)?;
    let generated = markdown::render(&value["$defs"])?;
    Ok([
        (DOCUMENT.into(), between_marks(&document, &generated)?),
        (SCHEMA.into(), schema),
    ])
}

/// Asks the types themselves, through a small program that is linked with them.
fn dump(repository: &Repository) -> Result<String> {
    repository
        .cargo()
        .args([
            "build",
            "-p",
            "xtask",
            "--features",
            "schema",
            "--bin",
            "schema-dump",
        ])
        .run(Show::OnFailure)?;
    let program = format!("debug/schema-dump{}", std::env::consts::EXE_SUFFIX);
    repository
        .process(&repository.target.join(program).to_string_lossy())
        .stdout()
}

/// Puts the generated text where the document wants it and leaves the rest alone.
fn between_marks(document: &str, generated: &str) -> Result<String> {
    let (before, rest) = document
        .split_once(BEGIN)
        .with_context(|| format!("{DOCUMENT} has no line `{BEGIN}`"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{DOCUMENT} has no line `{END}`"))?;
    Ok(format!(
        "{before}{BEGIN}\n\n{}\n\n{END}{after}",
        generated.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_between_the_marks_is_replaced() -> Result<()> {
        let document = format!("# Headless\n\n{BEGIN}\nold\n{END}\n\nThe end.\n");
        let new = between_marks(&document, "new\n")?;
        assert_eq!(
            new,
            format!("# Headless\n\n{BEGIN}\n\nnew\n\n{END}\n\nThe end.\n")
        );
        assert_eq!(between_marks(&new, "new\n")?, new);
        Ok(())
    }

    #[test]
    fn a_document_without_marks_is_refused() {
        assert!(between_marks("# Headless\n", "new").is_err());
    }
}
