//! The system packages that are needed, why, and how other systems call them.

use std::collections::BTreeSet;

use super::Need;

/// One Debian package.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    pub(crate) need: Need,
}

const fn package(need: Need, name: &'static str, why: &'static str) -> Package {
    Package { name, why, need }
}

const PACKAGES: &[Package] = &[
    package(
        Need::Build,
        "libwebkit2gtk-4.1-dev",
        "the web view that the window shows, and GTK",
    ),
    package(
        Need::Build,
        "build-essential",
        "the C compiler that bundles SQLite, and the linker",
    ),
    package(Need::Build, "pkg-config", "finds the libraries above"),
    package(Need::Window, "xvfb", "a virtual screen for the real window"),
    package(Need::Window, "xauth", "access to that screen"),
    package(Need::Window, "dbus", "a session bus of the tests' own"),
    package(
        Need::Window,
        "dbus-x11",
        "starts that bus on the virtual screen",
    ),
    package(
        Need::Window,
        "webkit2gtk-driver",
        "drives the window in tests",
    ),
    package(Need::Window, "fonts-dejavu-core", "letters to show"),
    package(Need::Browser, "chromium", "runs the tests of UI components"),
    package(Need::Browser, "chromium-driver", "drives Chromium"),
    package(Need::Peers, "strace", "counts fsyncs"),
    package(Need::Peers, "python3-venv", "runs DBOS and LangGraph"),
    package(Need::Peers, "npm", "fetches Restate"),
    package(
        Need::Judges,
        "python3-venv",
        "runs llmock and the providers' own clients",
    ),
    package(Need::Judges, "npm", "fetches aimock"),
];

/// The packages for these needs, in the order of the list.
pub(crate) fn wanted(needs: &[Need]) -> Vec<&'static Package> {
    PACKAGES
        .iter()
        .filter(|package| needs.contains(&package.need))
        .collect()
}

/// Names that `dpkg-query -W -f='${Package} ${Status}\n'` reports as installed.
pub(crate) fn installed(report: &str) -> BTreeSet<&str> {
    report
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, status)| status.ends_with(" ok installed"))
        .map(|(name, _)| name)
        .collect()
}

/// Names that the archive does not have, or has only as a pointer to a snap,
/// as reported by `apt-cache policy`.
pub(crate) fn without_candidate<'a>(policy: &str, names: &[&'a str]) -> Vec<&'a str> {
    let mut available = BTreeSet::new();
    let mut current = "";
    for line in policy.lines() {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(' ')) {
            current = name;
        } else if let Some(candidate) = line.trim().strip_prefix("Candidate:")
            && candidate.trim() != "(none)"
            && !candidate.contains("snap")
        {
            available.insert(current);
        }
    }
    names
        .iter()
        .copied()
        .filter(|name| !available.contains(name))
        .collect()
}

/// What to install by hand, for each system that we know.
pub(crate) fn by_system(needs: &[Need]) -> String {
    let debian: Vec<&str> = wanted(needs).iter().map(|package| package.name).collect();
    let mut fedora = vec![
        "webkit2gtk4.1-devel",
        "gcc",
        "gcc-c++",
        "make",
        "pkgconf-pkg-config",
        "curl",
        "file",
    ];
    let mut arch = vec!["webkit2gtk-4.1", "base-devel", "pkgconf", "curl", "file"];
    if needs.contains(&Need::Window) {
        fedora.extend(["xorg-x11-server-Xvfb", "xauth", "dbus-daemon", "dbus-x11"]);
        fedora.extend([
            "webkitgtk6.0",
            "dejavu-sans-fonts",
            "xdotool",
            "ImageMagick",
            "xwininfo",
        ]);
        arch.extend([
            "xorg-server-xvfb",
            "xorg-xauth",
            "dbus",
            "ttf-dejavu",
            "xdotool",
        ]);
        arch.extend(["imagemagick", "xorg-xwininfo"]);
    }
    if needs.contains(&Need::Browser) {
        fedora.extend(["chromium", "chromedriver"]);
        arch.push("chromium");
    }
    if needs.contains(&Need::Peers) {
        fedora.extend(["strace", "python3", "nodejs-npm"]);
        arch.extend(["strace", "python", "npm"]);
    }
    if needs.contains(&Need::Judges) {
        fedora.extend(["python3", "nodejs-npm"]);
        arch.extend(["python", "npm"]);
    }
    format!(
        "   Debian, Ubuntu:  apt-get install {}\n   \
         Fedora:          dnf install {}\n   \
         Arch:            pacman -S --needed {}\n   \
         macOS:           xcode-select --install\n   \
         Windows:         the Visual Studio C++ build tools and the WebView2 runtime",
        debian.join(" "),
        fedora.join(" "),
        arch.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fully_installed_packages_count() {
        let report = "xvfb install ok installed\ncurl deinstall ok config-files\n\
                      file hold ok installed\nxauth unknown ok not-installed\n";
        assert_eq!(installed(report), BTreeSet::from(["xvfb", "file"]));
    }

    #[test]
    fn nothing_is_installed_in_an_empty_report() {
        assert_eq!(installed(""), BTreeSet::new());
    }

    #[test]
    fn needs_choose_their_packages() {
        let names: Vec<&str> = wanted(&[Need::Browser])
            .iter()
            .map(|found| found.name)
            .collect();
        assert_eq!(names, ["chromium", "chromium-driver"]);
    }

    #[test]
    fn snaps_and_unknown_packages_have_no_candidate() {
        let policy = "xvfb:\n  Installed: (none)\n  Candidate: 2:21.1.7-3\n  Version table:\n\
                      chromium:\n  Installed: (none)\n  Candidate: (none)\n\
                      chromium-driver:\n  Installed: (none)\n  Candidate: 1:85-0ubuntu0.snap1\n";
        assert_eq!(
            without_candidate(
                policy,
                &["xvfb", "chromium", "chromium-driver", "unheard-of"]
            ),
            ["chromium", "chromium-driver", "unheard-of"]
        );
    }

    #[test]
    fn every_system_is_told_its_packages() {
        let text = by_system(&[Need::Build]);
        for name in [
            "libwebkit2gtk-4.1-dev",
            "webkit2gtk4.1-devel",
            "base-devel",
            "xcode-select",
        ] {
            assert!(text.contains(name), "{name} is not in:\n{text}");
        }
        assert!(!text.contains("xvfb"));
    }
}
