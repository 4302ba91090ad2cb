//! Models that send what no model should.

use std::collections::HashSet;

use engine::RequestMessage;
use protocol::{CallStatus, ErrorClass, RunStatus};
use serde_json::json;

use crate::acting::{asks, asks_raw, finished};
use crate::fixture::{Home, World};
use crate::scripted::{Call, Said};

/// One reply with these calls; then the next request, and the status and error class of each call.
async fn after(world: &World, said: Vec<Said>) -> (Call, Vec<(CallStatus, Option<ErrorClass>)>) {
    let one = world.start("Go").await;
    let call = world.script.call().await;
    for said in said {
        call.say(said);
    }
    call.say(finished());
    let next = world.script.call().await;
    let calls = world.calls(one.session_id).await;
    let ends = calls.iter().map(|call| {
        let class = call.result.as_ref().and_then(|result| result.class);
        (call.status, class)
    });
    let ends = ends.collect();
    (next, ends)
}

// RUN-20
#[tokio::test]
async fn the_same_call_id_twice_is_two_calls() {
    let home = Home::new();
    let world = home.open();
    let said = (0..3).map(|n| asks("same", "prints", &json!({"n": n})));
    let (next, ends) = after(&world, said.collect()).await;
    assert_eq!(ends, [(CallStatus::Completed, None); 3]);
    let mut asked = HashSet::new();
    let mut answered = Vec::new();
    for message in next.request.messages.iter() {
        match message {
            RequestMessage::Agent { calls, .. } => {
                asked.extend(calls.iter().map(|call| call.id.clone()));
            }
            RequestMessage::Result { call_id, .. } => answered.push(call_id.clone()),
            RequestMessage::User { .. } => {}
        }
    }
    assert_eq!(asked.len(), 3, "made unique before they are stored");
    assert_eq!(answered.len(), 3);
    assert!(answered.iter().all(|id| asked.contains(id)));
    world.close().await;
}

// RUN-5, RUN-20
#[tokio::test]
async fn what_cannot_be_run_is_a_failed_result_and_the_run_goes_on() {
    let home = Home::new();
    let world = home.open();
    let long = format!("{{\"x\": \"{}\"}}", "y".repeat(2 * 1024 * 1024));
    let said = vec![
        asks_raw("a", "prints", "{\"half\": "),
        asks_raw("b", "prints", "[1, 2]"),
        asks_raw("c", "prints", "null"),
        asks_raw("d", "prints", &long),
        asks_raw("e", "no_such_tool", "{}"),
        asks_raw("f", "", "{}"),
        asks_raw("g", &"n".repeat(100_000), "{}"),
        asks_raw("h", "prints", ""),
        asks_raw("", "panics", "{\"at\": \"plan\"}"),
    ];
    let (next, ends) = after(&world, said).await;
    let failed = |class| (CallStatus::Failed, Some(class));
    assert_eq!(
        ends,
        [
            failed(ErrorClass::InvalidRequest),
            failed(ErrorClass::InvalidRequest),
            failed(ErrorClass::InvalidRequest),
            failed(ErrorClass::Limit),
            failed(ErrorClass::Tool),
            failed(ErrorClass::Tool),
            failed(ErrorClass::Tool),
            (CallStatus::Completed, None),
            failed(ErrorClass::Internal),
        ]
    );
    for message in next.request.messages.iter() {
        if let RequestMessage::Agent { calls, .. } = message {
            assert_eq!(calls.len(), 9);
            for call in calls {
                let arguments: Result<serde_json::Map<_, _>, _> =
                    serde_json::from_str(&call.arguments);
                assert!(arguments.is_ok(), "a provider would refuse it");
                assert!(!call.id.is_empty() && !call.tool.is_empty());
            }
        }
    }
    next.answer("Sorry.");
    world.idle().await;
    world.close().await;
}

// SEC-3
#[tokio::test]
async fn two_hundred_calls_at_once_are_bounded_and_a_flood_fails_the_run() {
    let home = Home::new();
    let world = home.open();
    let said = (0..200).map(|n| asks(&n.to_string(), "prints", &json!({})));
    let (next, ends) = after(&world, said.collect()).await;
    assert_eq!(ends.len(), 200);
    assert!(
        ends[..64]
            .iter()
            .all(|end| *end == (CallStatus::Completed, None))
    );
    let limit = (CallStatus::Failed, Some(ErrorClass::Limit));
    assert!(ends[64..].iter().all(|end| *end == limit));
    assert_eq!(next.told().len(), 202, "every call has its result");
    next.answer("Done.");
    world.idle().await;
    let one = world.start("Go").await;
    let call = world.script.call().await;
    for n in 0..1_001 {
        call.say(asks(&n.to_string(), "prints", &json!({})));
    }
    call.say(finished());
    world.until_run(one.session_id, RunStatus::Failed).await;
    let error = world.run(one.run_id).await.error.unwrap();
    assert_eq!(error.class, ErrorClass::Limit);
    assert_eq!(world.calls(one.session_id).await, []);
    world.close().await;
}

// RUN-9
#[tokio::test]
async fn nothing_at_all_fails_the_run() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    world.script.call().await.finish();
    world.until_run(one.session_id, RunStatus::Failed).await;
    let error = world.run(one.run_id).await.error.unwrap();
    assert_eq!(error.class, ErrorClass::Internal);
    // Cut off without a word is a lost connection: that may pass.
    let two = world.start("Go").await;
    drop(world.script.call().await);
    world.idle().await;
    let run = world.run(two.run_id).await;
    assert_eq!(run.retry.unwrap().error.class, ErrorClass::Network);
    world.close().await;
}
