//! The app without a window, with tools that keep a ledger beside the built-in ones.

use std::io::{BufReader, Write};
use std::process::ExitCode;

use clap::Parser;
use host::headless::{self, AtEnd};
use host::{Arguments, Host};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "{error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Arguments::parse().host_options()?;
    options.tools = testkit::test_tools_here();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let host = {
        let _inside = runtime.enter();
        Host::start(&options)?
    };
    let input = BufReader::new(std::io::stdin());
    let ended = headless::run(host, input, std::io::stdout(), AtEnd::Interrupt);
    let result = runtime.block_on(ended);
    runtime.shutdown_background();
    Ok(result?)
}
