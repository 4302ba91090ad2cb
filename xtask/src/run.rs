//! `cargo xtask run`: sets up, builds and starts the app.

use anyhow::{Result, bail};

use crate::repository::{Profile, Repository};
use crate::setup::{self, Need, Part};
use crate::stage::{self, AfterFailure, Stage};
use crate::ui_build::{self, Shrink};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Build with optimisations: slow to build, fast to use
    #[arg(long)]
    release: bool,
    /// Passed on to the app
    #[arg(last = true)]
    app: Vec<String>,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<()> {
    let profile = if arguments.release {
        Profile::Release
    } else {
        Profile::Debug
    };
    if arguments
        .app
        .first()
        .is_none_or(|first| first.starts_with('-'))
    {
        check_display()?;
    }
    let stages = [setup_stage(), ui_stage(Shrink::No), app_stage(profile)];
    stage::run_all(repository, &stages, AfterFailure::Stop)?;
    crate::screen::say("\nStarting Holdfast.");
    repository
        .process(&repository.binary(profile).to_string_lossy())
        .args(&arguments.app)
        .become_it()
}

/// Said before minutes of building, not after.
fn check_display() -> Result<()> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        bail!(
            "there is no display to open a window on. Start this from a desktop, use the app without \
             a window (`cargo xtask run -- headless`), or only build it (`cargo xtask test app`)"
        );
    }
    Ok(())
}

fn setup_stage() -> Stage<'static> {
    Stage {
        name: "setup",
        about: "what the build needs on this machine",
        advice: "install what is named above by hand, then run the same command again",
        work: Box::new(|repository| {
            setup::install_packages(repository, &[Need::Build])?;
            setup::install_parts(repository, &[Part::WasmTarget])
        }),
    }
}

/// Builds `ui/dist`.
pub(crate) fn ui_stage(shrink: Shrink) -> Stage<'static> {
    Stage {
        name: "ui",
        about: "the UI, compiled to WebAssembly",
        advice: "the errors above are in ui/ or in crates/protocol",
        work: Box::new(move |repository| ui_build::build(repository, shrink)),
    }
}

/// Builds the binary.
pub(crate) fn app_stage(profile: Profile) -> Stage<'static> {
    Stage {
        name: "app",
        about: "the binary `holdfast`",
        advice: "the errors above are in src-tauri/ or in a crate that it uses",
        work: Box::new(move |repository| {
            repository
                .cargo()
                .args(["build", "-p", "holdfast", "--bin", "holdfast"])
                .args(profile.arguments())
                .run(crate::process::Show::OnFailure)
        }),
    }
}
