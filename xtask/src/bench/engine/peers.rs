//! The peers: installed once with their exact versions, each in its own setting.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::contender::Contender;
use crate::installed;
use crate::process::{Process, find_program};
use crate::repository::Repository;
use crate::screen;

/// Whoever can be run here. One that cannot be installed is named and left out.
pub(super) fn install(repository: &Repository) -> Result<Vec<Contender>> {
    let place = Place {
        repository,
        scripts: repository.path("benches/peers"),
        installed: repository.target.join("bench/peers"),
    };
    let mut contenders = Vec::new();
    match place.python() {
        Ok(python) => {
            contenders.extend(place.python_peers(&python)?);
            match place.restate(&python) {
                Ok(restate) => contenders.push(restate),
                Err(error) => screen::say(format!("   Without Restate: {error:#}")),
            }
        }
        Err(error) => screen::say(format!("   Without DBOS, LangGraph and Restate: {error:#}")),
    }
    Ok(contenders)
}

struct Place<'a> {
    repository: &'a Repository,
    scripts: PathBuf,
    installed: PathBuf,
}

impl Place<'_> {
    /// A Python of their own with everything in it.
    fn python(&self) -> Result<PathBuf> {
        installed::python(
            self.repository,
            &self.installed.join("python"),
            &self.scripts.join("requirements.txt"),
        )
    }

    fn python_peers(&self, python: &Path) -> Result<Vec<Contender>> {
        let mut found = Vec::new();
        for (name, script, package) in [
            ("DBOS on SQLite", "dbos_steps.py", "dbos"),
            ("LangGraph on SQLite", "langgraph_steps.py", "langgraph"),
        ] {
            for is_safe in [true, false] {
                let command = self.script(python, script);
                found.push(Contender {
                    name,
                    is_safe,
                    version: self.pinned(package)?,
                    command: if is_safe {
                        command.arg("--safe")
                    } else {
                        command
                    },
                });
            }
        }
        Ok(found)
    }

    /// In a network of its own: the server looks for newer releases of itself and cannot be told not to.
    fn restate(&self, python: &Path) -> Result<Contender> {
        if find_program("npm").is_none() {
            bail!("there is no npm to install its server with");
        }
        let isolated = self.repository.process("unshare");
        isolated
            .args(["--map-root-user", "--net", "true"])
            .stdout()
            .context("its server looks for newer releases of itself over the network, and a network of its own is refused here")?;
        let folder = self.installed.join("node");
        installed::node(&folder, &self.scripts)?;
        let server = self.server(&folder)?;
        Ok(Contender {
            name: "Restate",
            is_safe: true,
            version: self.pinned("@restatedev/restate-server")?,
            command: self
                .script(python, "restate_steps.py")
                .env("RESTATE_SERVER", server)
                .behind("unshare", &["--map-root-user", "--net"]),
        })
    }

    /// The server for this kind of machine.
    fn server(&self, folder: &Path) -> Result<PathBuf> {
        let packages = folder.join("node_modules/@restatedev");
        for entry in std::fs::read_dir(&packages)? {
            let server = entry?.path().join("bin/restate-server");
            if server.is_file() {
                return Ok(server);
            }
        }
        bail!("it has no server for this kind of machine");
    }

    fn script(&self, python: &Path, name: &str) -> Process {
        // No compiled files beside the sources, no reports to anyone.
        Process::new(python, &self.repository.root)
            .arg("-B")
            .arg(self.scripts.join(name))
            .arg("--folder")
            .arg(self.repository.target.join("bench/engine"))
            .env("LANGSMITH_TRACING", "false")
    }

    /// The version in the list.
    fn pinned(&self, package: &str) -> Result<String> {
        let requirements = std::fs::read_to_string(self.scripts.join("requirements.txt"))?;
        let manifest = std::fs::read_to_string(self.scripts.join("package.json"))?;
        let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
        let of_python = requirements
            .lines()
            .find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
        of_python
            .or_else(|| manifest["dependencies"][package].as_str())
            .map(str::to_owned)
            .with_context(|| format!("no version of {package} is pinned"))
    }
}
