//! Packages of other ecosystems: installed once below `target`, with exactly the versions that a
//! list in the repository names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::process::{Process, Show};
use crate::repository::Repository;
use crate::screen;

/// A Python of its own in `folder` with what `list` names.
pub(crate) fn python(repository: &Repository, folder: &Path, list: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    once(folder, list, || {
        repository
            .process("python3")
            .args(["-m", "venv"])
            .arg(folder)
            .run(Show::OnFailure)?;
        pip(repository, &python, "install")
            .args(["--requirement".as_ref(), list.as_os_str()])
            .run(Show::OnFailure)
    })?;
    Ok(python)
}

/// That Python's installer, without its chatter.
pub(crate) fn pip(repository: &Repository, python: &Path, command: &str) -> Process {
    Process::new(python, &repository.root)
        .args(["-m", "pip", command, "--quiet"])
        .arg("--disable-pip-version-check")
}

/// What the `package.json` and its lock file in `lists` name, in `folder`.
pub(crate) fn node(folder: &Path, lists: &Path) -> Result<()> {
    once(folder, &lists.join("package-lock.json"), || {
        std::fs::create_dir_all(folder)?;
        for name in ["package.json", "package-lock.json"] {
            std::fs::copy(lists.join(name), folder.join(name))?;
        }
        // Packages bring scripts that report the installation: they are not run.
        Process::new("npm", folder)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .run(Show::OnFailure)
    })
}

/// Installs again only if the list changed; without a network what is there is used.
pub(crate) fn once(folder: &Path, list: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let bytes = std::fs::read(list).with_context(|| format!("no {}", list.display()))?;
    let wanted = format!("{:x}", Sha256::digest(&bytes));
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let name = list.file_name().unwrap_or_default().to_string_lossy();
    let watch = screen::Stopwatch::start();
    screen::say(format!("   Installing what {name} lists"));
    install()?;
    std::fs::write(&stamp, wanted)?;
    let took = watch.elapsed().as_secs_f64();
    screen::say(format!("   Installed, {took:.1} s"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_installed_again_only_for_another_list() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let list = folder.path().join("list.txt");
        let mut installed = 0;
        for text in ["a==1", "a==1", "a==2", "a==2"] {
            std::fs::write(&list, text)?;
            once(folder.path(), &list, || {
                installed += 1;
                Ok(())
            })?;
        }
        assert_eq!(installed, 2);
        std::fs::write(&list, "a==3")?;
        let failed = once(folder.path(), &list, || anyhow::bail!("no network"));
        assert!(failed.is_err());
        // What failed is tried again.
        once(folder.path(), &list, || {
            installed += 1;
            Ok(())
        })?;
        assert_eq!(installed, 3);
        Ok(())
    }
}
