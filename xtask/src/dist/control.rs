//! The package's description of itself.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::process::{Process, find_program};
use crate::repository::{Profile, Repository};
use crate::{folder, screen};

/// What differs from build to build.
pub(super) struct Facts<'a> {
    pub(super) version: &'a str,
    pub(super) architecture: &'a str,
    pub(super) installed_kib: u64,
    pub(super) depends: &'a str,
}

/// What the binary is known to need, for where dpkg-shlibdeps is missing.
const KNOWN_DEPENDS: &str = "libc6 (>= 2.34), libgtk-3-0, libwebkit2gtk-4.1-0";

/// The control file.
pub(super) fn text(facts: &Facts<'_>) -> String {
    format!(
        "Package: holdfast\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: The Holdfast developers <developers@holdfast.invalid>\n\
         Installed-Size: {}\n\
         Depends: {}\n\
         Section: utils\n\
         Priority: optional\n\
         Description: Agents whose work survives a crash\n \
         A desktop app in which agents work for you. Every step is kept on disk,\n \
         so that nothing is lost when something fails, and what was interrupted\n \
         can be resumed.\n",
        facts.version, facts.architecture, facts.installed_kib, facts.depends
    )
}

/// The libraries that the binary is linked with, with the versions that it needs.
pub(super) fn depends(repository: &Repository, output: &Path) -> Result<String> {
    if find_program("dpkg-shlibdeps").is_none() {
        screen::say("   dpkg-shlibdeps is not installed: using the known list of libraries");
        return Ok(KNOWN_DEPENDS.to_owned());
    }
    // The tool wants to be called in a source package, so it is given the smallest there is.
    let source = output.join("shlibdeps");
    fs::create_dir_all(source.join("debian"))?;
    fs::write(
        source.join("debian/control"),
        "Source: holdfast\n\nPackage: holdfast\nArchitecture: any\n",
    )?;
    let answer = Process::new("dpkg-shlibdeps", &source)
        .arg("-O")
        .arg(repository.binary(Profile::Release))
        .stdout()?;
    folder::remove(&source)?;
    parse_depends(&answer).context("dpkg-shlibdeps named no libraries")
}

fn parse_depends(answer: &str) -> Option<String> {
    answer
        .lines()
        .find_map(|line| line.strip_prefix("shlibs:Depends="))
        .map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_the_tools_answer() {
        let answer = "shlibs:Depends=libc6 (>= 2.34), libgtk-3-0 (>= 3.24)\n";
        assert_eq!(
            parse_depends(answer).as_deref(),
            Some("libc6 (>= 2.34), libgtk-3-0 (>= 3.24)")
        );
        assert_eq!(parse_depends(""), None);
    }

    #[test]
    fn the_control_file_names_its_facts() {
        let text = text(&Facts {
            version: "0.1.0",
            architecture: "amd64",
            installed_kib: 20_000,
            depends: KNOWN_DEPENDS,
        });
        for line in [
            "Package: holdfast",
            "Version: 0.1.0",
            "Architecture: amd64",
            "Installed-Size: 20000",
            "Depends: libc6 (>= 2.34), libgtk-3-0, libwebkit2gtk-4.1-0",
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is not in:\n{text}"
            );
        }
        assert!(text.contains("\n A desktop app"));
    }
}
