//! Everything that can be in a database, made by the engine itself in two lives, the second of which is
//! cut off in the middle of things.

use std::path::Path;

use anyhow::{Result, bail, ensure};
use protocol::{
    AgentFields, AttentionKind, Command, Decision, Dialect, ProviderFields, ProviderHeader,
    ProviderOptions, Reply, Resolution, RuleScope, RunId, RunLimits, Secret, SessionId, Settings,
    ToolCallView, Verdict,
};
use serde_json::json;
use tempfile::TempDir;

use super::text;
use super::world::{BEGINNING, Mood, World, calls, newest_message, then};
use crate::suites::place::memory_folder;

/// The folder that the story is told of, whatever folder it was lived in.
const PLACE: &str = "/data/holdfast";

/// Lives both lives; gives what the second one left when it was cut off, as SQL.
pub(super) async fn tell() -> Result<String> {
    let first = memory_folder()?;
    let world = World::open(first.path(), Mood::Story, BEGINNING)?;
    let left = first_life(&world).await?;
    let second = image(first.path())?;
    world.close().await?;
    let world = World::open(second.path(), Mood::Story, BEGINNING + 20_000)?;
    ensure!(world.recovered.interrupted == 3, "{:?}", world.recovered);
    second_life(&world, &left).await?;
    let image = image(second.path())?;
    world.close().await?;
    let sql = text::write(&image.path().join("holdfast.db"))?;
    let lived = [first.path(), second.path()].map(Path::to_string_lossy);
    Ok(lived
        .iter()
        .fold(sql, |sql, folder| sql.replace(&**folder, PLACE)))
}

/// What a process that ended at this instant would leave.
fn image(folder: &Path) -> Result<TempDir> {
    let image = memory_folder()?;
    for name in ["holdfast.db", "holdfast.db-wal"] {
        std::fs::copy(folder.join(name), image.path().join(name))?;
    }
    Ok(image)
}

/// What the second life has to do with the first.
struct Left {
    skipped: RunId,
    stopped: RunId,
    written: SessionId,
}

async fn first_life(world: &World) -> Result<Left> {
    settings(world).await?;
    let written = files_and_branches(world).await?;
    summarised(world).await?;
    let (_, failed) = world.start(then("This cannot work.", "fail")).await?;
    world.until_run(failed, "failed").await?;
    let (_, cancelled) = world.start(then("Think of nothing.", "hang")).await?;
    until_streaming(world, cancelled).await?;
    world.must(Command::CancelRun { run_id: cancelled }).await?;
    let (_, stopped) = world.start(then("Think, then stop.", "hang")).await?;
    until_streaming(world, stopped).await?;
    world.must(Command::StopRun { run_id: stopped }).await?;
    ended_calls(world).await?;
    stopped_while_waiting(world).await?;
    // These are going when the process ends, and so interrupted or in doubt in the next one.
    let (_, interrupted) = world.start(then("Think aloud.", "hang")).await?;
    until_streaming(world, interrupted).await?;
    let once = json!([["waits", {"class": "once"}]]);
    let (_, doubted) = world.start(calls("Ring the bell.", &once)).await?;
    world.until_calls(doubted, "running", 1).await?;
    let (_, skipped) = world.start(calls("Ring it again.", &once)).await?;
    world.until_calls(skipped, "running", 1).await?;
    let asked = json!([["ledger_append", {"ask": true, "class": "once", "name": "waiting"}]]);
    let (_, waiting) = world.start(calls("Ask me first.", &asked)).await?;
    world.until_run(waiting, "waiting").await?;
    Ok(Left {
        skipped,
        stopped,
        written,
    })
}

async fn second_life(world: &World, left: &Left) -> Result<()> {
    let doubt = open_call(world, left.skipped).await?;
    let resolution = Resolution::Skip {};
    world
        .must(Command::ResolveCall {
            call_id: doubt.call_id,
            resolution,
        })
        .await?;
    world
        .engine
        .note_notice(left.stopped, AttentionKind::Stopped)
        .await
        .map_err(|error| anyhow::anyhow!("{error:?}"))?;
    put_away(world).await?;
    // One that waits for its next try, and three that are going when the process ends.
    let (_, retried) = world.start(then("Try later.", "overloaded")).await?;
    let id = retried.uuid().simple();
    world
        .until(&format!(
            "SELECT retry_at_ms IS NOT NULL FROM runs WHERE id = x'{id}'"
        ))
        .await?;
    let (session_id, streaming) = world.start(then("Tell me everything.", "hang")).await?;
    until_streaming(world, streaming).await?;
    queue(world, session_id).await?;
    let together = json!([
        ["counts", {"changes": [{"type": "set", "key": "plan", "value": ["look", "write"]}]}],
        ["waits", {"class": "once", "resources": ["bell"]}],
        ["ledger_append", {"class": "once", "resources": ["bell"], "name": "behind"}],
        ["waits", {"class": "read"}]
    ]);
    let (_, working) = world.start(calls("Do it all.", &together)).await?;
    world.until_calls(working, "running", 2).await?;
    world.until_calls(working, "ready", 1).await?;
    world.until_calls(working, "completed", 1).await?;
    let again = json!([["write_file", {"path": "tides.md", "content": "third\n"}]]);
    let asked = calls("Write it a third time.", &again);
    send(world, left.written, asked, None).await
}

