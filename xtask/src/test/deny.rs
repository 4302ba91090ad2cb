//! Runs cargo-deny, which is compiled once into the target folder.

use std::path::PathBuf;

use anyhow::Result;

use crate::folder;
use crate::process::Show;
use crate::repository::Repository;
use crate::screen;

const VERSION: &str = "0.20.2";

pub(super) fn check(repository: &Repository) -> Result<()> {
    let program = installed(repository)?;
    repository
        .process(&program.to_string_lossy())
        .args([
            "--locked",
            "check",
            "--hide-inclusion-graph",
            "bans",
            "licenses",
            "sources",
        ])
        .run(Show::OnFailure)
}

/// Where cargo-deny lies; compiles it when this version is not there yet.
fn installed(repository: &Repository) -> Result<PathBuf> {
    let tools = repository
        .target
        .join(format!("tools/cargo-deny-{VERSION}"));
    let program = tools.join(format!("bin/cargo-deny{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    screen::say(format!(
        "   Compiling cargo-deny {VERSION}, once (about a minute)."
    ));
    let build = tools.join("build");
    repository
        .cargo()
        .args([
            "install",
            "cargo-deny",
            "--locked",
            "--version",
            VERSION,
            "--root",
        ])
        .arg(&tools)
        // It runs for a second: the time to optimise it would never come back.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_TARGET_DIR", &build)
        .run(Show::OnFailure)?;
    folder::remove(&build)?;
    Ok(program)
}
