//! Who needs a person, and what that person can do.

use std::collections::BTreeSet;

use protocol::{
    AttentionAction, AttentionKind, CallStatus, Command, Decision, ErrorClass, Resolution, RunId,
    RunStatus, SessionId,
};
use serde_json::json;

use crate::acting::{asks, decision_on, failed, failed_for, finished};
use crate::fixture::{Home, Started, World};

/// Which of the four actions the engine would take: each tried on a copy of the folder.
async fn accepted(home: &Home, session_id: SessionId, run_id: RunId) -> BTreeSet<String> {
    let mut accepted = BTreeSet::new();
    for action in [
        AttentionAction::Resume,
        AttentionAction::Decide,
        AttentionAction::Retry,
        AttentionAction::Discard,
    ] {
        let copy = home.copy();
        let world = copy.open();
        let commands = match action {
            AttentionAction::Resume => vec![Command::ResumeRun { run_id }],
            AttentionAction::Discard => vec![Command::CancelRun { run_id }],
            AttentionAction::Retry => vec![Command::RetryRun {
                run_id,
                request_key: None,
            }],
            AttentionAction::Decide => {
                let calls = world.calls(session_id).await;
                let each = calls.iter().flat_map(|call| {
                    let call_id = call.call_id;
                    let resolution = Resolution::Skip {};
                    let deny = Decision::Deny { reason: None };
                    [
                        decision_on(call, deny),
                        Command::ResolveCall {
                            call_id,
                            resolution,
                        },
                    ]
                });
                each.collect()
            }
        };
        for command in commands {
            if world.execute(command).await.is_ok() {
                accepted.insert(format!("{action:?}"));
            }
        }
        world.close().await;
    }
    accepted
}

async fn check(home: &Home, world: &World, one: Started, kind: AttentionKind) {
    let attention = world.attention(one.session_id).await.unwrap();
    assert_eq!(attention.kind, kind);
    assert_eq!(attention.run_id, one.run_id);
    assert_eq!(attention.asked, "Go");
    let listed: BTreeSet<String> = attention.actions.iter().map(|a| format!("{a:?}")).collect();
    let accepted = accepted(home, one.session_id, one.run_id).await;
    assert_eq!(listed, accepted, "{kind:?}");
    // The list, the panel and the session say the same.
    assert!(world.needing().await.contains(&one.session_id));
    let sessions = world.sessions().await;
    let row = sessions.iter().find(|s| s.session_id == one.session_id);
    assert_eq!(row.unwrap().attention, Some(attention));
}

// ATT-1, ATT-2
#[tokio::test]
async fn every_class_offers_exactly_what_would_be_accepted() {
    let home = Home::new();
    let world = home.open();
    let waiting = world.waiting().await;
    let doubtful = world.doubtful().await;
    let stopped = world.start("Go").await;
    let _call = world.script.call().await;
    world.stop(stopped.run_id).await;
    let failing = world.start("Go").await;
    world
        .script
        .call()
        .await
        .say(failed(ErrorClass::Auth, "No."));
    world.until_run(failing.session_id, RunStatus::Failed).await;
    let halted_doubt = world.doubtful().await;
    world.stop(halted_doubt.run_id).await;
    check(&home, &world, waiting, AttentionKind::Waiting).await;
    check(&home, &world, doubtful, AttentionKind::InDoubt).await;
    check(&home, &world, stopped, AttentionKind::Stopped).await;
    check(&home, &world, failing, AttentionKind::Failed).await;
    check(&home, &world, halted_doubt, AttentionKind::InDoubt).await;
    // Discarded, it is over, and the panel is empty of it at once.
    for run_id in [waiting.run_id, stopped.run_id, failing.run_id] {
        world.cancel(run_id).await;
    }
    let left: BTreeSet<_> = world.needing().await.into_iter().collect();
    let expected = BTreeSet::from([doubtful.session_id, halted_doubt.session_id]);
    assert_eq!(left, expected);
    world.close().await;
}