/// A session that outgrew its model.
async fn summarised(world: &World) -> Result<()> {
    let long = "All that is known of the tides, harbour by harbour. ".repeat(4);
    let (session_id, told) = world.start(long).await?;
    world.until_run(told, "completed").await?;
    let asked = then("And now in short.", "too_long");
    send(world, session_id, asked, None).await?;
    let id = session_id.uuid().simple();
    world
        .until(&format!(
            "SELECT count(*) = 2 FROM runs WHERE session_id = x'{id}' AND status = 'completed'"
        ))
        .await
}

async fn until_streaming(world: &World, run_id: RunId) -> Result<()> {
    let id = run_id.uuid().simple();
    world
        .until(&format!(
            "SELECT sum(length(body)) = 31 FROM deltas JOIN steps ON steps.id = deltas.step_id
             WHERE steps.run_id = x'{id}'"
        ))
        .await
}

/// One with a key, a secret header and a list of models.
async fn provider(world: &World) -> Result<()> {
    let header = |name: &str, value: Option<&str>| ProviderHeader {
        name: name.to_owned(),
        value: value.map(str::to_owned),
    };
    let fields = ProviderFields {
        name: "Harbour".to_owned(),
        dialect: Dialect::Anthropic,
        base_url: "https://models.example/v1".to_owned(),
        headers: vec![header("X-Title", Some("Tides")), header("X-Team", None)],
        options: ProviderOptions {
            api_version: Some("2026-10-21".to_owned()),
            ..ProviderOptions::default()
        },
        is_enabled: true,
    };
    let reply = world.must(Command::CreateProvider { fields }).await?;
    let Reply::Provider(provider) = reply else {
        bail!("no provider: {reply:?}")
    };
    let provider_id = provider.provider_id;
    for header in [None, Some("X-Team".to_owned())] {
        let key = Secret::new("kept nowhere");
        let command = Command::SetProviderKey {
            provider_id,
            header,
            key,
        };
        world.must(command).await?;
    }
    world.must(Command::RefreshModels { provider_id }).await?;
    Ok(())
}

async fn settings(world: &World) -> Result<()> {
    let settings = Settings {
        approval_minutes: Some(600),
        ..Settings::default()
    };
    world.must(Command::UpdateSettings { settings }).await?;
    let fields = AgentFields {
        name: "Clerk".to_owned(),
        instructions: Some("Be brief.\nBe kind.".to_owned()),
        model: None,
        tools: Some(vec!["read_file".to_owned()]),
        limits: RunLimits {
            steps: Some(10),
            seconds: Some(600),
            tokens: Some(100_000),
            cost_microusd: None,
        },
    };
    let reply = world.must(Command::CreateAgent { fields }).await?;
    let Reply::Agent(agent) = reply else {
        bail!("no agent: {reply:?}")
    };
    let command = Command::DuplicateAgent {
        agent_id: agent.agent_id,
    };
    world.must(command).await?;
    provider(world).await?;
    for (verdict, scope) in [
        (Verdict::Deny, RuleScope::Global {}),
        (
            Verdict::Ask,
            RuleScope::Workspace {
                workspace: "harbour".to_owned(),
            },
        ),
    ] {
        let command = Command::AddRule {
            verdict,
            tool: "write_file".to_owned(),
            pattern: Some("secret/*".to_owned()),
            scope,
        };
        world.must(command).await?;
    }
    Ok(())
}

/// A file that is written, overwritten and taken back; a branch, and a fork of it.
async fn files_and_branches(world: &World) -> Result<SessionId> {
    let write = |content: &str| json!([["write_file", {"path": "tides.md", "content": content}]]);
    let (session_id, run_id) = world.start(calls("Write.", &write("first\n"))).await?;
    decide(world, run_id, Decision::AllowOnce {}).await?;
    world.until_run(run_id, "completed").await?;
    let asked = calls("Write it again.", &write("second\n"));
    let reply = world
        .must(Command::StartRun {
            session_id: Some(session_id),
            text: asked,
            request_key: Some("the second writing".to_owned()),
        })
        .await?;
    let Reply::RunStarted { run_id, .. } = reply else {
        bail!("not started: {reply:?}")
    };
    let call = decide(world, run_id, Decision::AllowInSession { pattern: None }).await?;
    world.until_run(run_id, "completed").await?;
    let call_id = call.call_id;
    world.must(Command::UndoCall { call_id }).await?;
    let message_id = newest_message(world, session_id, true).await?;
    let command = Command::Regenerate {
        message_id,
        request_key: None,
    };
    let reply = world.must(command).await?;
    world
        .until("SELECT count(*) = 3 FROM runs WHERE status = 'completed'")
        .await
        .map_err(|error| error.context(format!("{reply:?}")))?;
    let message_id = newest_message(world, session_id, true).await?;
    let fork = Command::ForkSession {
        session_id,
        message_id,
    };
    world.must(fork).await?;
    Ok(session_id)
}

