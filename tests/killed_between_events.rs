//! Pull the plug between any two events of a provider's stream, whatever it speaks: nothing that was
//! shown is lost, and at most one call is paid for twice.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use protocol::{
    CallStatus, Command, MessageStatus, ProviderHeader, Push, RunId, RunStatus, Secret, SessionId,
};
use serde_json::json;
use testkit::model_server::{Dialect, Reply, Request};
use testkit::{
    DEADLINE, Dice, ModelServer, Provided, Recording, assert_contains_everything_seen, provider_at,
};

const KEY: &str = "sk-that-must-outlive-a-kill";
const TEAM: &str = "team-that-must-as-well";
/// How far behind the event a kill may come: as long as a commit takes, and longer.
const LATE_MICROS: u64 = 40_000;
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// Requests of a run that nobody kills.
const ROUNDS: usize = 2;

/// What each round says: a thought, words and a call; then words.
fn reply(round: usize) -> Reply {
    if round == 0 {
        let call = [("c1", "write_file", "{\"path\":\"a\",\"content\":\"b\"}")];
        let reply = Reply::nothing().then_reasoning("Hm.").then_text("I write.");
        return reply.then_calls(call);
    }
    Reply::text("It is written.")
}

/// Where the next request of a round stops for good.
#[derive(Debug, Clone, Copy)]
struct Stop {
    round: usize,
    pieces: usize,
}

type Plan = Arc<Mutex<Option<Stop>>>;

fn server(plan: &Plan) -> Result<ModelServer> {
    let plan = Arc::clone(plan);
    ModelServer::start(move |request: &Request| {
        let has = |secret: &str| request.headers.values().any(|value| value.contains(secret));
        if !has(KEY) || !has(TEAM) {
            return Reply::error(401, &json!({"error": {"message": "Who are you?"}}));
        }
        let round = request.rounds();
        let mut plan = plan.lock().unwrap_or_else(PoisonError::into_inner);
        match plan.take_if(|stop| stop.round == round) {
            Some(stop) => reply(round).hang_after(stop.pieces),
            None => reply(round),
        }
    })
}

fn app_at(data: &Path, dialect: Dialect, server: &ModelServer) -> Result<Provided> {
    let mut fields = provider_at(dialect.told(), server.url_for(dialect));
    fields.headers = vec![ProviderHeader {
        name: "X-Team".to_owned(),
        value: None,
    }];
    let mut app = Provided::start(data, fields, KEY, "scripted-1")?;
    app.app.must(&Command::SetProviderKey {
        provider_id: app.provider_id,
        header: Some("X-Team".to_owned()),
        key: Secret::new(TEAM),
    })?;
    Ok(app)
}

/// A run that is killed while its provider is silent after so many events.
fn run_until_killed(
    app: &mut Provided,
    server: &ModelServer,
    stop: Stop,
    late: Duration,
) -> Result<(SessionId, RunId, Recording)> {
    let before = server.count();
    let (session_id, run_id) = app.app.start_run("Write it.", None)?;
    if stop.round > 0 {
        app.app.wait_for(|push| {
            let Push::Event(envelope) = push else {
                return false;
            };
            matches!(envelope.event, protocol::Event::RunWaiting { .. })
        })?;
        app.allow_all()?;
    }
    was_asked(server, before + 1 + stop.round)?;
    std::thread::sleep(late);
    Ok((session_id, run_id, app.app.kill_in_place()?))
}

/// Whatever is printed meanwhile is read at the kill.
fn was_asked(server: &ModelServer, times: usize) -> Result<()> {
    let mut left = DEADLINE;
    while server.count() < times {
        ensure!(!left.is_zero(), "the provider was never asked");
        std::thread::sleep(LOOK_EVERY);
        left = left.saturating_sub(LOOK_EVERY);
    }
    Ok(())
}

/// What is there after the kill, and what comes of it.
fn taken_up(
    app: &mut Provided,
    session_id: SessionId,
    run_id: RunId,
    seen: &Recording,
) -> Result<()> {
    let snapshot = app.snapshot(session_id)?;
    app.app.must(&Command::Subscribe {
        session_id,
        after_seq: 0,
    })?;
    let head = snapshot.seq;
    app.app
        .wait_for(|push| matches!(push, Push::Event(envelope) if envelope.seq == head))?;
    let log = app.app.seen.events.get(&session_id).context("no events")?;
    assert_contains_everything_seen(seen, &snapshot, log)?;
    let status = snapshot.session.run.context("no run")?.status;
    if status == RunStatus::Interrupted {
        app.app.must(&Command::ResumeRun { run_id })?;
    }
    let ended = app.follow(session_id, run_id)?;
    ensure!(ended.answer()? == "It is written.");
    let done: Vec<CallStatus> = ended.snapshot.calls.iter().map(|it| it.status).collect();
    ensure!(done == [CallStatus::Completed], "{done:?}");
    let replies = ended.snapshot.messages.iter();
    let whole = replies.filter(|it| it.step_id.is_some() && it.status == MessageStatus::Complete);
    ensure!(whole.count() == ROUNDS, "each reply is whole once");
    Ok(())
}

/// RUN-8, STO-3: after each event of each round.
fn killed_after_every_event(dialect: Dialect) -> Result<()> {
    let plan = Plan::default();
    let server = server(&plan)?;
    let data = tempfile::tempdir()?;
    let mut app = app_at(data.path(), dialect, &server)?;
    let mut dice = Dice::new(0x5eed_0005);
    let (mut kills, mut with_text) = (0_u32, 0_u32);
    for round in 0..ROUNDS {
        for pieces in 0..=reply(round).piece_count_in(dialect) {
            let stop = Stop { round, pieces };
            let why = format!("{dialect:?}, {stop:?}");
            *plan.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
            let before = server.count();
            let late = Duration::from_micros(dice.below(LATE_MICROS));
            let (session_id, run_id, seen) =
                run_until_killed(&mut app, &server, stop, late).context(why.clone())?;
            app.start_again()?;
            taken_up(&mut app, session_id, run_id, &seen).context(why.clone())?;
            let paid = server.count() - before;
            ensure!(paid <= ROUNDS + 1, "{why}: {paid} calls");
            kills += 1;
            with_text += u32::from(seen.text_len() > 0);
        }
    }
    ensure!(
        with_text * 3 >= kills,
        "{with_text} of {kills} kills came after something was shown"
    );
    Ok(())
}

#[test]
fn chat_completions_loses_nothing() -> Result<()> {
    killed_after_every_event(Dialect::ChatCompletions)
}

#[test]
fn responses_loses_nothing() -> Result<()> {
    killed_after_every_event(Dialect::Responses)
}

#[test]
fn anthropic_loses_nothing() -> Result<()> {
    killed_after_every_event(Dialect::Anthropic)
}

#[test]
fn ollama_loses_nothing() -> Result<()> {
    killed_after_every_event(Dialect::Ollama)
}

#[test]
fn gemini_loses_nothing() -> Result<()> {
    killed_after_every_event(Dialect::Gemini)
}
