//! Agents, rules and settings.

use protocol::{
    AgentFields, AgentView, Command, ErrorCode, RecoveryPolicy, Reply, RuleScope, RunLimits,
    RunStatus, Settings, Verdict,
};
use serde_json::json;

use crate::acting::fields;
use crate::fixture::{Home, World};

fn agent(reply: Reply) -> AgentView {
    match reply {
        Reply::Agent(agent) => agent,
        other => panic!("{other:?}"),
    }
}

async fn names(world: &World) -> Vec<String> {
    match world.done(Command::ListAgents {}).await {
        Reply::Agents { agents } => agents.into_iter().map(|agent| agent.fields.name).collect(),
        other => panic!("{other:?}"),
    }
}

// RUN-6, STO-4
#[tokio::test]
async fn agents_are_made_edited_copied_and_deleted() {
    let home = Home::new();
    let world = home.open();
    let helper = AgentFields {
        instructions: Some("Be brief.".to_owned()),
        tools: Some(vec!["prints".to_owned()]),
        ..fields("Helper")
    };
    let made = agent(
        world
            .done(Command::CreateAgent {
                fields: helper.clone(),
            })
            .await,
    );
    assert_eq!((&made.fields, made.revision), (&helper, 1));
    let agent_id = made.agent_id;
    let one = world.start_with(agent_id, "Go").await;
    let call = world.script.call().await;
    assert_eq!(call.request.instructions.as_deref(), Some("Be brief."));
    assert_eq!(call.request.tools.len(), 1);
    // Edited while it runs: the run keeps what it began with, over a restart too.
    let update = |text: &str, revision| Command::UpdateAgent {
        agent_id,
        fields: AgentFields {
            instructions: Some(text.to_owned()),
            tools: None,
            ..fields("Helper")
        },
        revision,
    };
    let edited = agent(world.done(update("Be long.", 1)).await);
    assert_eq!(edited.revision, 2);
    assert_eq!(world.code(update("Stale.", 1)).await, ErrorCode::Conflict);
    let (pinned, dead) = (call.request.clone(), home.copy());
    call.ask_for("prints", &json!({}));
    let next = world.script.call().await;
    assert_eq!(next.request.instructions, pinned.instructions);
    assert_eq!(next.request.tools, pinned.tools);
    world.close().await;
    let world = dead.open();
    world.resume(one.run_id()).await;
    let call = world.script.call().await;
    assert_eq!(call.request, pinned, "byte for byte");
    call.answer("1");
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.say(one.session_id, "More").await;
    let call = world.script.call().await;
    assert_eq!(call.request.instructions.as_deref(), Some("Be long."));
    let copy = agent(world.done(Command::DuplicateAgent { agent_id }).await);
    assert_eq!(copy.fields.name, "Helper (copy)");
    assert_eq!(copy.fields.instructions, edited.fields.instructions);
    // Deleted while it runs: the session goes on with the default one afterwards.
    world.done(Command::DeleteAgent { agent_id }).await;
    call.answer("2");
    world.until_run(one.session_id, RunStatus::Completed).await;
    let session = world.snapshot(one.session_id).await.session;
    let default = world.create().await;
    let default = world.snapshot(default).await.session.agent_id;
    assert_eq!(session.agent_id, default);
    world.say(one.session_id, "Still?").await;
    assert_eq!(world.script.call().await.request.instructions, None);
    assert_eq!(names(&world).await.len(), 2);
    for (command, code) in [
        (Command::DeleteAgent { agent_id }, ErrorCode::NotFound),
        (Command::DuplicateAgent { agent_id }, ErrorCode::NotFound),
        (
            Command::DeleteAgent { agent_id: default },
            ErrorCode::NotActionable,
        ),
        (update("Gone.", 2), ErrorCode::NotFound),
    ] {
        assert_eq!(world.code(command).await, code);
    }
    world.close().await;
}

#[tokio::test]
async fn an_agent_names_only_what_there_is() {
    let home = Home::new();
    let world = home.open();
    let before = names(&world).await;
    for fields in [
        AgentFields {
            model: Some("nobody".to_owned()),
            ..fields("A")
        },
        AgentFields {
            tools: Some(vec!["nothing".to_owned()]),
            ..fields("A")
        },
        fields(" "),
        fields(&"x".repeat(81)),
        AgentFields {
            limits: RunLimits {
                steps: Some(0),
                ..RunLimits::default()
            },
            ..fields("A")
        },
    ] {
        let shown = format!("{fields:?}");
        let code = world.code(Command::CreateAgent { fields }).await;
        assert!(
            matches!(code, ErrorCode::InvalidValue | ErrorCode::TooLarge),
            "{shown}"
        );
    }
    assert_eq!(names(&world).await, before);
    world.close().await;
}

// APR-12, SEC-5
#[tokio::test]
async fn rules_and_settings_stay_and_hold_at_once() {
    let home = Home::new();
    let world = home.open();
    let settings = Settings {
        recovery: RecoveryPolicy::Resume,
        keep_approvals: false,
        approval_minutes: Some(5),
        ..Settings::default()
    };
    let update = Command::UpdateSettings {
        settings: settings.clone(),
    };
    assert_eq!(world.done(update).await, Reply::Settings(settings.clone()));
    let add = |tool: &str, scope| Command::AddRule {
        verdict: Verdict::Deny,
        tool: tool.to_owned(),
        pattern: None,
        scope,
    };
    world.done(add("prints", RuleScope::Global {})).await;
    let session_id = world.create().await;
    world
        .done(add("slow", RuleScope::Session { session_id }))
        .await;
    let session_id = protocol::SessionId::from_uuid(uuid::Uuid::from_u128(7));
    let unknown = add("slow", RuleScope::Session { session_id });
    assert_eq!(world.code(unknown).await, ErrorCode::NotFound);
    world.close().await;
    let world = home.open();
    let read = world.done(Command::GetSettings {}).await;
    assert_eq!(read, Reply::Settings(settings));
    let Reply::Rules { rules } = world.done(Command::ListRules {}).await else {
        panic!("no rules");
    };
    assert_eq!(rules.len(), 2);
    let one = world.start("Go").await;
    world.script.call().await.ask_for("prints", &json!({}));
    let call = world.script.call().await;
    assert!(call.told()[2].starts_with("error: "), "denied by the rule");
    let rule_id = rules[0].rule_id;
    world.done(Command::RevokeRule { rule_id }).await;
    call.ask_for("prints", &json!({}));
    let call = world.script.call().await;
    assert!(call.told()[4].starts_with("result: "), "{:?}", call.told());
    call.answer("Done.");
    world.until_run(one.session_id, RunStatus::Completed).await;
    let again = Command::RevokeRule { rule_id };
    assert_eq!(world.code(again).await, ErrorCode::NotFound);
    world.close().await;
}
