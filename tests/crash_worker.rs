//! The process that crash suites end: a seeded workload on a data folder, until it is done or dies.
//!
//! `holdfast-crash-worker FOLDER FACTS SEED ACTS CLASS MODE`; the class is `any` or an effect class,
//! the mode a list of `work`, `settle`, `wait`, `slow`, `alone` and `one`, with a
//! comma between.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use protocol::EffectClass;
use testkit::evidence::FactFile;
use testkit::workload::{Plan, World};

/// The folder could not be opened, or not be closed in order, and the reason was said.
const REFUSED: u8 = 3;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "{error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, facts, seed, acts, class, mode] = arguments.as_slice() else {
        return Err("it takes a folder, a file of facts, a seed, acts, a class and a mode".into());
    };
    let modes: Vec<&str> = mode.split(',').collect();
    let mut plan = Plan::new(seed.parse()?);
    plan.acts = acts.parse()?;
    plan.class = match class.as_str() {
        "any" => None,
        class => Some(EffectClass::parse(class)),
    };
    plan.pauses = modes.contains(&"slow");
    if modes.contains(&"one") {
        plan.sessions = 1;
        plan.overloads = false;
    }
    plan.resumes_alone = modes.contains(&"alone");
    let witness = Arc::new(FactFile::open(Path::new(facts))?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let folder = PathBuf::from(folder);
    let code = runtime.block_on(async {
        let mut world = match World::open(&folder, &plan, witness).await {
            Ok(world) => world,
            Err(error) => {
                drop(writeln!(std::io::stderr(), "{error:#}"));
                return Ok(ExitCode::from(REFUSED));
            }
        };
        if modes.contains(&"work") {
            world.work().await?;
        }
        if modes.contains(&"settle") {
            world.settle().await?;
        }
        if modes.contains(&"wait") {
            world.engine().idle().await;
        }
        if let Err(error) = world.close().await {
            drop(writeln!(std::io::stderr(), "{error:#}"));
            return Ok(ExitCode::from(REFUSED));
        }
        Ok::<_, Box<dyn std::error::Error>>(ExitCode::SUCCESS)
    })?;
    runtime.shutdown_background();
    say_hits()?;
    Ok(code)
}

/// How often each failpoint was reached, for whoever wants to strike in the middle.
fn say_hits() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for (point, hits) in store::faults::hits() {
        writeln!(out, "{} {hits}", point.name())?;
    }
    out.flush()
}
