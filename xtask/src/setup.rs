//! Installs what is missing on this machine, and says what and why before it does.

use anyhow::{Result, bail};

use crate::process::{Process, Show, find_program};
use crate::repository::Repository;
use crate::screen;

mod packages;
mod programs;
mod toolchain;

pub(crate) use programs::chromedriver;
pub(crate) use toolchain::{Part, install_parts};

use packages::Package;

/// What a set of system packages is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Building and running the app.
    Build,
    /// Tests that open the real window on a virtual screen.
    Window,
    /// Tests of UI components in a headless browser.
    Browser,
    /// Measuring peers beside the engine.
    Peers,
    /// Tests in which others judge.
    Judges,
}

/// Installs missing system packages, or says which they are and stops.
pub(crate) fn install_packages(repository: &Repository, needs: &[Need]) -> Result<()> {
    if cfg!(target_os = "linux")
        && find_program("dpkg-query").is_some()
        && find_program("apt-get").is_some()
    {
        return install_debian(repository, needs);
    }
    let missing = programs::missing(repository, needs);
    if missing.is_empty() {
        return Ok(());
    }
    screen::say(format!("   Not found: {}.", missing.join(", ")));
    screen::say(packages::by_system(needs));
    bail!("install what is named above, then run the same command again");
}

fn install_debian(repository: &Repository, needs: &[Need]) -> Result<()> {
    let missing = missing_packages(repository, needs)?;
    if missing.is_empty() {
        return Ok(());
    }
    screen::say("   Missing system packages:");
    for package in &missing {
        screen::say(format!("     {:<24} {}", package.name, package.why));
    }
    let administrator = administrator(repository, needs)?;
    if let Err(error) = apt(repository, administrator, &["update"]) {
        screen::say(format!(
            "   {error}; trying with the package lists that are there"
        ));
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let policy = repository
        .process("apt-cache")
        // Its words are read below: in English, whatever the system speaks.
        .env("LC_ALL", "C")
        .arg("policy")
        .args(&names)
        .stdout()?;
    let absent = packages::without_candidate(&policy, &names);
    refuse_or_do_without(&absent)?;
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    let fixed = arguments.len();
    arguments.extend(names.iter().filter(|name| !absent.contains(name)));
    if arguments.len() == fixed {
        return Ok(());
    }
    apt(repository, administrator, &arguments)
}

/// Ubuntu offers Chromium as a snap only; a browser from elsewhere will do, and
/// the stage that needs it says so. Nothing else can be done without.
fn refuse_or_do_without(absent: &[&str]) -> Result<()> {
    if absent.is_empty() {
        return Ok(());
    }
    let list = absent.join(", ");
    let browser = packages::wanted(&[Need::Browser]);
    if absent
        .iter()
        .all(|name| browser.iter().any(|package| package.name == *name))
    {
        screen::say(format!(
            "   This system's package archive lacks {list}: going on without."
        ));
        return Ok(());
    }
    bail!(
        "this system's package archive lacks {list}; Debian 12, Ubuntu 22.04 and newer have them"
    );
}

fn missing_packages(repository: &Repository, needs: &[Need]) -> Result<Vec<&'static Package>> {
    let wanted = packages::wanted(needs);
    let names = wanted.iter().map(|package| package.name);
    // The command fails when it knows one of the names not at all; what it
    // printed about the others still counts.
    let output = repository
        .process("dpkg-query")
        .args(["-W", "-f=${Package} ${Status}\n"])
        .args(names)
        .output()?;
    let report = String::from_utf8_lossy(&output.stdout);
    let installed = packages::installed(&report);
    // A driver that was installed by other means will do.
    let has_browser = programs::chromedriver().is_some();
    Ok(wanted
        .into_iter()
        .filter(|package| !installed.contains(package.name))
        .filter(|package| !(has_browser && package.need == Need::Browser))
        .filter(|package| {
            let is_foreign = matches!(package.need, Need::Peers | Need::Judges);
            !(is_foreign && programs::is_found(repository, package.name))
        })
        .collect())
}

/// Who may install packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Administrator {
    Root,
    Sudo,
}

fn administrator(repository: &Repository, needs: &[Need]) -> Result<Administrator> {
    if repository.process("id").arg("-u").stdout()?.trim() == "0" {
        return Ok(Administrator::Root);
    }
    if find_program("sudo").is_none() {
        screen::say(packages::by_system(needs));
        bail!("these packages must be installed by an administrator, and there is no `sudo` here");
    }
    screen::say("   They will be installed with `sudo apt-get install`.");
    // Asked for here, while nothing else draws on the terminal.
    repository.process("sudo").arg("-v").attached()?;
    Ok(Administrator::Sudo)
}

fn apt(repository: &Repository, administrator: Administrator, arguments: &[&str]) -> Result<()> {
    let apt = repository
        .process("apt-get")
        .args(["-o", "Acquire::Retries=3"])
        .args(arguments)
        .behind("env", &["DEBIAN_FRONTEND=noninteractive"]);
    let apt: Process = match administrator {
        Administrator::Root => apt,
        Administrator::Sudo => apt.behind("sudo", &[]),
    };
    apt.run(Show::OnFailure)
}