// ATT-1, ATT-2
#[tokio::test]
async fn an_interrupted_run_says_what_is_done_unknown_and_not_started() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    world.script.call().await.ask_for("prints", &json!({}));
    let call = world.script.call().await;
    call.say(asks("a", "slow", &json!({"class": "read"})));
    call.say(asks("b", "ledger_append", &json!({"ask": true})));
    call.say(finished());
    world
        .until(one.session_id, |snapshot| {
            let statuses: Vec<_> = snapshot.calls.iter().map(|call| call.status).collect();
            statuses[..]
                == [
                    CallStatus::Completed,
                    CallStatus::Running,
                    CallStatus::Waiting,
                ]
        })
        .await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    let attention = world.attention(one.session_id).await.unwrap();
    assert_eq!(attention.last_done.as_deref(), Some("Call prints"));
    assert_eq!(attention.unknown, []);
    let waiting: Vec<_> = attention.not_started.iter().map(|c| c.is_waiting).collect();
    assert_eq!(waiting, [false, true]);
    assert_eq!(attention.crashes, 1);
    check(&dead, &world, one, AttentionKind::Interrupted).await;
    world.close().await;
}

// ATT-2
#[tokio::test]
async fn what_goes_on_by_itself_needs_nobody() {
    let home = Home::new();
    let world = home.open();
    let retrying = world.start("Go").await;
    let call = world.script.call().await;
    call.say(failed_for(ErrorClass::Overloaded, 1_000));
    world.idle().await;
    let running = world.start("Go").await;
    let _call = world.script.call().await;
    assert_eq!(world.needing().await, []);
    for one in [retrying, running] {
        assert_eq!(world.attention(one.session_id).await, None);
    }
    world.close().await;
}

// ATT-5
#[tokio::test]
async fn a_broken_session_opens_as_far_as_it_can_be_read() {
    let breaks = [
        "UPDATE messages SET blocks = '{\"odd\": 1}' WHERE role = 'agent'",
        "UPDATE messages SET role = 'odd'",
        "UPDATE messages SET created_at_ms = -5",
        "UPDATE runs SET status = 'odd'",
        "UPDATE runs SET reason = 'odd', error_class = 'odd'",
        "UPDATE runs SET created_at_ms = -5",
        "UPDATE runs SET message_id = x'00'",
        "UPDATE tool_calls SET status = 'odd'",
        "UPDATE tool_calls SET effect = 'odd', verdict = 'odd'",
        "UPDATE tool_calls SET preview = '{}'",
        "UPDATE tool_calls SET bodies = -1",
        "UPDATE tool_calls SET created_at_ms = -5",
        "UPDATE approvals SET status = 'odd', digest = x'00'",
        "UPDATE sessions SET newest_run_id = x'00'",
    ];
    let home = Home::new();
    let world = home.open();
    let broken = world.waiting().await;
    let whole = world.waiting().await;
    world.close().await;
    let id = broken.session_id.uuid().simple().to_string();
    for sql in breaks {
        let copy = home.copy();
        let of = match sql.split_whitespace().nth(1).unwrap() {
            "approvals" => {
                format!("call_id IN (SELECT id FROM tool_calls WHERE session_id = x'{id}')")
            }
            "sessions" => format!("id = x'{id}'"),
            _ => format!("session_id = x'{id}'"),
        };
        let and = if sql.contains("WHERE") {
            "AND"
        } else {
            "WHERE"
        };
        let database = copy.path().join("holdfast.db");
        testkit::raw::break_rows(&database, &format!("{sql} {and} {of}")).unwrap();
        let world = copy.open();
        let sessions = world.sessions().await;
        assert_eq!(sessions.len(), 2, "{sql}");
        let get = Command::GetSession {
            session_id: broken.session_id,
            limit: None,
        };
        let opened = world.execute(get).await;
        assert!(opened.is_ok(), "{sql}: {opened:?}");
        // The other one is as it was, and works.
        let attention = world.attention(whole.session_id).await.unwrap();
        assert_eq!(attention.kind, AttentionKind::Waiting, "{sql}");
        assert!(world.needing().await.contains(&whole.session_id), "{sql}");
        world.say(whole.session_id, "Rather not").await;
        world.script.call().await.answer("Fine.");
        world
            .until_run(whole.session_id, RunStatus::Completed)
            .await;
        world.close().await;
    }
}
