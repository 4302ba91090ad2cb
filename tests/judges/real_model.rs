//! A real server with real models, with `--full` alone: they are a gigabyte, and they think for
//! seconds. What they say is their own matter; what the app makes of it is asserted.
#![expect(
    clippy::disallowed_methods,
    reason = "how long a real model takes is a result"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use protocol::{
    CallStatus, Command, Dialect, MessageStatus, Push, Reply, RunId, RunStatus, RunView,
};
use serde_json::json;
use testkit::{Provided, command, provider_at, suite_line};

use super::asking;
use super::servers::{Server, script};

/// A step takes seconds on an idle machine, and a test machine is not idle.
const PATIENCE: Duration = Duration::from_secs(600);
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// The models have one thread: the machine is there for others too.
const THREADS: &str = "1";

/// Where the models are; nothing without `--full`.
fn models() -> Option<PathBuf> {
    std::env::var_os("HOLDFAST_REAL_MODEL").map(PathBuf::from)
}

/// Starts the server and waits until it has read its model.
fn serve(folder: &Path, model: &str, template: Option<&str>) -> Result<Server> {
    let server = Server::start(|port| {
        let mut serve = command("nice");
        serve
            .args(["-n", "15"])
            .arg(folder.join("python/bin/python"))
            .arg("-B")
            .arg(script("serve_model.py"))
            .arg(folder.join(model))
            .args([&port.to_string(), THREADS])
            .args(template.map(script));
        Ok(serve)
    })?;
    let started = Instant::now();
    while asking::get(server.port, "/health").is_err() {
        ensure!(started.elapsed() < PATIENCE, "the model is never ready");
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(server)
}

fn app_at(data: &Path, server: &Server, request: &serde_json::Value) -> Result<Provided> {
    let mut fields = provider_at(Dialect::ChatCompletions, server.url("/v1"));
    fields.options.request = request.as_object().cloned().unwrap_or_default();
    Provided::start(data, fields, "none is needed", "real")
}

fn run(app: &mut Provided, run_id: RunId) -> Result<RunView> {
    let reply = app.app.must(&Command::GetRun { run_id })?;
    let Reply::Run(run) = reply else {
        bail!("not a run: {reply:?}")
    };
    Ok(run)
}

/// Looks until the run is as wanted.
fn until(
    app: &mut Provided,
    run_id: RunId,
    what: &str,
    is_wanted: impl Fn(&RunView) -> bool,
) -> Result<RunView> {
    let started = Instant::now();
    loop {
        let run = run(app, run_id)?;
        if is_wanted(&run) {
            return Ok(run);
        }
        let is_over = matches!(
            run.status,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled | RunStatus::Stopped
        );
        ensure!(!is_over, "no {what}: {run:?}");
        ensure!(started.elapsed() < PATIENCE, "no {what} yet: {run:?}");
        std::thread::sleep(LOOK_EVERY);
    }
}

fn is_over(run: &RunView) -> bool {
    run.status == RunStatus::Completed
}

fn found_below(folder: &Path, name: &str) -> Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = found_below(&path, name)? {
                return Ok(Some(found));
            }
        } else if path.ends_with(name) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// RUN-20, APR-5, RUN-13: a model that calls tools, an approval that outlives a kill, a kill in the
