//! The command `holdfast`: opens the window, or does what it is told without one.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use host::audit::{self, Form};
use host::headless::{self, AtEnd};
use host::{Arguments, AuditMode, Host, HostOptions, Mode, Restore, diagnostics};
use protocol::{CommandError, ErrorCode};
use shell::Readiness;

/// The audit is not there, or is none: something else than one that is wrong.
const CANNOT_BE_READ: u8 = 2;

fn main() -> ExitCode {
    let readiness = Readiness::begin();
    let arguments = Arguments::parse();
    match carry_out(&arguments, readiness) {
        Ok(code) => code,
        Err(error) => {
            // Nothing is left to do if standard error is closed too.
            drop(writeln!(
                std::io::stderr(),
                "holdfast: {}\n{}",
                error.message,
                error.hint
            ));
            match arguments.mode() {
                Some(Mode::Audit(_)) => ExitCode::from(CANNOT_BE_READ),
                Some(_) | None => ExitCode::FAILURE,
            }
        }
    }
}

fn carry_out(arguments: &Arguments, readiness: Readiness) -> Result<ExitCode, CommandError> {
    let options = arguments.host_options()?;
    let done = match arguments.mode() {
        None => {
            check_display()?;
            log_to(&options);
            shell::run(options, readiness).map_err(|error| internal(&error))
        }
        Some(Mode::Headless { wait }) => {
            log_to(&options);
            run_headless(&options, if *wait { AtEnd::Wait } else { AtEnd::Interrupt })
        }
        Some(Mode::Restore { anyway }) => {
            let when = if *anyway {
                Restore::Anyway
            } else {
                Restore::IfDamaged
            };
            let backup = Host::restore(&options, when)?;
            say(&format!(
                "Restored {}. What stood there is in the folder damaged.",
                backup.file_name
            ))
        }
        Some(Mode::Diagnostics { out }) => write_diagnostics(&options, out.as_deref()),
        Some(Mode::Audit(AuditMode::Export { out })) => export_audit(&options, out.as_deref()),
        Some(Mode::Audit(AuditMode::Verify { file, json })) => {
            return verify_audit(&options, file.as_deref(), *json);
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Said plainly before the window system would end the process in the middle of its start.
fn check_display() -> Result<(), CommandError> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return Err(CommandError::new(
            ErrorCode::Unavailable,
            "There is no display to open a window on.",
            "Start it from a desktop, or use: holdfast headless",
        ));
    }
    Ok(())
}

fn run_headless(options: &HostOptions, at_end: AtEnd) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| internal(&error))?;
    let host = {
        let _inside = runtime.enter();
        Host::start(options).map_err(|failure| failure.error)?
    };
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
        Some(path) => create_private(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| unwritten(path, &error)),
    }
}

fn export_audit(options: &HostOptions, out: Option<&Path>) -> Result<(), CommandError> {
    let Some(path) = out else {
        return audit::export(&options.data_dir, &mut std::io::stdout().lock()).map(drop);
    };
    let file = create_private(path).map_err(|error| unwritten(path, &error))?;
    let mut file = std::io::BufWriter::new(file);
    let rows = audit::export(&options.data_dir, &mut file)?;
    say(&format!("Wrote {rows} rows to {}.", path.display()))
}

fn verify_audit(
    options: &HostOptions,
    file: Option<&Path>,
    json: bool,
) -> Result<ExitCode, CommandError> {
    let form = if json { Form::Json } else { Form::Text };
    let found = audit::verify(&options.data_dir, file, form)?;
    say(&found.text)?;
    Ok(if found.is_intact {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn unwritten(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::new(
        ErrorCode::StorageFailed,
        format!("{} cannot be written: {error}.", path.display()),
        "Choose another file with --out.",
    )
}

fn create_private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
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
