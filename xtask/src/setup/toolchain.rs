//! Parts of the Rust toolchain that a fresh installation may lack.

use std::path::Path;

use anyhow::{Result, bail};

use crate::process::{Show, find_program};
use crate::repository::Repository;
use crate::screen;

/// The target that the UI is compiled for.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// A part of the toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    WasmTarget,
    Rustfmt,
    Clippy,
}

/// Adds the parts that the repository's active toolchain lacks.
pub(crate) fn install_parts(repository: &Repository, parts: &[Part]) -> Result<()> {
    for part in parts {
        if !is_present(repository, *part)? {
            install(repository, *part)?;
        }
    }
    Ok(())
}

fn is_present(repository: &Repository, part: Part) -> Result<bool> {
    Ok(match part {
        Part::WasmTarget => {
            let folder = repository
                .process("rustc")
                .args(["--print", "target-libdir", "--target", WASM])
                .stdout()?;
            Path::new(folder.trim()).is_dir()
        }
        Part::Rustfmt => repository
            .cargo()
            .args(["fmt", "--version"])
            .stdout()
            .is_ok(),
        Part::Clippy => repository
            .cargo()
            .args(["clippy", "--version"])
            .stdout()
            .is_ok(),
    })
}

fn install(repository: &Repository, part: Part) -> Result<()> {
    let (words, why) = match part {
        Part::WasmTarget => (["target", "add", WASM], "the UI is compiled to WebAssembly"),
        Part::Rustfmt => (["component", "add", "rustfmt"], "tests check the format"),
        Part::Clippy => (["component", "add", "clippy"], "tests check the lints"),
    };
    if find_program("rustup").is_none() {
        bail!(
            "this Rust toolchain lacks {} ({why}), and there is no rustup to add it: install Rust \
             with rustup (https://rustup.rs), or your system's package for it, and try again",
            words[2]
        );
    }
    screen::say(format!(
        "   Adding {} to the Rust toolchain: {why}.",
        words[2]
    ));
    repository
        .process("rustup")
        .args(words)
        .run(Show::OnFailure)
}
