//! What lies where in the package.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::folder;
use crate::repository::{Profile, Repository};

/// Our file → its place among the system's icons.
const ICONS: [(&str, &str); 5] = [
    ("32x32.png", "32x32/apps/holdfast.png"),
    ("128x128.png", "128x128/apps/holdfast.png"),
    ("128x128@2x.png", "256x256/apps/holdfast.png"),
    ("icon.png", "512x512/apps/holdfast.png"),
    ("holdfast.svg", "scalable/apps/holdfast.svg"),
];

const DESKTOP_ENTRY: &str = "[Desktop Entry]
Type=Application
Name=Holdfast
Comment=Agents whose work survives a crash
Exec=holdfast
Icon=holdfast
Terminal=false
Categories=Utility;Development;
StartupWMClass=holdfast
";

/// Puts every file of the package below `staging`.
pub(super) fn stage_files(repository: &Repository, staging: &Path) -> Result<()> {
    let share = staging.join("usr/share");
    folder::copy(
        &repository.binary(Profile::Release),
        &staging.join("usr/bin/holdfast"),
    )?;
    write(&share.join("applications/holdfast.desktop"), DESKTOP_ENTRY)?;
    for (name, place) in ICONS {
        let icon = repository.path("icons").join(name);
        folder::copy(&icon, &share.join("icons/hicolor").join(place))?;
    }
    let skills = repository.path("skills");
    for file in folder::files(&skills)? {
        let place = share
            .join("holdfast/skills")
            .join(file.strip_prefix(&skills)?);
        folder::copy(&file, &place)?;
    }
    write(
        &share.join("doc/holdfast/copyright"),
        &copyright(&repository.root)?,
    )
}

/// Who holds the rights, then the licence texts as they lie in the repository.
fn copyright(root: &Path) -> Result<String> {
    let mut text = "Holdfast\nCopyright: The Holdfast contributors\n\
                    Licence: MIT or Apache-2.0, as you like. Both texts follow.\n"
        .to_owned();
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let licence = fs::read_to_string(root.join(name))
            .with_context(|| format!("{name} belongs into the package"))?;
        text.push_str(&format!("\n{name}\n\n{}\n", licence.trim_end()));
    }
    Ok(text)
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
    fs::write(file, text)?;
    Ok(())
}

/// Readable by all, writable by the owner; programs and folders can be entered.
#[cfg(unix)]
pub(super) fn set_modes(staging: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut entries = vec![staging.to_owned()];
    while let Some(entry) = entries.pop() {
        let is_open = entry.is_dir() || entry.ends_with("usr/bin/holdfast");
        let mode = if is_open { 0o755 } else { 0o644 };
        fs::set_permissions(&entry, fs::Permissions::from_mode(mode))?;
        if entry.is_dir() {
            for inner in fs::read_dir(&entry)? {
                entries.push(inner?.path());
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn set_modes(_staging: &Path) -> Result<()> {
    anyhow::bail!("a Debian package can be made on Unix only")
}
