//! Rules: what the person has answered once for many calls.

use protocol::{
    CallStatus, Command, Decision, EffectClass, ErrorClass, ErrorCode, Reply, RuleId, RuleScope,
    RuleView, Verdict,
};
use serde_json::{Value, json};

use crate::calls::{one_call, outcome};
use crate::fixture::{Home, World};

async fn rules(world: &World) -> Vec<RuleView> {
    listed(world.execute(Command::ListRules {}).await.unwrap())
}

fn listed(reply: Reply) -> Vec<RuleView> {
    match reply {
        Reply::Rules { rules } => rules,
        other => panic!("{other:?}"),
    }
}

async fn add(world: &World, verdict: Verdict, tool: &str, pattern: Option<&str>, scope: RuleScope) {
    let command = Command::AddRule {
        verdict,
        tool: tool.to_owned(),
        pattern: pattern.map(str::to_owned),
        scope,
    };
    world.execute(command).await.unwrap();
}

/// A tool call about something, in a session of its own or in this one.
async fn about(
    world: &World,
    subject: &str,
    session: Option<protocol::SessionId>,
) -> (protocol::SessionId, CallStatus, Option<RuleId>) {
    let started = match session {
        Some(session_id) => world.send(session_id, "Go").await,
        None => world.start("Go").await,
    };
    let model = world.script.call().await;
    let arguments: Value = json!({"ask": true, "subject": subject});
    model.ask("", "ledger_append", &arguments);
    model.finish();
    let found = testkit::eventually("the call to be judged", async || {
        let calls = world.calls(started.session_id).await;
        let call = calls
            .into_iter()
            .find(|call| call.run_id == started.run_id)?;
        let is_settled = !matches!(call.status, CallStatus::Ready | CallStatus::Running);
        is_settled.then_some(call)
    });
    let call = found.await.unwrap();
    if call.status == CallStatus::Waiting {
        world.stop(started.run_id).await;
    } else {
        world.script.call().await.answer("Done.");
    }
    world.idle().await;
    let rule_id = call.verdict.unwrap().rule_id;
    (started.session_id, call.status, rule_id)
}

async fn answer_first(world: &World, subject: &str, decision: Decision) -> protocol::SessionId {
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.ask(
        "",
        "ledger_append",
        &json!({"ask": true, "subject": subject}),
    );
    model.finish();
    world.idle().await;
    let call = world.open_call().await;
    world.decide(&call, decision).await;
    world.script.call().await.answer("Done.");
    world.idle().await;
    started.session_id
}

// APR-7
#[tokio::test]
async fn allowed_once_is_asked_again() {
    let home = Home::new();
    let world = home.open();
    let session_id = answer_first(&world, "a.txt", Decision::AllowOnce {}).await;
    assert_eq!(rules(&world).await, []);
    let (_, status, rule) = about(&world, "a.txt", Some(session_id)).await;
    assert_eq!((status, rule), (CallStatus::Waiting, None));
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.close().await;
}

// APR-7, APR-12
#[tokio::test]
async fn allowed_in_a_session_holds_there_for_this_tool_and_this_pattern() {
    let home = Home::new();
    let world = home.open();
    let decision = Decision::AllowInSession { pattern: None };
    let session_id = answer_first(&world, "a*.txt", decision).await;
    let made = rules(&world).await.remove(0);
    assert_eq!(made.scope, RuleScope::Session { session_id });
    assert_eq!(
        (made.verdict, made.tool.as_str()),
        (Verdict::Allow, "ledger_append")
    );
    assert!(made.made_by.is_some(), "it says which answer made it");
    let (_, status, rule) = about(&world, "a*.txt", Some(session_id)).await;
    assert_eq!((status, rule), (CallStatus::Completed, Some(made.rule_id)));
    let (_, status, _) = about(&world, "ab.txt", Some(session_id)).await;
    assert_eq!(
        status,
        CallStatus::Waiting,
        "exactly what was shown, not what it looks like"
    );
    let (_, status, _) = about(&world, "a*.txt", None).await;
    assert_eq!(status, CallStatus::Waiting, "in that session alone");
    world.close().await;
    // It is stored.
    let world = home.open();
    let (_, status, _) = about(&world, "a*.txt", Some(session_id)).await;
    assert_eq!(status, CallStatus::Completed);
    world.close().await;
}

