//! What each test stage runs.

use std::fs;

use anyhow::Result;

use crate::process::{Process, Show};
use crate::repository::{Profile, Repository};
use crate::stage::Stage;
use crate::ui_build::Shrink;
use crate::{run, schema, tidy};

use super::{Length, Name, browser, deny, judges};

/// The stage of that name.
pub(super) fn stage(name: Name, length: Length) -> Stage<'static> {
    match name {
        Name::Format => of(
            "format",
            "rustfmt would change nothing",
            "run `cargo fmt --all`",
            |repository| quiet(repository, &["fmt", "--all", "--check"]),
        ),
        Name::Tidy => of(
            "tidy",
            "the rules that the compiler does not know",
            "each line above names a file and what it breaks; the rules are in CONTRIBUTING.md",
            |repository| tidy::run(&repository.root),
        ),
        Name::Ui => run::ui_stage(Shrink::No),
        Name::Clippy => of(
            "clippy",
            "lints, native",
            "mend what the lints above name; an exception needs #[expect(…, reason = \"…\")]",
            |repository| {
                let features = ["--features", "xtask/schema"];
                let workspace = ["clippy", "--workspace", "--all-targets", "--keep-going"];
                let strict = ["--", "-D", "warnings"];
                quiet(
                    repository,
                    &[&workspace[..], &features[..], &strict[..]].concat(),
                )
            },
        ),
        Name::ClippyWasm => of(
            "clippy-wasm",
            "lints, the UI as WebAssembly",
            "mend what the lints above name; an exception needs #[expect(…, reason = \"…\")]",
            |repository| {
                let package = ["clippy", "-p", "holdfast-ui", "--all-targets"];
                let target = ["--target", "wasm32-unknown-unknown", "--", "-D", "warnings"];
                quiet(repository, &[&package[..], &target[..]].concat())
            },
        ),
        Name::Deny => of(
            "deny",
            "licences, sources and banned packages of what we depend on",
            "choose another dependency, or change deny.toml and say why there",
            deny::check,
        ),
        Name::Schema => of(
            "schema",
            "the generated documentation fits the code",
            "run `cargo xtask schema` and commit what it writes",
            schema::check,
        ),
        Name::Unit => of_length("unit", "unit and crate tests", TESTS_ADVICE, length, unit),
        Name::Suites => of_length(
            "suites",
            "the crash suites: a line with its counts for each",
            TESTS_ADVICE,
            length,
            suites,
        ),
        Name::Browser => of_length(
            "browser",
            "UI components in headless Chromium",
            "run `cargo xtask test browser` again to see it alone",
            length,
            browser::test,
        ),
        Name::App => run::app_stage(Profile::Debug),
        Name::Promises => of_length(
            "promises",
            "what the app promises to people",
            TESTS_ADVICE,
            length,
            promises,
        ),
        Name::Judges => of_length(
            "judges",
            "servers and clients that others wrote, against the built app",
            "what a judge found is named above; CONTRIBUTING.md says who they are",
            length,
            judges::test,
        ),
    }
}

const TESTS_ADVICE: &str = "the failing tests are named above with what they expected";

fn of(
    name: &'static str,
    about: &'static str,
    advice: &'static str,
    work: fn(&Repository) -> Result<()>,
) -> Stage<'static> {
    Stage {
        name,
        about,
        advice,
        work: Box::new(work),
    }
}

fn of_length(
    name: &'static str,
    about: &'static str,
    advice: &'static str,
    length: Length,
    work: fn(&Repository, Length) -> Result<()>,
) -> Stage<'static> {
    Stage {
        name,
        about,
        advice,
        work: Box::new(move |repository| work(repository, length)),
    }
}

fn quiet(repository: &Repository, arguments: &[&str]) -> Result<()> {
    repository.cargo().args(arguments).run(Show::OnFailure)
}

/// Sets what the tests read to know how long they may take.
pub(super) fn with_length(process: Process, length: Length) -> Process {
    match length {
        Length::Short => process,
        Length::Full => process.env("HOLDFAST_FULL", "1"),
    }
}

/// xtask is tested apart from the workspace: together with the others, its
/// dependencies would be built a second time with more features.
fn unit(repository: &Repository, length: Length) -> Result<()> {
    let others = ["--exclude", "holdfast-tests", "--exclude", "xtask"];
    let workspace = repository
        .cargo()
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(others);
    let workspace = with_length(workspace, length).run(Show::Results);
    let xtask = repository
        .cargo()
        .args(["test", "-p", "xtask"])
        .run(Show::Results);
    workspace.and(xtask)
}

/// One after the other: most of them use both cores, and each says its counts as it ends.
fn suites(repository: &Repository, length: Length) -> Result<()> {
    let profile = match length {
        Length::Short => "dev",
        Length::Full => "full",
    };
    let suites = ["test", "-p", "holdfast-tests", "--test", "suites"];
    let suites = [&suites[..], &["--profile", profile]].concat();
    quiet(repository, &[&suites[..], &["--no-run"]].concat())?;
    let tests = repository
        .cargo()
        .args(&suites)
        .args(["--", "--nocapture", "--test-threads=1"]);
    with_length(tests, length).run(Show::Results)
}

fn promises(repository: &Repository, length: Length) -> Result<()> {
    let screenshots = repository.target.join("screenshots");
    fs::create_dir_all(&screenshots)?;
    let promises = ["test", "-p", "holdfast-tests", "--test", "promises"];
    quiet(repository, &[&promises[..], &["--no-run"]].concat())?;
    let tests = repository
        .cargo()
        .args(promises)
        .env("HOLDFAST_BIN", repository.binary(Profile::Debug))
        .env("HOLDFAST_SCREENSHOTS", &screenshots);
    let result = with_length(on_virtual_screen(tests), length).run(Show::Results);
    crate::screen::say(format!("   Screenshots: {}", screenshots.display()));
    result
}

/// Runs a command on a screen and a session bus of its own, where there is such a thing.
pub(crate) fn on_virtual_screen(process: Process) -> Process {
    if !cfg!(target_os = "linux") {
        return process;
    }
    process
        .env("GDK_BACKEND", "x11")
        .behind("dbus-run-session", &["--"])
        .behind("xvfb-run", &["-a", "-s", "-screen 0 1280x800x24"])
}
