//! `cargo xtask icons`: draws the PNG icons; they are committed, so only a maintainer runs this.

use anyhow::{Result, bail, ensure};

use crate::process::find_program;
use crate::repository::Repository;
use crate::screen;

/// File and edge in pixels.
const ICONS: [(&str, u32); 4] = [
    ("32x32.png", 32),
    ("128x128.png", 128),
    ("128x128@2x.png", 256),
    ("icon.png", 512),
];

pub(crate) fn draw(repository: &Repository) -> Result<()> {
    let source = repository.path("icons/holdfast.svg");
    ensure!(source.is_file(), "icons/holdfast.svg is missing");
    if find_program("rsvg-convert").is_none() {
        bail!(
            "rsvg-convert is missing: install `librsvg2-bin` (Debian) or `librsvg` and try again"
        );
    }
    for (name, pixels) in ICONS {
        let edge = pixels.to_string();
        repository
            .process("rsvg-convert")
            .args(["--width", &edge, "--height", &edge, "--output"])
            .arg(repository.path("icons").join(name))
            .arg(&source)
            .stdout()?;
        screen::say(format!("icons/{name}: {pixels} × {pixels}"));
    }
    Ok(())
}