// APR-7, APR-12
#[tokio::test]
async fn always_allowed_holds_everywhere_until_it_is_revoked() {
    let home = Home::new();
    let world = home.open();
    let pattern = Some("notes/*.txt".to_owned());
    answer_first(&world, "notes/a.txt", Decision::AllowAlways { pattern }).await;
    let rule_id = rules(&world).await.remove(0).rule_id;
    for (subject, status) in [
        ("notes/b.txt", CallStatus::Completed),
        ("notes/deep/b.txt", CallStatus::Waiting),
        ("other.txt", CallStatus::Waiting),
    ] {
        let (session_id, found, _) = about(&world, subject, None).await;
        assert_eq!(found, status, "{subject}");
        if found == CallStatus::Completed {
            let verdict = world.calls(session_id).await.remove(0).verdict.unwrap();
            assert_eq!(verdict.rule_id, Some(rule_id));
            assert_eq!(
                verdict.explanation,
                "Allowed by the rule ledger_append notes/*.txt (everywhere)"
            );
        }
    }
    let reply = world
        .execute(Command::RevokeRule { rule_id })
        .await
        .unwrap();
    assert_eq!(listed(reply), []);
    assert_eq!(
        world.refused(Command::RevokeRule { rule_id }).await.0,
        ErrorCode::NotFound
    );
    let (_, status, _) = about(&world, "notes/b.txt", None).await;
    assert_eq!(
        status,
        CallStatus::Waiting,
        "the very next call is asked about"
    );
    world.close().await;
}

// APR-7
#[tokio::test]
async fn an_answer_with_a_pattern_that_cannot_be_read_changes_nothing() {
    let home = Home::new();
    let replies = vec![one_call("a", "ledger_append", &json!({"ask": true}))];
    let (world, _) = home.play(replies);
    world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    for pattern in ["[", "a/{b"] {
        let pattern = Some(pattern.to_owned());
        let error = world
            .try_decide(&call, Decision::AllowAlways { pattern })
            .await;
        assert_eq!(error.unwrap_err().code, ErrorCode::InvalidValue);
    }
    assert_eq!(world.open_call().await, call);
    assert_eq!(rules(&world).await, []);
    world.close().await;
}

// APR-12
#[tokio::test]
async fn deny_wins_over_ask_and_ask_over_allow_whatever_their_scope() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.create().await;
    let session = || RuleScope::Session { session_id };
    add(&world, Verdict::Allow, "ledger_append", None, session()).await;
    let (_, status, _) = about(&world, "x", Some(session_id)).await;
    assert_eq!(status, CallStatus::Completed);
    add(&world, Verdict::Ask, "*", Some("x"), RuleScope::Global {}).await;
    let (_, status, rule) = about(&world, "x", Some(session_id)).await;
    assert_eq!(status, CallStatus::Waiting);
    assert!(rule.is_some(), "it says which rule asks");
    let (_, status, _) = about(&world, "y", Some(session_id)).await;
    assert_eq!(status, CallStatus::Completed);
    add(&world, Verdict::Deny, "ledger_append", Some("x"), session()).await;
    let before = home.entries().len();
    let (_, status, _) = about(&world, "x", Some(session_id)).await;
    assert_eq!(status, CallStatus::Denied);
    let call = world.calls(session_id).await.pop().unwrap();
    let (text, class) = outcome(&call);
    assert_eq!(class, Some(ErrorClass::Permission));
    assert_eq!(
        text,
        "Denied by the rule ledger_append x (in this session)."
    );
    assert_eq!(home.entries().len(), before);
    assert_eq!(rules(&world).await.len(), 3);
    world.close().await;
}

// APR-12
#[tokio::test]
async fn what_a_rule_denies_cannot_be_allowed_by_an_edit() {
    let home = Home::new();
    let arguments = json!({"ask": true, "subject": "a"});
    let (world, _) = home.play(vec![one_call("a", "ledger_append", &arguments)]);
    add(
        &world,
        Verdict::Deny,
        "*",
        Some("secret"),
        RuleScope::Global {},
    )
    .await;
    world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    let arguments = json!({"subject": "secret"}).to_string();
    let error = world
        .try_decide(&call, Decision::EditAndAllow { arguments })
        .await;
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidValue);
    assert_eq!(world.open_call().await, call);
    assert_eq!(home.entries(), []);
    world.close().await;
}

// APR-12: a denial that is added while a question is open holds when the call starts.
#[tokio::test]
async fn a_denial_that_came_after_the_question_still_wins() {
    let home = Home::new();
    let arguments = json!({"ask": true, "subject": "a"});
    let (world, _) = home.play(vec![one_call("a", "ledger_append", &arguments)]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    add(
        &world,
        Verdict::Deny,
        "ledger_append",
        None,
        RuleScope::Global {},
    )
    .await;
    world.decide(&call, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(home.entries(), [], "deny always wins");
    let call = world.calls(started.session_id).await.remove(0);
    assert_eq!(outcome(&call).1, Some(ErrorClass::Permission));
    world.close().await;
}
