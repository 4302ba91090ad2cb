//! What is needed, found by its effect: for systems without Debian's package tools.

use std::path::PathBuf;

use crate::process::find_program;
use crate::repository::Repository;

use super::Need;

/// Names of what cannot be found for these needs.
pub(crate) fn missing(repository: &Repository, needs: &[Need]) -> Vec<String> {
    let mut missing = Vec::new();
    for need in needs {
        match need {
            Need::Build => missing.extend(missing_for_build(repository)),
            Need::Window => missing.extend(absent(&[
                "Xvfb",
                "xvfb-run",
                "xauth",
                "dbus-run-session",
                "WebKitWebDriver",
                "xdotool",
                "import",
            ])),
            Need::Browser if chromedriver().is_none() => missing.push("chromedriver".to_owned()),
            Need::Browser => {}
            Need::Peers => missing.extend(absent(&["strace", "python3", "npm"])),
            Need::Judges => missing.extend(absent(&["python3", "npm"])),
        }
    }
    missing
}

/// Drives the browser in component tests.
pub(crate) fn chromedriver() -> Option<PathBuf> {
    match std::env::var_os("CHROMEDRIVER") {
        Some(path) => Some(path.into()),
        None => find_program("chromedriver"),
    }
}

/// Whether what a package is installed for is there by other means.
pub(crate) fn is_found(repository: &Repository, package: &str) -> bool {
    if package == "python3-venv" {
        // Debian's Python comes without it.
        let python = repository
            .process("python3")
            .args(["-c", "import ensurepip"]);
        return python.stdout().is_ok();
    }
    find_program(package).is_some()
}

fn missing_for_build(repository: &Repository) -> Vec<String> {
    if cfg!(target_os = "macos") {
        let tools = repository.process("xcode-select").arg("-p").stdout();
        return if tools.is_ok() {
            Vec::new()
        } else {
            vec!["Xcode command line tools".to_owned()]
        };
    }
    if !cfg!(target_os = "linux") {
        // Cargo itself says when the compiler or the web view is missing.
        return Vec::new();
    }
    let mut missing = absent(&["cc", "pkg-config"]);
    let library = repository
        .process("pkg-config")
        .args(["--exists", "webkit2gtk-4.1"])
        .stdout();
    if library.is_err() {
        missing.push("webkit2gtk-4.1".to_owned());
    }
    missing
}

fn absent(programs: &[&str]) -> Vec<String> {
    programs
        .iter()
        .filter(|name| find_program(name).is_none())
        .map(|name| (*name).to_owned())
        .collect()
}
