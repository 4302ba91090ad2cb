//! Measures the real engine on the real file system. Each subcommand is one measurement in a process
//! of its own and prints one line of JSON; `cargo xtask bench engine` runs them and makes the table.

mod actors;
mod deltas;
mod growth;
mod memory;
mod meter;
mod recovery;
mod scene;
mod steps;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use serde_json::Value;

#[derive(Parser)]
#[command(about = "Measures the engine; every subcommand prints one line of JSON")]
struct Cli {
    /// An empty folder on the disk that is measured.
    #[arg(long)]
    folder: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Durable steps: sessions at once, each a run of so many steps.
    Steps {
        #[arg(long)]
        sessions: u32,
        #[arg(long)]
        steps: u32,
    },
    /// Fills the folder with sessions and dies while some of their runs are going.
    Crash {
        #[arg(long)]
        sessions: u32,
        #[arg(long)]
        interrupted: u32,
    },
    /// Opens what `crash` left.
    Recover,
    /// One session with so many events: an event more, a step more, and opening it.
    Growth {
        #[arg(long)]
        events: u32,
    },
    /// Streamed pieces that are committed.
    Deltas {
        #[arg(long)]
        sessions: u32,
        #[arg(long)]
        pieces: u32,
    },
    /// Memory of what `crash` left: idle, then with so many runs that are going.
    Memory {
        #[arg(long)]
        running: u32,
    },
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let folder = cli.folder;
    let measured = runtime.block_on(async move {
        match cli.what {
            What::Steps { sessions, steps } => steps::measure(&folder, sessions, steps).await,
            What::Crash {
                sessions,
                interrupted,
            } => recovery::crash(&folder, sessions, interrupted).await,
            What::Recover => recovery::measure(&folder).await,
            What::Growth { events } => growth::measure(&folder, events).await,
            What::Deltas { sessions, pieces } => deltas::measure(&folder, sessions, pieces).await,
            What::Memory { running } => memory::measure(&folder, running).await,
        }
    })?;
    print(&measured);
    // Without an end for what is still going: `crash` leaves its folder as a killed process does.
    std::process::exit(0);
}

#[expect(
    clippy::print_stdout,
    reason = "the line that the measurement is run for"
)]
fn print(measured: &Value) {
    println!("{measured}");
}
