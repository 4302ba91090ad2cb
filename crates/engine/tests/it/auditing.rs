//! SEC-4: whatever is asked of the engine, and whatever it does by itself, is in the audit.

use protocol::{
    Command, Decision, ErrorCode, ExportFormat, Reply, RuleScope, RunStatus, Settings, Verdict,
};
use serde_json::json;

use crate::acting::{fields, send_command};
use crate::fixture::{Home, World};

/// Every row: kind, name, status, the hash of the content.
fn told(home: &Home) -> Vec<Vec<String>> {
    let sql = "SELECT kind, name, status, lower(hex(content)) FROM audit ORDER BY seq";
    testkit::raw::look(&home.path().join("holdfast.db"), sql).unwrap()
}

fn rows(home: &Home, kind: &str) -> Vec<Vec<String>> {
    let mut rows = told(home);
    rows.retain(|row| row[0] == kind);
    rows
}

/// Carries a command out and looks what was told of it: once, by its name and its hash.
async fn is_told(home: &Home, world: &World, command: Command) -> Reply {
    let json = serde_json::to_string(&command).unwrap();
    let name = serde_json::from_str::<serde_json::Value>(&json).unwrap()["type"].clone();
    let before = rows(home, "command").len();
    let reply = world.done(command).await;
    let after = rows(home, "command");
    assert_eq!(after.len(), before + 1, "{name}");
    let row = &after[before];
    assert_eq!(row[1], name);
    assert_eq!(row[3], blake3::hash(json.as_bytes()).to_hex().to_string());
    reply
}

#[tokio::test]
async fn every_command_that_changes_something_is_told_once() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    assert_eq!(rows(&home, "command").len(), 1, "create_session");
    let text = |text: &str| text.to_owned();
    let agent = is_told(
        &home,
        &world,
        Command::CreateAgent {
            fields: fields("A"),
        },
    )
    .await;
    let Reply::Agent(agent) = agent else {
        panic!("{agent:?}")
    };
    let agent_id = agent.agent_id;
    let rule = is_told(
        &home,
        &world,
        Command::AddRule {
            verdict: Verdict::Ask,
            tool: text("write_file"),
            pattern: None,
            scope: RuleScope::Global {},
        },
    )
    .await;
    let Reply::Rules { rules } = rule else {
        panic!("{rule:?}")
    };
    for command in [
        Command::RenameSession {
            session_id,
            title: text("Tides"),
        },
        Command::SetSessionAgent {
            session_id,
            agent_id,
        },
        Command::SetSessionModel {
            session_id,
            model: Some(text("script")),
        },
        Command::ArchiveSession {
            session_id,
            is_archived: true,
        },
        Command::DeleteSession { session_id },
        Command::RestoreSession { session_id },
        Command::UpdateAgent {
            agent_id,
            fields: fields("B"),
            revision: 1,
        },
        Command::DuplicateAgent { agent_id },
        Command::DeleteAgent { agent_id },
        Command::RevokeRule {
            rule_id: rules[0].rule_id,
        },
        Command::UpdateSettings {
            settings: Settings::default(),
        },
    ] {
        is_told(&home, &world, command).await;
    }
    world.close().await;
    let report = store::verify_audit(home.path()).unwrap();
    assert!(report.is_intact, "{report:?}");
}

#[tokio::test]
async fn the_commands_of_a_run_are_told_once_each() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    is_told(&home, &world, send_command(Some(session_id), "Go")).await;
    let arguments = json!({"ask": true});
    world
        .script
        .call()
        .await
        .ask_for("ledger_append", &arguments);
    world.until_run(session_id, RunStatus::Waiting).await;
    let call = world.only_call(session_id).await;
    let decide = Command::DecideCall {
        call_id: call.call_id,
        digest: call.approval.unwrap().digest,
        decision: Decision::AllowOnce {},
        from: None,
    };
    is_told(&home, &world, decide).await;
    let model = world.script.call().await;
    is_told(&home, &world, send_command(Some(session_id), "And then?")).await;
    let queued = rows(&home, "record");
    assert!(queued.iter().any(|row| row[1] == "message_queued"));
    model.answer("Done.");
    let model = world.script.call().await;
    let run_id = world.snapshot(session_id).await.session.run.unwrap().run_id;
    is_told(&home, &world, Command::StopRun { run_id }).await;
    is_told(&home, &world, Command::ResumeRun { run_id }).await;
    drop(model);
    is_told(&home, &world, Command::CancelRun { run_id }).await;
    let effects: Vec<String> = rows(&home, "effect")
        .into_iter()
        .filter(|row| row[1].starts_with("call_"))
        .map(|row| format!("{} {}", row[1], row[2]))
        .collect();
    assert_eq!(
        effects.last().map(String::as_str),
        Some("call_ended completed")
    );
    assert!(effects.contains(&"call_started running".to_owned()));
    let decisions: Vec<String> = rows(&home, "decision")
        .into_iter()
        .map(|row| row[1].clone())
        .collect();
    assert_eq!(
        decisions,
        ["approval_asked", "approval_decided", "approval_used"]
    );
    world.close().await;
    let report = store::verify_audit(home.path()).unwrap();
    assert!(report.is_intact, "{report:?}");
}

#[tokio::test]
async fn what_changes_nothing_is_not_told() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let before = told(&home);
    for command in [
        Command::GetApp {},
        Command::ListAttention {},
        Command::ListRules {},
        Command::ListAgents {},
        Command::ListProviders {},
        Command::GetSettings {},
        Command::GetSession {
            session_id,
            limit: None,
        },
        Command::ExportSession {
            session_id,
            format: ExportFormat::Json,
        },
        // The same again answers with the same session.
        Command::CreateSession {
            session_id: Some(session_id),
            title: None,
            agent_id: None,
        },
    ] {
        world.done(command).await;
    }
    let missing = Command::RenameSession {
        session_id: protocol::SessionId::from_uuid(uuid::Uuid::from_u128(404)),
        title: "x".to_owned(),
    };
    assert_eq!(world.code(missing).await, ErrorCode::NotFound);
    assert_eq!(told(&home), before);
    world.close().await;
}

/// What a start does to what a dead process left is told, with what it did to each call.
#[tokio::test]
async fn a_recovery_is_told() {
    let home = Home::new();
    let world = home.open();
    world.working("once").await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    let told = told(&dead);
    let sweep = told
        .iter()
        .position(|row| (row[0].as_str(), row[1].as_str()) == ("recovery", "sweep"));
    let after: Vec<&str> = told[sweep.unwrap()..]
        .iter()
        .map(|row| row[1].as_str())
        .collect();
    assert!(after.contains(&"call_in_doubt"), "{after:?}");
    assert!(after.contains(&"run_moved"), "{after:?}");
    world.close().await;
}

/// What the app does because its time has come is told as its own doing.
#[tokio::test]
async fn what_the_app_does_by_itself_is_told() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    world.done(Command::DeleteSession { session_id }).await;
    world.clock.advance(61_000);
    while rows(&home, "app").is_empty() {
        world.settle().await;
    }
    let told = told(&home);
    let newest: Vec<&str> = told[told.len() - 2..]
        .iter()
        .map(|row| row[1].as_str())
        .collect();
    assert_eq!(newest, ["purge_session", "session_purged"]);
    world.close().await;
}
