//! What an answer is bound to: what was shown, or what the person wrote instead.

use protocol::{ApprovalStatus, CallStatus, Decision, EffectClass, ErrorCode, RunStatus};
use serde_json::json;

use crate::approving::{gated, waiting};
use crate::calls::{decide, one_call, outcome, results};
use crate::fixture::Home;

// APR-6
#[tokio::test]
async fn what_changed_since_it_was_shown_is_asked_about_again() {
    let home = Home::new();
    let program = home.path().join("program");
    std::fs::write(&program, "one").unwrap();
    let (world, started, call) = waiting(&home, &json!({"bound_to": program})).await;
    std::fs::write(&program, "two").unwrap();
    world.decide(&call, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(
        home.entries(),
        [],
        "another program than the one that was allowed"
    );
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    let again = world.open_call().await;
    let (first, second) = (
        call.approval.clone().unwrap(),
        again.approval.clone().unwrap(),
    );
    assert_eq!((second.round, second.status), (2, ApprovalStatus::Pending));
    assert_ne!(first.digest, second.digest);
    // The old card answers nothing any more.
    let error = world
        .try_decide(&call, Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongDigest);
    world.decide(&again, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(home.effects(EffectClass::Once), 1);
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// APR-6
#[tokio::test]
async fn a_card_shows_what_will_really_run() {
    let home = Home::new();
    let arguments = json!({"path": "notes/tide.txt", "content": "High at noon.\n"});
    let (world, _) = home.play(vec![one_call("a", "write_file", &arguments)]);
    let started = world.start("Go").await;
    world.idle().await;
    let preview = world.open_call().await.preview.unwrap();
    let workspace = world.snapshot(started.session_id).await.workspace;
    let full = std::path::Path::new(&workspace).join("notes/tide.txt");
    assert_eq!(preview.subject.as_deref(), Some("notes/tide.txt"));
    let expected = protocol::PreviewPart::Path {
        path: full.display().to_string(),
    };
    assert!(preview.parts.contains(&expected), "{preview:?}");
    let is_diff = |part: &protocol::PreviewPart| matches!(part, protocol::PreviewPart::Diff { text, is_new: true, .. } if text.contains("High at noon."));
    assert!(preview.parts.iter().any(is_diff), "{preview:?}");
    world.close().await;
}

// APR-7
#[tokio::test]
async fn edited_arguments_run_instead_and_both_are_kept() {
    let home = Home::new();
    let (world, started, call) = waiting(&home, &json!({"n": 1})).await;
    let edited = json!({"ask": true, "n": 2}).to_string();
    let edit = |arguments: &str| Decision::EditAndAllow {
        arguments: arguments.to_owned(),
    };
    // What cannot run is refused, and the question stays.
    for bad in [
        "no json",
        "[]",
        r#"{"class": "never"}"#,
        r#"{"deny": true}"#,
    ] {
        let error = world.try_decide(&call, edit(bad)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidValue, "{bad}");
    }
    let mut wrong = call.clone();
    wrong.approval.as_mut().unwrap().digest = "0".repeat(64);
    let error = world.try_decide(&wrong, edit(&edited)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongDigest);
    assert_eq!(world.open_call().await, call);

    world.decide(&call, edit(&edited)).await;
    world.idle().await;
    let entry = home.entries().remove(0);
    assert_eq!(
        entry.arguments_hash,
        blake3::hash(edited.as_bytes()).to_hex().to_string()
    );
    assert_eq!(home.effects(EffectClass::Once), 1);
    let now = world.get(call.call_id).await;
    assert_eq!(
        (now.status, &now.arguments),
        (CallStatus::Completed, &edited)
    );
    assert_eq!(now.proposed_arguments, Some(call.arguments.clone()));
    let approval = now.approval.unwrap();
    assert_ne!(
        approval.digest,
        call.approval.unwrap().digest,
        "bound to what ran"
    );
    assert_eq!(approval.status, ApprovalStatus::Allowed);
    assert!(approval.consumed_at_ms.is_some());
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// APR-7
#[tokio::test]
async fn a_model_is_told_that_its_arguments_were_edited() {
    let home = Home::new();
    let (world, player) = home.play(gated(&json!({"n": 1})));
    world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    let arguments = json!({"n": 2}).to_string();
    let command = decide(
        &call,
        Decision::EditAndAllow {
            arguments: arguments.clone(),
        },
    );
    world.execute(command).await.unwrap();
    world.idle().await;
    let request = player.asked().remove(1);
    let engine::RequestMessage::Agent { calls, .. } = &request.messages[1] else {
        panic!("{request:?}");
    };
    assert_eq!(
        calls[0].arguments, call.arguments,
        "its own words are not changed"
    );
    let told = &results(&request)[0].2;
    assert!(told.contains(&arguments), "{told}");
    assert!(told.ends_with(outcome(&world.get(call.call_id).await).0));
    world.close().await;
}