/// middle of the next step, a resume, and an end.
#[test]
fn a_run_with_tools_approvals_a_kill_and_a_resume_ends_well() -> Result<()> {
    let Some(folder) = models() else {
        return Ok(());
    };
    let started = Instant::now();
    let template = Some("tools-fenced.jinja");
    let server = serve(&folder, "qwen2.5-coder-1.5b.gguf", template)?;
    let ready = started.elapsed();
    let data = tempfile::tempdir()?;
    let mut app = app_at(data.path(), &server, &json!({"temperature": 0}))?;
    let (session_id, run_id) = app.app.start_run(
        "Use the tool write_file to write the word hello into the file hello.txt. \
         When that is done, say so in one short sentence.",
        None,
    )?;
    until(&mut app, run_id, "question", |run| {
        run.status == RunStatus::Waiting
    })?;
    let asked = started.elapsed();
    drop(app.app.kill_in_place()?);
    app.start_again()?;
    let waiting = run(&mut app, run_id)?;
    ensure!(waiting.status == RunStatus::Waiting, "{waiting:?}");
    app.allow_all()?;
    // The call is done, and the model thinks about its result.
    until(&mut app, run_id, "second step", |run| {
        run.status == RunStatus::Running && run.steps_completed >= 2
    })?;
    drop(app.app.kill_in_place()?);
    app.start_again()?;
    let cut = run(&mut app, run_id)?;
    ensure!(cut.status == RunStatus::Interrupted, "{cut:?}");
    app.app.must(&Command::ResumeRun { run_id })?;
    let ended = settle(&mut app, run_id)?;
    ensure!(ended.status == RunStatus::Completed, "{ended:?}");
    let file = found_below(data.path(), "hello.txt")?.context("no hello.txt")?;
    let written = std::fs::read_to_string(&file)?;
    ensure!(written.to_lowercase().contains("hello"), "{written}");
    let snapshot = app.snapshot(session_id)?;
    let mut calls = snapshot.calls.iter();
    ensure!(calls.any(|call| call.tool == "write_file" && call.status == CallStatus::Completed));
    ensure!(
        ended
            .usage
            .sum
            .input_tokens
            .is_some_and(|count| count > 100)
    );
    suite_line(
        "real model with tools",
        &[
            ("ready after ms", millis(ready)),
            ("asked after ms", millis(asked)),
            ("steps", ended.steps_completed.into()),
            ("calls", snapshot.calls.len() as u64),
            ("kills", 2),
        ],
        started.elapsed(),
    );
    Ok(())
}

/// Allows what is asked until the run is over.
fn settle(app: &mut Provided, run_id: RunId) -> Result<RunView> {
    loop {
        let run = until(app, run_id, "end", |run| {
            is_over(run) || run.status == RunStatus::Waiting
        })?;
        if is_over(&run) {
            return Ok(run);
        }
        app.allow_all()?;
    }
}

/// STR-1: real words, as they come; stopped in the middle, what was said stays.
#[test]
fn a_small_model_streams_and_can_be_stopped() -> Result<()> {
    let Some(folder) = models() else {
        return Ok(());
    };
    let started = Instant::now();
    let server = serve(&folder, "smollm2-135m.gguf", None)?;
    let ready = started.elapsed();
    let data = tempfile::tempdir()?;
    let options = json!({"temperature": 0, "max_tokens": 120});
    let mut app = app_at(data.path(), &server, &options)?;
    let sent = Instant::now();
    let question = "Tell me a long story about a river.";
    let (session_id, run_id) = app.app.start_run(question, None)?;
    app.app.wait_for(|push| matches!(push, Push::Delta(_)))?;
    let first = sent.elapsed();
    let mut pieces = 1_u64;
    app.app.wait_for(|push| {
        pieces += u64::from(matches!(push, Push::Delta(_)));
        matches!(push, Push::Event(it) if matches!(it.event, protocol::Event::RunCompleted { .. }))
    })?;
    let whole = sent.elapsed();
    let ended = run(&mut app, run_id)?;
    ensure!(is_over(&ended), "{ended:?}");
    ensure!(pieces >= 10, "{pieces} pieces");
    let said = app
        .snapshot(session_id)?
        .messages
        .pop()
        .context("nothing")?;
    ensure!(said.status == MessageStatus::Complete && said.text().len() > 100);
    let tokens = ended.usage.sum.output_tokens.context("no usage")?;

    let (session_id, run_id) = app.app.start_run(question, None)?;
    app.app.wait_for(|push| matches!(push, Push::Delta(_)))?;
    app.app.must(&Command::StopRun { run_id })?;
    let stopped = run(&mut app, run_id)?;
    ensure!(stopped.status == RunStatus::Stopped, "{stopped:?}");
    let partial = app
        .snapshot(session_id)?
        .messages
        .pop()
        .context("nothing")?;
    ensure!(partial.status == MessageStatus::Partial && !partial.text().is_empty());
    suite_line(
        "small model that streams",
        &[
            ("ready after ms", millis(ready)),
            ("first word after ms", millis(first)),
            ("pieces", pieces),
            ("tokens", tokens),
            ("in ms", millis(whole)),
        ],
        started.elapsed(),
    );
    Ok(())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
