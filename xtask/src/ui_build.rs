//! Builds the UI into `ui/dist`: WebAssembly, its JavaScript, one style sheet and the page.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::folder;
use crate::process::{Show, find_program};
use crate::repository::Repository;
use crate::screen;

mod lock;
mod style;

/// Whether the WebAssembly is made smaller by `wasm-opt`, where that is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shrink {
    No,
    IfPossible,
}

/// Builds what has changed. Leaves `ui/dist` untouched when the result is the
/// same, so that the app is not built again for nothing.
pub(crate) fn build(repository: &Repository, shrink: Shrink) -> Result<()> {
    let lock = fs::read_to_string(repository.path("Cargo.lock")).context("no Cargo.lock")?;
    let version = lock::bindgen_version(&lock)?;
    let wasm = compile(repository)?;
    let ui = repository.path("ui");
    let statics = statics(&ui)?;
    let mut inputs = vec![wasm.clone()];
    inputs.extend(statics.values().cloned());
    inputs.extend(style::sources(&ui)?);
    let stamp = format!(
        "wasm-bindgen {version}, shrink {shrink:?}\n{}",
        stamp(&inputs)?
    );
    let stamp_file = repository.target.join("ui-dist.stamp");
    let dist = repository.dist();
    if dist.join("ui_bg.wasm").is_file()
        && fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp)
    {
        screen::say("   ui/dist is up to date");
        return Ok(());
    }
    let fresh = repository.path("ui/dist.new");
    folder::remove(&fresh)?;
    fs::create_dir_all(&fresh)?;
    bind(&wasm, &fresh)?;
    if shrink == Shrink::IfPossible {
        make_smaller(repository, &fresh.join("ui_bg.wasm"))?;
    }
    for (name, from) in &statics {
        folder::copy(from, &fresh.join(name))?;
    }
    fs::write(fresh.join("style.css"), style::sheet(&ui)?)?;
    swap(&fresh, &dist)?;
    fs::write(&stamp_file, stamp)?;
    Ok(())
}

fn compile(repository: &Repository) -> Result<PathBuf> {
    repository
        .cargo()
        .args([
            "build",
            "-p",
            "holdfast-ui",
            "--lib",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--profile", "wasm-release"])
        .run(Show::OnFailure)?;
    Ok(repository
        .target
        .join("wasm32-unknown-unknown/wasm-release/ui.wasm"))
}

fn bind(wasm: &Path, folder: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(wasm)
        .out_name("ui")
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .context("the wasm-bindgen step failed")
}

fn make_smaller(repository: &Repository, wasm: &Path) -> Result<()> {
    if find_program("wasm-opt").is_none() {
        screen::say("   wasm-opt is not installed: the WebAssembly stays a little larger");
        return Ok(());
    }
    let small = wasm.with_extension("small");
    repository
        .process("wasm-opt")
        .args(["-Os", "--all-features", "-o"])
        .args([&small, wasm])
        .run(Show::OnFailure)?;
    fs::rename(&small, wasm)?;
    Ok(())
}

/// Files that are copied as they are: name in `dist` → where it comes from.
fn statics(ui: &Path) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut statics = BTreeMap::new();
    for name in ["index.html", "boot.js"] {
        ensure!(ui.join(name).is_file(), "ui/{name} is missing");
        statics.insert(PathBuf::from(name), ui.join(name));
    }
    for file in folder::files(&ui.join("assets"))? {
        statics.insert(file.strip_prefix(ui)?.to_owned(), file);
    }
    Ok(statics)
}

/// Length and time of each input; equal stamps mean equal results.
fn stamp(inputs: &[PathBuf]) -> Result<String> {
    let mut text = String::new();
    for file in inputs {
        let data = fs::metadata(file).with_context(|| format!("{}", file.display()))?;
        let modified_ns = data.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
        text.push_str(&format!(
            "{} {} {modified_ns}\n",
            file.display(),
            data.len()
        ));
    }
    Ok(text)
}

/// Puts the new folder in the old one's place; a broken build never gets here.
fn swap(fresh: &Path, dist: &Path) -> Result<()> {
    if dist.is_dir() && folder::same(fresh, dist)? {
        return folder::remove(fresh);
    }
    let old = dist.with_file_name("dist-old.new");
    folder::remove(&old)?;
    if dist.exists() {
        fs::rename(dist, &old)?;
    }
    fs::rename(fresh, dist).with_context(|| format!("cannot put {} in place", dist.display()))?;
    folder::remove(&old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_replaces_the_whole_folder_and_leaves_nothing_beside_it() -> Result<()> {
        let ui = tempfile::tempdir()?;
        let (fresh, dist) = (ui.path().join("dist.new"), ui.path().join("dist"));
        fs::create_dir_all(&dist)?;
        fs::write(dist.join("gone.js"), "old")?;
        fs::create_dir_all(&fresh)?;
        fs::write(fresh.join("ui.js"), "new")?;
        swap(&fresh, &dist)?;
        assert_eq!(folder::files(ui.path())?, [dist.join("ui.js")]);
        Ok(())
    }

    #[test]
    fn an_equal_result_leaves_the_old_files_in_place() -> Result<()> {
        let ui = tempfile::tempdir()?;
        let (fresh, dist) = (ui.path().join("dist.new"), ui.path().join("dist"));
        for folder in [&fresh, &dist] {
            fs::create_dir_all(folder)?;
            fs::write(folder.join("ui.js"), "same")?;
        }
        let before = fs::metadata(dist.join("ui.js"))?.modified()?;
        swap(&fresh, &dist)?;
        assert_eq!(fs::metadata(dist.join("ui.js"))?.modified()?, before);
        assert!(!fresh.exists());
        Ok(())
    }
}
