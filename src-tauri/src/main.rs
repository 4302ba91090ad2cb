//! The command `holdfast`: opens the window, or does what it is told without one.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use host::headless::{self, AtEnd};
use host::{Arguments, Host, HostOptions, Mode, diagnostics};
use protocol::{CommandError, ErrorCode};
use shell::Readiness;

fn main() -> ExitCode {
    let readiness = Readiness::begin();
    let arguments = Arguments::parse();
    match carry_out(&arguments, readiness) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed too.
            drop(writeln!(
                std::io::stderr(),
                "holdfast: {}\n{}",
                error.message,
                error.hint
            ));
            ExitCode::FAILURE
        }
    }
}

fn carry_out(arguments: &Arguments, readiness: Readiness) -> Result<(), CommandError> {
    let options = arguments.host_options()?;
    match arguments.mode() {
        None => {
            log_to(&options);
            shell::run(options, readiness).map_err(|error| internal(&error))
        }
        Some(Mode::Headless { wait }) => {
            log_to(&options);
            run_headless(&options, if *wait { AtEnd::Wait } else { AtEnd::Interrupt })
        }
        Some(Mode::Restore) => {
            let backup = Host::restore(&options)?;
            say(&format!(
                "Restored {}. What stood there is in the folder damaged.",
                backup.file_name
            ))
        }
        Some(Mode::Diagnostics { out }) => write_diagnostics(&options, out.as_deref()),
    }
}

fn run_headless(options: &HostOptions, at_end: AtEnd) -> Result<(), CommandError> {
    let host = Host::start(options).map_err(|failure| failure.error)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| internal(&error))?;
    let input = std::io::BufReader::new(std::io::stdin());
    let result = runtime.block_on(headless::run(host, input, std::io::stdout(), at_end));
    // The thread that reads standard input may wait there for ever.
    runtime.shutdown_background();
    result
}

fn write_diagnostics(options: &HostOptions, out: Option<&Path>) -> Result<(), CommandError> {
    let text = format!("{:#}", diagnostics::collect(&options.data_dir));
    match out {
        None => say(&text),
        Some(path) => std::fs::write(path, text).map_err(|error| {
            CommandError::new(
                ErrorCode::StorageFailed,
                format!("{} cannot be written: {error}.", path.display()),
                "Choose another file with --out.",
            )
        }),
    }
}

fn log_to(options: &HostOptions) {
    if let Err(error) = host::start_logs(options) {
        // Logs that cannot be kept must not keep anyone from their sessions.
        drop(writeln!(
            std::io::stderr(),
            "holdfast: no logs are kept: {error}"
        ));
    }
}

fn say(text: &str) -> Result<(), CommandError> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| internal(&error))
}

fn internal(error: &dyn std::error::Error) -> CommandError {
    CommandError::new(ErrorCode::Internal, error.to_string(), "The log says more.")
}