/// Calls that were denied, edited, that failed and that changed the state.
async fn ended_calls(world: &World) -> Result<()> {
    let asked = |name: &str| json!([["ledger_append", {"ask": true, "name": name}]]);
    let (_, denied) = world.start(calls("Ask.", &asked("denied"))).await?;
    let reason = Some("Not today.".to_owned());
    decide(world, denied, Decision::Deny { reason }).await?;
    world.until_run(denied, "completed").await?;
    let (_, edited) = world.start(calls("Ask.", &asked("edited"))).await?;
    let arguments = r#"{"ask": true, "name": "as the person wants it"}"#.to_owned();
    decide(world, edited, Decision::EditAndAllow { arguments }).await?;
    world.until_run(edited, "completed").await?;
    let (session_id, superseded) = world.start(calls("Ask.", &asked("superseded"))).await?;
    world.until_run(superseded, "waiting").await?;
    send(world, session_id, "Never mind.".to_owned(), None).await?;
    world.until_run(superseded, "completed").await?;
    let several = json!([
        ["fails", {"class": "read", "message": "No such tide."}],
        ["counts", {"changes": [{"type": "add", "key": "count", "by": 2}]}],
        ["ledger_append", {"class": "idempotent", "name": "written"}]
    ]);
    let (_, failed) = world.start(calls("Do several things.", &several)).await?;
    world.until_run(failed, "completed").await
}

/// A call that is closed by a stop.
async fn stopped_while_waiting(world: &World) -> Result<()> {
    let asked = json!([["ledger_append", {"ask": true, "name": "closed"}]]);
    let (_, run_id) = world.start(calls("Ask, then stop.", &asked)).await?;
    world.until_run(run_id, "waiting").await?;
    world.must(Command::StopRun { run_id }).await?;
    Ok(())
}

async fn put_away(world: &World) -> Result<()> {
    for (title, is_deleted) in [("Put away", false), ("Deleted", true)] {
        let command = Command::CreateSession {
            session_id: None,
            title: Some(title.to_owned()),
            agent_id: None,
        };
        let reply = world.must(command).await?;
        let Reply::Session(session) = reply else {
            bail!("no session: {reply:?}")
        };
        let session_id = session.session_id;
        let model = Some("obedient".to_owned());
        world
            .must(Command::SetSessionModel { session_id, model })
            .await?;
        let command = if is_deleted {
            Command::DeleteSession { session_id }
        } else {
            Command::ArchiveSession {
                session_id,
                is_archived: true,
            }
        };
        world.must(command).await?;
    }
    Ok(())
}

async fn queue(world: &World, session_id: SessionId) -> Result<()> {
    let key = Some("asked twice".to_owned());
    send(world, session_id, "And then?".to_owned(), key).await?;
    send_with(world, session_id, "And after that?").await
}

/// With everything that can be given along with a message.
async fn send_with(world: &World, session_id: SessionId, text: &str) -> Result<()> {
    let mut attachments = Vec::new();
    // "High water at noon.", and one pixel.
    for (name, data) in [
        ("tides.txt", "SGlnaCB3YXRlciBhdCBub29uLg=="),
        (
            "tide.png",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        ),
    ] {
        let command = Command::AddAttachment {
            attachment_id: None,
            name: name.to_owned(),
            data: data.to_owned(),
        };
        let reply = world.must(command).await?;
        let Reply::Attached { attachment, .. } = reply else {
            bail!("not attached: {reply:?}")
        };
        attachments.push(attachment.attachment_id);
    }
    let command = Command::SendMessage {
        session_id: Some(session_id),
        text: text.to_owned(),
        request_key: None,
        stop_first: false,
        attachments,
        agent_id: None,
    };
    world.must(command).await.map(drop)
}

async fn send(
    world: &World,
    session_id: SessionId,
    text: String,
    request_key: Option<String>,
) -> Result<()> {
    let command = Command::SendMessage {
        session_id: Some(session_id),
        text,
        request_key,
        stop_first: false,
        attachments: Vec::new(),
        agent_id: None,
    };
    world.must(command).await.map(drop)
}

/// The call of a run that waits for a person.
async fn open_call(world: &World, run_id: RunId) -> Result<ToolCallView> {
    let reply = world
        .must(Command::ListApprovals { session_id: None })
        .await?;
    let Reply::Calls { calls } = reply else {
        bail!("no calls: {reply:?}")
    };
    let mut calls = calls.into_iter().filter(|call| call.run_id == run_id);
    calls
        .next()
        .ok_or_else(|| anyhow::anyhow!("nothing waits in {run_id}"))
}

async fn decide(world: &World, run_id: RunId, decision: Decision) -> Result<ToolCallView> {
    world.until_run(run_id, "waiting").await?;
    let call = open_call(world, run_id).await?;
    let digest = call.approval.as_ref().map(|one| one.digest.clone());
    world
        .must(Command::DecideCall {
            call_id: call.call_id,
            digest: digest.unwrap_or_default(),
            decision,
            from: Some("main".to_owned()),
        })
        .await?;
    Ok(call)
}
