//! The peers: installed once with their exact versions, each in its own setting.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::contender::Contender;
use crate::process::{Process, Show, find_program};
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
        let folder = self.installed.join("python");
        let python = folder.join("bin/python");
        let list = self.scripts.join("requirements.txt");
        self.once(&folder, &list, || {
            let create = self.repository.process("python3");
            create
                .args(["-m", "venv"])
                .arg(&folder)
                .run(Show::OnFailure)?;
            let install = Process::new(&python, &self.repository.root);
            install
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                ])
                .args(["--requirement".as_ref(), list.as_os_str()])
                .run(Show::OnFailure)
        })?;
        Ok(python)
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
        let list = self.scripts.join("package-lock.json");
        self.once(&folder, &list, || {
            std::fs::create_dir_all(&folder)?;
            for name in ["package.json", "package-lock.json"] {
                std::fs::copy(self.scripts.join(name), folder.join(name))?;
            }
            // Its packages bring scripts that report the installation: they are not run.
            Process::new("npm", &folder)
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                .run(Show::OnFailure)
        })?;
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

    /// Installs again only if the list changed; without a network what is there is used.
    fn once(&self, folder: &Path, list: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
        let bytes = std::fs::read(list).with_context(|| format!("no {}", list.display()))?;
        let wanted = format!("{:x}", Sha256::digest(&bytes));
        let stamp = folder.join("installed");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(());
        }
        let name = list.file_name().unwrap_or_default().to_string_lossy();
        screen::say(format!("   Installing what {name} lists"));
        install()?;
        std::fs::write(&stamp, wanted)?;
        Ok(())
    }
}
