//! Questions that nobody answers, and what happens to them instead.

use engine::Held;
use protocol::{
    ApprovalStatus, AttentionKind, CallStatus, Command, Decision, EffectClass, ErrorCode,
    RecoveryPolicy, RunReason, RunStatus, SentOutcome, ToolCallView,
};
use serde_json::json;

use crate::calls::{call, many_calls, one_call, outcome, results};
use crate::fixture::{Home, Started, World};
use crate::scripted::{Said, said};

const MINUTE: u64 = 60_000;

fn replies() -> Vec<Vec<Said>> {
    vec![one_call("a", "ledger_append", &json!({"ask": true}))]
}

async fn asked(world: &World) -> (Started, ToolCallView) {
    let started = world.start("Go").await;
    world.idle().await;
    (started, world.open_call().await)
}

/// What a question that nobody answered looks like.
async fn assert_expired(world: &World, home: &Home, started: Started, call: &ToolCallView) {
    let expired = |call: &ToolCallView| call.status == CallStatus::Denied;
    let now = world.call_until(call.call_id, expired).await;
    world.idle().await;
    assert_eq!(
        now.approval.as_ref().unwrap().status,
        ApprovalStatus::Expired
    );
    assert!(outcome(&now).0.contains("expired"));
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    // A late answer changes nothing, and is told what stands.
    let before = world.events(started.session_id).await;
    let error = world
        .try_decide(call, Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    assert_eq!(error.approval.unwrap().status, ApprovalStatus::Expired);
    assert_eq!(world.events(started.session_id).await, before);
    assert_eq!(home.entries(), []);
}

// APR-8
#[tokio::test]
async fn a_question_expires_at_its_time_and_the_model_is_told() {
    let home = Home::new();
    let (world, player) = home.play(replies());
    world
        .set(|settings| settings.approval_minutes = Some(10))
        .await;
    let (started, call) = asked(&world).await;
    let approval = call.approval.clone().unwrap();
    assert_eq!(approval.expires_at_ms, Some(1_000_000 + 10 * MINUTE));
    world.clock.advance(10 * MINUTE - 1);
    world.idle().await;
    assert_eq!(world.open_call().await, call, "not before its time");
    world.clock.advance(1);
    assert_expired(&world, &home, started, &call).await;
    let (_, is_error, text) = results(&player.asked()[1]).remove(0);
    assert!(is_error && text.contains("expired"), "{text}");
    world.close().await;
}

// APR-8
#[tokio::test]
async fn after_a_restart_a_question_has_the_rest_of_its_time() {
    let home = Home::new();
    let (world, _) = home.play(replies());
    world
        .set(|settings| settings.approval_minutes = Some(10))
        .await;
    let (started, call) = asked(&world).await;
    world.close().await;
    let (world, _) = home.play_with(replies(), Vec::new(), 1_000_000 + 9 * MINUTE);
    assert_eq!(world.recovered.expired, 0);
    assert_eq!(world.open_call().await, call);
    world.clock.advance(MINUTE);
    assert_expired(&world, &home, started, &call).await;
    world.close().await;
}

// APR-8, RUN-12
#[tokio::test]
async fn a_question_whose_time_was_over_while_nobody_was_there_expires_at_the_start() {
    let home = Home::new();
    let (world, _) = home.play(replies());
    world
        .set(|settings| settings.approval_minutes = Some(10))
        .await;
    let (started, call) = asked(&world).await;
    world.close().await;
    let (world, player) = home.play_with(replies(), Vec::new(), 1_000_000 + 11 * MINUTE);
    assert_eq!(world.recovered.expired, 1);
    assert_expired(&world, &home, started, &call).await;
    assert_eq!(player.asked().len(), 1, "and the run went on by itself");
    world.close().await;
}

// APR-8: an expiry and an answer at the same moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_an_expiry_and_an_answer_at_once_one_stands() {
    for round in 0..12 {
        let home = Home::new();
        let (world, _) = home.play(replies());
        world
            .set(|settings| settings.approval_minutes = Some(1))
            .await;
        let (started, call) = asked(&world).await;
        let answer = tokio::spawn({
            let (world, call) = (world.clone(), call.clone());
            async move {
                for _ in 0..round {
                    tokio::task::yield_now().await;
                }
                world.try_decide(&call, Decision::AllowOnce {}).await
            }
        });
        world.clock.advance(MINUTE);
        let answer = answer.await.unwrap();
        let over = |call: &ToolCallView| call.status.is_terminal();
        let now = world.call_until(call.call_id, over).await;
        world.idle().await;
        let stands = now.approval.unwrap().status;
        let told = match answer {
            Ok(approval) => approval.status,
            Err(error) => error.approval.unwrap().status,
        };
        assert_eq!(told, stands);
        let effects = usize::from(stands == ApprovalStatus::Allowed);
        assert_eq!(home.effects(EffectClass::Once), effects);
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        world.close().await;
    }
}

// APR-8
#[tokio::test]
async fn pending_questions_can_be_read_at_any_time_and_survive_a_restart() {
    let home = Home::new();
    let (world, _) = home.play(replies());
    let (started, call) = asked(&world).await;
    let of_session = |session_id| Command::ListApprovals {
        session_id: Some(session_id),
    };
    let other = world.create().await;
    let expected = protocol::Reply::Calls {
        calls: vec![call.clone()],
    };
    let none = protocol::Reply::Calls { calls: Vec::new() };
    assert_eq!(
        world.execute(of_session(started.session_id)).await,
        Ok(expected)
    );
    assert_eq!(world.execute(of_session(other)).await, Ok(none));
    // A crash and a close are the same to a question.
    let dead = home.remains();
    world.close().await;
    for is_crash in [false, true] {
        if is_crash {
            home.put_back(&dead);
        }
        let (world, _) = home.play(replies());
        assert_eq!(world.recovered.interrupted, 0);
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
        assert_eq!(world.open_call().await, call);
        let attention = world.snapshot(started.session_id).await.session.attention;
        assert_eq!(attention.unwrap().kind, AttentionKind::Waiting);
        world.close().await;
    }
}

