//! `cargo xtask dist`: the release build, packed as a Debian package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process::Show;
use crate::repository::{self, Profile, Repository};
use crate::setup::{self, Need, Part};
use crate::stage::{self, AfterFailure, Stage};
use crate::ui_build::Shrink;
use crate::{folder, run, screen, sizes};

mod contents;
mod control;

pub(crate) fn run(repository: &Repository) -> Result<()> {
    let stages = [
        setup_stage(),
        run::ui_stage(Shrink::IfPossible),
        run::app_stage(Profile::Release),
        Stage {
            name: "package",
            about: "a Debian package",
            advice: "packing needs dpkg-deb and md5sum, which every Debian has",
            work: Box::new(pack),
        },
    ];
    stage::run_all(repository, &stages, AfterFailure::Stop)
}

fn setup_stage() -> Stage<'static> {
    Stage {
        name: "setup",
        about: "what the build needs on this machine",
        advice: "install what is named above by hand, then run the same command again",
        work: Box::new(|repository| {
            setup::install_packages(repository, &[Need::Build])?;
            setup::install_parts(repository, &[Part::WasmTarget])
        }),
    }
}

fn pack(repository: &Repository) -> Result<()> {
    let version = version(&repository.root)?;
    let architecture = repository
        .process("dpkg")
        .arg("--print-architecture")
        .stdout()?;
    let name = format!("holdfast_{version}_{}", architecture.trim());
    let output = repository.target.join("dist");
    let staging = output.join(&name);
    folder::remove(&staging)?;
    contents::stage_files(repository, &staging)?;
    let files = staged_files(&staging)?;
    let bytes: u64 = files
        .iter()
        .map(|file| sizes::bytes_of(file))
        .sum::<Result<u64>>()?;
    let control = control::text(&control::Facts {
        version: &version,
        architecture: architecture.trim(),
        installed_kib: bytes.div_ceil(1_024),
        depends: &control::depends(repository, &output)?,
    });
    fs::create_dir_all(staging.join("DEBIAN"))?;
    fs::write(staging.join("DEBIAN/control"), control)?;
    fs::write(
        staging.join("DEBIAN/md5sums"),
        checksums(repository, &staging, &files)?,
    )?;
    contents::set_modes(&staging)?;
    let package = output.join(format!("{name}.deb"));
    repository
        .process("dpkg-deb")
        .args(["--root-owner-group", "--build"])
        .args([&staging, &package])
        // Files get no later time than this one: the same sources give the same package.
        .env("SOURCE_DATE_EPOCH", epoch(repository)?)
        .run(Show::OnFailure)?;
    folder::remove(&staging)?;
    for line in sizes::report(repository)? {
        screen::say(line);
    }
    screen::say(sizes::line("deb", sizes::bytes_of(&package)?));
    screen::say(format!("   {}", package.display()));
    Ok(())
}

fn staged_files(staging: &Path) -> Result<Vec<PathBuf>> {
    folder::files(&staging.join("usr"))
}

fn checksums(repository: &Repository, staging: &Path, files: &[PathBuf]) -> Result<String> {
    let lines = repository.process("md5sum").args(files).stdout()?;
    Ok(lines.replace(&format!("{}/", staging.display()), ""))
}

/// Seconds since 1970 of the sources: given, or of the last commit.
fn epoch(repository: &Repository) -> Result<String> {
    if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        return Ok(given);
    }
    if let Ok(time) = repository
        .process("git")
        .args(["log", "-1", "--format=%ct"])
        .stdout()
    {
        return Ok(time.trim().to_owned());
    }
    let lock = fs::metadata(repository.path("Cargo.lock"))?.modified()?;
    Ok(lock
        .duration_since(std::time::UNIX_EPOCH)?
        .as_secs()
        .to_string())
}

fn version(root: &Path) -> Result<String> {
    let metadata = repository::metadata(root)?;
    metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "holdfast")
        .and_then(|package| package["version"].as_str())
        .map(ToOwned::to_owned)
        .context("there is no package `holdfast` in the workspace")
}
