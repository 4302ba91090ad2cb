//! Where things lie: the checkout, its target folder and this very program.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process::Process;

/// The folders that every subcommand works in.
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// Taken at the start: a later build may replace the file that we run from.
    pub(crate) xtask: PathBuf,
}

impl Repository {
    pub(crate) fn find() -> Result<Self> {
        let root = root()?;
        let metadata = metadata(&root)?;
        let target = metadata["target_directory"]
            .as_str()
            .context("`cargo metadata` names no target folder")?
            .into();
        let xtask = std::env::current_exe().context("cannot tell where xtask runs from")?;
        Ok(Self {
            root,
            target,
            xtask,
        })
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    pub(crate) fn cargo(&self) -> Process {
        Process::cargo(&self.root)
    }

    pub(crate) fn process(&self, program: &str) -> Process {
        Process::new(program, &self.root)
    }

    /// The UI as it is embedded into the app.
    pub(crate) fn dist(&self) -> PathBuf {
        self.path("ui/dist")
    }

    /// The app's binary as built with this profile.
    pub(crate) fn binary(&self, profile: Profile) -> PathBuf {
        self.target
            .join(profile.folder())
            .join(format!("holdfast{}", std::env::consts::EXE_SUFFIX))
    }
}

/// How the native parts are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    Debug,
    Release,
}

impl Profile {
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }

    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Debug => &[],
            Self::Release => &["--release"],
        }
    }
}

/// The workspace's packages and folders, without their dependencies' packages.
pub(crate) fn metadata(root: &Path) -> Result<Value> {
    let text = Process::cargo(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stdout()
        .context("cargo cannot read the workspace")?;
    serde_json::from_str(&text).context("`cargo metadata` did not answer in JSON")
}

/// The checkout's top folder.
pub(crate) fn root() -> Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    Ok(package
        .parent()
        .context("xtask lies in no workspace")?
        .to_owned())
}
