//! `cargo xtask test`: everything that must hold before a change is done.

use anyhow::Result;
use clap::ValueEnum;

use crate::repository::Repository;
use crate::setup::{self, Need, Part};
use crate::stage::{self, AfterFailure, Stage};

mod browser;
mod deny;
mod judges;
mod stages;

pub(crate) use browser::run_wasm_tests;
pub(crate) use stages::on_virtual_screen;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run the long form of tests that have one (sets HOLDFAST_FULL=1)
    #[arg(long)]
    full: bool,
    /// Run the other stages even after one has failed
    #[arg(long)]
    keep_going: bool,
    /// Stages to run; all when none is named
    #[arg(value_enum)]
    stages: Vec<Name>,
}

/// The stages, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Name {
    Format,
    Tidy,
    Ui,
    Clippy,
    ClippyWasm,
    Deny,
    Schema,
    Unit,
    Suites,
    Browser,
    App,
    Promises,
    Judges,
}

/// Whether tests that have a long form run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Short,
    Full,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<()> {
    let length = if arguments.full {
        Length::Full
    } else {
        Length::Short
    };
    let after_failure = if arguments.keep_going {
        AfterFailure::GoOn
    } else {
        AfterFailure::Stop
    };
    let names = selected(&arguments.stages, repository.dist().is_dir());
    let mut list = Vec::new();
    if let Some(stage) = setup_stage(&names) {
        list.push(stage);
    }
    list.extend(names.iter().map(|name| stages::stage(*name, length)));
    stage::run_all(repository, &list, after_failure)?;
    crate::screen::say("\nAll stages passed.");
    Ok(())
}

/// `cargo xtask setup`.
pub(crate) fn set_up(repository: &Repository, tests: bool) -> Result<()> {
    let names: &[Name] = if tests {
        Name::value_variants()
    } else {
        &[Name::Ui, Name::App]
    };
    match setup_stage(names) {
        Some(stage) => stage::run_all(repository, &[stage], AfterFailure::Stop),
        None => Ok(()),
    }
}

/// The named stages with those that they rest on, in order.
fn selected(named: &[Name], ui_is_built: bool) -> Vec<Name> {
    if named.is_empty() {
        return Name::value_variants().to_vec();
    }
    let mut names = named.to_vec();
    if names.contains(&Name::Promises) || names.contains(&Name::Judges) {
        names.push(Name::App);
    }
    // The shell embeds `ui/dist`: it does not compile without, and a binary to be used needs the newest.
    let embeds = names
        .iter()
        .any(|name| matches!(name, Name::Clippy | Name::Unit));
    if names.contains(&Name::App) || (embeds && !ui_is_built) {
        names.push(Name::Ui);
    }
    names.sort();
    names.dedup();
    names
}

fn setup_stage(names: &[Name]) -> Option<Stage<'static>> {
    let mut needs: Vec<Need> = names
        .iter()
        .flat_map(|name| needs(*name))
        .copied()
        .collect();
    needs.sort();
    needs.dedup();
    let mut parts: Vec<Part> = names
        .iter()
        .flat_map(|name| parts(*name))
        .copied()
        .collect();
    parts.dedup();
    if needs.is_empty() && parts.is_empty() {
        return None;
    }
    Some(Stage {
        name: "setup",
        about: "what these stages need on this machine",
        advice: "install what is named above by hand, then run the same command again",
        work: Box::new(move |repository| {
            setup::install_packages(repository, &needs)?;
            setup::install_parts(repository, &parts)
        }),
    })
}

fn needs(name: Name) -> &'static [Need] {
    match name {
        Name::Clippy | Name::Unit | Name::Suites | Name::App => &[Need::Build],
        Name::Browser => &[Need::Browser],
        Name::Promises => &[Need::Build, Need::Window],
        Name::Judges => &[Need::Build, Need::Window, Need::Judges],
        Name::Format | Name::Tidy | Name::Ui | Name::ClippyWasm | Name::Deny | Name::Schema => &[],
    }
}

fn parts(name: Name) -> &'static [Part] {
    match name {
        Name::Format => &[Part::Rustfmt],
        Name::Clippy => &[Part::Clippy],
        Name::ClippyWasm => &[Part::Clippy, Part::WasmTarget],
        Name::Ui | Name::Browser => &[Part::WasmTarget],
        Name::Tidy
        | Name::Deny
        | Name::Schema
        | Name::Unit
        | Name::Suites
        | Name::App
        | Name::Promises
        | Name::Judges => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_all_stages_run_in_order() {
        let all = selected(&[], true);
        assert_eq!(all.first(), Some(&Name::Format));
        assert_eq!(all.last(), Some(&Name::Judges));
        assert_eq!(all.len(), 13);
    }

    #[test]
    fn promises_rest_on_a_fresh_app_and_ui() {
        assert_eq!(
            selected(&[Name::Promises, Name::Format], true),
            [Name::Format, Name::Ui, Name::App, Name::Promises]
        );
    }

    #[test]
    fn judges_rest_on_a_fresh_app_too() {
        assert_eq!(
            selected(&[Name::Judges], true),
            [Name::Ui, Name::App, Name::Judges]
        );
    }

    #[test]
    fn unit_tests_build_the_ui_only_if_there_is_none() {
        assert_eq!(selected(&[Name::Unit], true), [Name::Unit]);
        assert_eq!(selected(&[Name::Unit], false), [Name::Ui, Name::Unit]);
    }

    #[test]
    fn tidy_alone_installs_nothing() {
        assert!(setup_stage(&[Name::Tidy]).is_none());
    }
}
