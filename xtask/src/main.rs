//! `cargo xtask`: builds, runs, tests and packages Holdfast without any tool that cargo does not bring.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod bench;
mod dist;
mod folder;
mod golden;
mod icons;
mod installed;
mod process;
mod repository;
mod run;
mod schema;
mod screen;
mod setup;
mod sizes;
mod stage;
mod test;
mod tidy;
mod ui_build;

use repository::Repository;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Builds, runs, tests and packages Holdfast"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build what has changed and start the app
    Run(run::Arguments),
    /// Run the checks and tests, all or the named stages
    Test(test::Arguments),
    /// Install what is missing on this machine, nothing else
    Setup {
        /// Also what the tests need
        #[arg(long)]
        tests: bool,
    },
    /// Build the UI into ui/dist
    Ui,
    /// Check the rules that the compiler does not know
    Tidy {
        /// Record the migrations as released: from now on they must not change
        #[arg(long)]
        freeze: bool,
    },
    /// Write the generated part of docs/headless.md and docs/schema.json
    Schema {
        /// Only fail if they are out of date
        #[arg(long)]
        check: bool,
    },
    /// Write the golden database of the newest schema, which tests of every later version will open
    Golden,
    /// Draw the PNG icons from icons/holdfast.svg
    Icons,
    /// Build the release and pack it as a Debian package
    Dist,
    /// Measure
    Bench(bench::Arguments),
    /// Run one compiled UI test file in a headless browser; cargo calls this
    #[command(hide = true)]
    WasmTestRunner {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match start(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            screen::say(format!("\nError: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn start(task: Task) -> Result<()> {
    if let Task::WasmTestRunner { arguments } = task {
        return test::run_wasm_tests(arguments);
    }
    let repository = Repository::find()?;
    match task {
        Task::Run(arguments) => run::run(&repository, &arguments),
        Task::Test(arguments) => test::run(&repository, &arguments),
        Task::Setup { tests } => test::set_up(&repository, tests),
        Task::Ui => ui_build::build(&repository, ui_build::Shrink::No),
        Task::Tidy { freeze: true } => tidy::freeze(&repository.root),
        Task::Tidy { freeze: false } => tidy::run(&repository.root),
        Task::Schema { check: true } => schema::check(&repository),
        Task::Schema { check: false } => schema::write(&repository),
        Task::Golden => golden::write(&repository),
        Task::Icons => icons::draw(&repository),
        Task::Dist => dist::run(&repository),
        Task::Bench(arguments) => bench::run(&repository, &arguments),
        Task::WasmTestRunner { .. } => Ok(()),
    }
}
