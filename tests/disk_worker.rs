//! A workload on a disk that refuses: the k-th call that can fail in a certain way does, as the
//! environment says. When it has struck, the fault is taken away, and the same process must bring
//! everything to rest.
//!
//! `holdfast-disk-worker FOLDER FACTS SEED ACTS`. It says how often the fault struck, how often while
//! it worked, and how many calls there were that it could have struck.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use testkit::evidence::FactFile;
use testkit::vfs::{Failure, Fault, Watch};
use testkit::workload::{Plan, World};

/// The folder could not be opened, or not be closed in order, and the reason was said.
const REFUSED: u8 = 3;

type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        complain(&error);
        ExitCode::FAILURE
    })
}

fn run() -> Result<ExitCode, Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, facts, seed, acts] = arguments.as_slice() else {
        return Err("it takes a folder, a file of facts, a seed and acts".into());
    };
    let plan = Plan {
        acts: acts.parse()?,
        ..Plan::new(seed.parse()?)
    };
    let fault = Fault::from_environment()?;
    let folder = PathBuf::from(folder);
    let disk = Watch::new(&watched(&folder, fault))?;
    disk.set_fault(fault);
    let witness = Arc::new(FactFile::open(Path::new(facts))?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let code = runtime.block_on(live(&folder, &plan, witness, &disk, fault));
    runtime.shutdown_background();
    let calls = fault.failure.calls();
    let calls: u64 = calls.iter().map(|call| disk.calls(*call)).sum();
    say("disk.calls", calls)?;
    code
}

/// A copy whose sync fails is given up, and nothing else is harmed by it; one of the database ends
/// the process. So only those are struck.
fn watched(folder: &Path, fault: Fault) -> PathBuf {
    match fault.failure {
        Failure::SyncError => folder.join("holdfast.db"),
        Failure::IoError | Failure::Full | Failure::ShortWrite => folder.to_owned(),
    }
}

async fn live(
    folder: &Path,
    plan: &Plan,
    witness: Arc<FactFile>,
    disk: &Watch,
    fault: Fault,
) -> Result<ExitCode, Failed> {
    let mut struck = 0;
    let opened = World::open(folder, plan, Arc::clone(&witness) as _).await;
    let mut world = match opened {
        Ok(world) => world,
        Err(error) => {
            complain(&error);
            // Whoever could not open it because a sync failed does not go on.
            if fault.failure == Failure::SyncError {
                return Ok(ExitCode::from(REFUSED));
            }
            struck = disk.clear_fault();
            World::open(folder, plan, witness).await?
        }
    };
    // A person who is told that something failed is no reason to stop.
    if let Err(error) = world.work().await {
        complain(&error);
    }
    struck += disk.struck();
    say("disk.struck_at_work", struck)?;
    if struck > 0 {
        disk.clear_fault();
        world.settle().await?;
    }
    let closed = world.close().await;
    say("disk.struck", struck.max(disk.clear_fault()))?;
    match closed {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            complain(&error);
            Ok(ExitCode::from(REFUSED))
        }
    }
}

fn complain(error: &dyn std::fmt::Debug) {
    drop(writeln!(std::io::stderr(), "{error:?}"));
}

fn say(what: &str, count: u64) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what} {count}")?;
    out.flush()
}
