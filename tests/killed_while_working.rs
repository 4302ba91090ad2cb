//! Pull the plug while four sessions stream, call tools and wait for approvals: what was
//! acknowledged is there, and no effect that must not be repeated is.
//!
//! This is the app as it is wired for people, asking a model over HTTP. Many more kills of the engine
//! alone are those of the crash suites (`suites/killing.rs`).

mod driver;
mod evidence;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use testkit::model_server::{Reply, Request};
use testkit::{Headless, LEDGER_VARIABLE, Ledger, ModelServer, kill_process};

use driver::{Acknowledged, Driver};

/// Kills in every run of the tests, and with `--full`.
const ROUNDS: u64 = 50;
const FULL_ROUNDS: u64 = 500;
const SESSIONS: usize = 4;

/// STO-3, RUN-4, RUN-5, EFF-2, EFF-3, APR-5: random kills of a real process.
#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_done_twice() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ledger_path = folder.path().join("ledger.jsonl");
    let data = folder.path().join("data");
    let server = ModelServer::start(answer)?;
    let url = server.url();
    let start = || start(&data, &url, &ledger_path);
    let is_full = std::env::var_os("HOLDFAST_FULL").is_some();
    let rounds = if is_full { FULL_ROUNDS } else { ROUNDS };
    let mut acknowledged = Acknowledged::default();
    let mut driver = Driver::new(0x5eed_0002);
    let mut app = start()?;
    driver.open_sessions(&mut app, SESSIONS, &mut acknowledged)?;
    app.kill()?;
    for round in 0..rounds {
        let context = || format!("round {round}");
        let mut app = start().with_context(context)?;
        app.must(&protocol::Command::GetApp {})
            .with_context(context)?;
        let (id, after) = (app.id(), Duration::from_micros(driver.below(150_000)));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(after);
            kill_process(id)
        });
        driver.work_until_dead(&mut app, &mut acknowledged);
        killer
            .join()
            .map_err(|_| anyhow::anyhow!("the killer failed"))?;
        drop(app);
        evidence::check_rows(&data, &acknowledged).with_context(context)?;
        evidence::check_ledger(&data, &Ledger::new(&ledger_path)).with_context(context)?;
    }
    let mut app = start()?;
    driver.settle(&mut app, &mut acknowledged)?;
    app.close()?;
    evidence::check_rows(&data, &acknowledged)?;
    let counts = evidence::check_ledger(&data, &Ledger::new(&ledger_path))?;
    assert!(counts.once >= rounds / 8, "too little was done: {counts:?}");
    say(rounds, &acknowledged, &counts, server.count());
    Ok(())
}

#[expect(
    clippy::print_stdout,
    reason = "the counts are the result of the suite"
)]
fn say(rounds: u64, acknowledged: &Acknowledged, counts: &evidence::Counts, requests: usize) {
    println!(
        "kills {rounds}, acknowledged {}, lost 0, once {}, repeated 0, in doubt {}, requests {requests}",
        acknowledged.count(),
        counts.once,
        acknowledged.settled.len(),
    );
}

fn start(data: &Path, url: &str, ledger: &Path) -> Result<Headless> {
    let program = Path::new(env!("CARGO_BIN_EXE_holdfast-with-ledger"));
    let arguments = ["--model-url", url];
    Headless::start_program(program, data, &arguments, &[(LEDGER_VARIABLE, ledger)])
}

/// What the model says depends on the request alone: an app that was killed gets the same answer
/// when it asks again.
fn answer(request: &Request) -> Reply {
    let pace = Duration::from_millis(2);
    let calls = |wanted: &[(&str, &str, bool)], reply: Reply| {
        let arguments: Vec<String> = wanted
            .iter()
            .map(|(name, class, ask)| {
                format!(
                    r#"{{"class":"{class}","ask":{ask},"before_ms":4,"after_ms":4,"name":"{name}"}}"#
                )
            })
            .collect();
        let calls = arguments
            .iter()
            .map(|one| ("", "ledger_append", one.as_str()));
        reply.then_calls(calls).pace(pace)
    };
    match request.rounds() {
        0 => calls(
            &[
                ("read", "read", false),
                ("asked", "once", true),
                ("again", "idempotent", false),
                ("free", "once", false),
            ],
            Reply::text("I will look, ask, and then write it down, one after the other."),
        ),
        1 => calls(
            &[("last", "once", false), ("asked last", "once", true)],
            Reply::text("One more."),
        ),
        _ => {
            Reply::text("All of it is done, as far as it was allowed. Nothing is left.").pace(pace)
        }
    }
}