// APR-8
#[tokio::test]
async fn questions_are_closed_by_a_restart_where_the_person_set_it_so() {
    let home = Home::new();
    let (world, _) = home.play(replies());
    world.set(|settings| settings.keep_approvals = false).await;
    let (started, call) = asked(&world).await;
    world.close().await;
    let (world, player) = home.play(replies());
    let run = world.run(started.run_id).await;
    assert_eq!(
        (run.status, run.reason),
        (RunStatus::Stopped, Some(RunReason::AppEnded))
    );
    assert_eq!(world.open_calls().await, []);
    let now = world.get(call.call_id).await;
    assert_eq!(now.status, CallStatus::Cancelled);
    assert_eq!(
        now.approval.as_ref().unwrap().status,
        ApprovalStatus::Closed
    );
    let error = world
        .try_decide(&call, Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    // Resuming does not open it again: the model goes on from what is said of it.
    world.resume(started.run_id).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    assert_eq!(results(&player.asked()[0])[0].2, outcome(&now).0);
    assert_eq!(home.entries(), []);
    world.close().await;
}

// APR-9, STP-4
#[tokio::test]
async fn stopping_and_discarding_close_the_questions_of_their_run() {
    for is_stop in [true, false] {
        let home = Home::new();
        let (world, player) = home.play(replies());
        let (started, call) = asked(&world).await;
        if is_stop {
            assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
        } else {
            assert_eq!(world.cancel(started.run_id).await, RunStatus::Cancelled);
        }
        assert_eq!(world.open_calls().await, []);
        let now = world.get(call.call_id).await;
        assert_eq!(now.status, CallStatus::Cancelled);
        assert_eq!(
            now.approval.as_ref().unwrap().status,
            ApprovalStatus::Closed
        );
        let error = world
            .try_decide(&call, Decision::AllowOnce {})
            .await
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        if is_stop {
            world.resume(started.run_id).await;
            world.idle().await;
            assert_eq!(
                results(&player.asked()[1])[0].2,
                "Not run: the person stopped."
            );
        }
        assert_eq!(home.entries(), []);
        world.close().await;
    }
}

// APR-10
#[tokio::test]
async fn a_message_instead_of_an_answer_takes_the_place_of_every_question() {
    let home = Home::new();
    let one = |n: u32| call("", "ledger_append", &json!({"ask": true, "n": n}));
    let (world, player) = home.play(vec![many_calls([one(1), one(2)])]);
    let started = world.start("Go").await;
    world.idle().await;
    let calls = world.open_calls().await;
    world.decide(&calls[0], Decision::AllowOnce {}).await;
    world.idle().await;
    let outcome = world
        .send_message(started.session_id, "Rather not.", false)
        .await;
    assert_eq!(
        outcome,
        SentOutcome::Joined {
            run_id: started.run_id
        }
    );
    world.idle().await;
    assert_eq!(
        world.run(started.run_id).await.status,
        RunStatus::Completed,
        "the same run"
    );
    let expected = [CallStatus::Completed, CallStatus::Cancelled];
    assert_eq!(world.statuses(started.session_id).await, expected);
    let superseded = world.get(calls[1].call_id).await.approval.unwrap();
    assert_eq!(superseded.status, ApprovalStatus::Superseded);
    let error = world
        .try_decide(&calls[1], Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(error.approval.unwrap().status, ApprovalStatus::Superseded);
    // The message follows the results of the calls before it.
    let request = player.asked().remove(1);
    let told: Vec<&str> = request.messages.iter().map(said).collect();
    assert_eq!(told[0], "Go");
    assert_eq!(
        told[3],
        "Not run: the person wrote a new message instead of answering."
    );
    assert_eq!(told[4], "Rather not.");
    assert_eq!(results(&request).len(), 2);
    assert_eq!(home.effects(EffectClass::Once), 1);
    assert_eq!(world.transcript(started.session_id).await.len(), 4);
    world.close().await;
}

// APR-13
#[tokio::test]
async fn a_run_that_goes_on_by_itself_waits_where_it_would_ask() {
    let home = Home::new();
    let replies = || {
        vec![
            one_call("a", "slow", &json!({})),
            one_call("b", "ledger_append", &json!({"ask": true})),
        ]
    };
    let (world, _) = home.play(replies());
    world
        .set(|settings| settings.recovery = RecoveryPolicy::Resume)
        .await;
    let started = world.start("Go").await;
    let running = testkit::eventually("the body", async || {
        let statuses = world.statuses(started.session_id).await;
        (statuses == [CallStatus::Running]).then_some(())
    });
    running.await.unwrap();
    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);
    let (world, _) = home.play(replies());
    let second = testkit::eventually("the run to go on by itself", async || {
        let calls = world.calls(started.session_id).await;
        calls.into_iter().find(|call| call.bodies == 2)
    });
    second.await.unwrap();
    world.stop(started.run_id).await;
    world.idle().await;
    world.resume(started.run_id).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    let attention = world.snapshot(started.session_id).await.session.attention;
    assert_eq!(attention.unwrap().kind, AttentionKind::Waiting);
    world.clock.advance(365 * 24 * 60 * MINUTE);
    world.idle().await;
    assert_eq!(world.open_calls().await.len(), 1, "it never guesses");
    assert_eq!(home.entries(), []);
    assert_eq!(world.engine.held(), Held::default());
    world.close().await;
}
