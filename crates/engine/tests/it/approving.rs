//! Approvals: durable before they are shown, answered once, bound to what was shown.

use engine::Held;
use protocol::{
    ApprovalStatus, CallDecision, CallId, CallStatus, Command, Decision, EffectClass, ErrorCode,
    Reply, RunStatus, ToolCallView,
};
use serde_json::{Value, json};

use crate::calls::{call, deny, many_calls, one_call, results};
use crate::fixture::{Home, Started, World, kind};
use crate::follower::Follower;
use crate::scripted::Said;

pub(crate) fn gated(arguments: &Value) -> Vec<Vec<Said>> {
    let mut arguments = arguments.clone();
    arguments["ask"] = true.into();
    vec![one_call("a", "ledger_append", &arguments)]
}

pub(crate) async fn waiting(home: &Home, arguments: &Value) -> (World, Started, ToolCallView) {
    let (world, _) = home.play(gated(arguments));
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    assert_eq!(call.status, CallStatus::Waiting);
    (world, started, call)
}

// APR-1
#[tokio::test]
async fn a_question_is_on_disk_and_can_be_answered_when_it_is_shown() {
    let home = Home::new();
    let (world, _) = home.play(gated(&json!({})));
    let started = world.start("Go").await;
    let mut follower = Follower::new(&world, started.session_id, 0);
    follower.until_event("step_completed").await;
    // What a process that ended when the card was shown would leave behind.
    let dead = home.copy();
    let (store, _) = dead.store();
    let (open, run) = store
        .read(|reader| {
            let open = reader.open_calls(None)?;
            Ok((open, reader.run(started.run_id)?.unwrap()))
        })
        .unwrap();
    store.close().unwrap();
    assert_eq!(open.len(), 1);
    let approval = open[0].approval.clone().unwrap();
    assert_eq!(approval.status, ApprovalStatus::Pending);
    assert_eq!((approval.round, approval.expires_at_ms), (1, None));
    assert_eq!(run.status, RunStatus::Waiting, "in the same transaction");
    let kinds: Vec<String> = world
        .events(started.session_id)
        .await
        .iter()
        .map(kind)
        .collect();
    let at = kinds
        .iter()
        .position(|kind| kind == "step_completed")
        .unwrap();
    assert_eq!(kinds[at + 1], "run_waiting");
    world.decide(&open[0], Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// APR-2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_at_once_one_is_recorded_and_both_get_it() {
    for round in 0..24 {
        let home = Home::new();
        let (world, started, call) = waiting(&home, &json!({})).await;
        let answer = |decision: Decision, delay: u32| {
            let (world, call) = (world.clone(), call.clone());
            tokio::spawn(async move {
                for _ in 0..delay {
                    tokio::task::yield_now().await;
                }
                world.try_decide(&call, decision).await
            })
        };
        let (one, two) = (
            answer(Decision::AllowOnce {}, round % 5),
            answer(deny(Some("No.")), round % 3),
        );
        let answers = [one.await.unwrap(), two.await.unwrap()];
        world.idle().await;
        let stands = world.get(call.call_id).await.approval.unwrap();
        for answer in answers {
            // One that came when the other was answered already is told so, with what stands.
            let approval = match answer {
                Ok(approval) => approval,
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::NotActionable);
                    *error.approval.unwrap()
                }
            };
            assert_eq!(approval.decision, stands.decision);
            assert_eq!(approval.status, stands.status);
        }
        let effects = usize::from(stands.status == ApprovalStatus::Allowed);
        assert_eq!(home.effects(EffectClass::Once), effects);
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(world.ends(started.session_id).await, 1);
        world.close().await;
    }
}

// APR-2, APR-3: whoever clicks again while the first click is on its way has the same answer; whoever
// comes when that stands is told what stands.
#[tokio::test]
async fn a_double_click_is_one_answer() {
    let home = Home::new();
    let (world, _, call) = waiting(&home, &json!({})).await;
    let answer = || world.try_decide(&call, Decision::AllowOnce {});
    let (one, two, three) = tokio::join!(answer(), answer(), answer());
    world.idle().await;
    let stands = world.get(call.call_id).await.approval.unwrap();
    let mut answered = 0;
    for answer in [one, two, three] {
        let approval = match answer {
            Ok(approval) => {
                answered += 1;
                approval
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::NotActionable);
                *error.approval.unwrap()
            }
        };
        assert_eq!(approval.decision, stands.decision);
    }
    assert!(answered > 0);
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.close().await;
}

// APR-3
#[tokio::test]
async fn an_answer_to_nothing_is_refused_and_records_nothing() {
    let home = Home::new();
    let (world, started, call) = waiting(&home, &json!({})).await;
    let before = world.events(started.session_id).await;
    let forged = |call_id: CallId, digest: &str| Command::DecideCall {
        call_id,
        digest: digest.to_owned(),
        decision: Decision::AllowOnce {},
        from: None,
    };
    let digest = call.approval.as_ref().unwrap().digest.clone();
    // Ids of other things, and one that nobody has.
    for uuid in [
        started.session_id.uuid(),
        started.run_id.uuid(),
        call.message_id.uuid(),
        uuid::Uuid::from_u128(7),
    ] {
        let command = forged(CallId::from_uuid(uuid), &digest);
        assert_eq!(world.refused(command).await.0, ErrorCode::NotFound);
    }
    // The right call with what was not shown.
    let command = forged(call.call_id, &"0".repeat(64));
    let error = world.execute(command).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::WrongDigest);
    assert_eq!(error.approval.unwrap().digest, digest, "what would run now");
    // Not even a digest.
    for digest in ["", "yes"] {
        let error = world.execute(forged(call.call_id, digest)).await;
        assert!(error.is_err(), "{digest}");
    }
    assert_eq!(world.events(started.session_id).await, before);
    assert_eq!(home.entries(), []);
    assert_eq!(world.open_call().await, call);
    world.close().await;
}

// APR-3, APR-9
#[tokio::test]
async fn an_answer_for_another_call_or_a_run_that_is_over_is_refused() {
    let home = Home::new();
    let (world, started, call) = waiting(&home, &json!({})).await;
    let other = world.start("Another").await;
    world.idle().await;
    let calls = world.open_calls().await;
    let others = calls
        .iter()
        .find(|c| c.session_id == other.session_id)
        .unwrap();
    // The digest names the call: that of another session fits nowhere else.
    let mut crossed = call.clone();
    crossed.approval.clone_from(&others.approval);
    let error = world.try_decide(&crossed, Decision::AllowOnce {}).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::WrongDigest);

    world.cancel(started.run_id).await;
    let before = world.events(started.session_id).await;
    let error = world
        .try_decide(&call, Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(
        (error.code, error.run_id),
        (ErrorCode::NotActionable, Some(started.run_id))
    );
    assert_eq!(error.approval.unwrap().status, ApprovalStatus::Closed);
    assert_eq!(world.events(started.session_id).await, before);
    assert_eq!(home.entries(), []);
    assert_eq!(world.open_calls().await, std::slice::from_ref(others));
    world.close().await;
}

// APR-3
#[tokio::test]
async fn what_was_decided_stays_so_and_says_who_when_and_what() {
    let home = Home::new();
    let (world, _, call) = waiting(&home, &json!({})).await;
    world.clock.advance(5);
    world.decide(&call, deny(Some("Not today."))).await;
    world.idle().await;
    let error = world
        .try_decide(&call, Decision::AllowOnce {})
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    let decision = error.approval.unwrap().decision.unwrap();
    assert_eq!(decision.decision, deny(Some("Not today.")));
    assert_eq!(decision.at_ms, 1_000_005);
    assert_eq!(decision.from.as_deref(), Some("window 1"));
    assert_eq!(home.entries(), []);
    world.close().await;
}

// APR-3
#[tokio::test]
async fn a_call_that_never_asked_cannot_be_decided() {
    let home = Home::new();
    let (world, _) = home.play(vec![one_call("a", "ledger_append", &json!({}))]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.calls(started.session_id).await.remove(0);
    let command = Command::DecideCall {
        call_id: call.call_id,
        digest: "0".repeat(64),
        decision: deny(None),
        from: None,
    };
    assert_eq!(world.refused(command).await.0, ErrorCode::NotActionable);
    assert_eq!(world.get(call.call_id).await, call);
    world.close().await;
}

fn three() -> Vec<Vec<Said>> {
    let one = |n: u32| call("", "ledger_append", &json!({"ask": true, "n": n}));
    vec![many_calls([one(1), one(2), one(3)])]
}

// APR-4
#[tokio::test]
async fn several_questions_are_answered_in_any_order_each_for_itself() {
    let home = Home::new();
    let (world, player) = home.play(three());
    let started = world.start("Go").await;
    world.idle().await;
    let calls = world.open_calls().await;
    assert_eq!(calls.len(), 3, "one card each, for the same tool");
    world.decide(&calls[2], Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(
        home.effects(EffectClass::Once),
        1,
        "it need not wait for the others"
    );
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    assert_eq!(player.asked().len(), 1);
    world.decide(&calls[0], deny(Some("Too much."))).await;
    world.idle().await;
    assert_eq!(world.open_calls().await, [calls[1].clone()]);
    world.decide(&calls[1], Decision::AllowOnce {}).await;
    world.idle().await;
    let expected = [
        CallStatus::Denied,
        CallStatus::Completed,
        CallStatus::Completed,
    ];
    assert_eq!(world.statuses(started.session_id).await, expected);
    assert_eq!(home.effects(EffectClass::Once), 2);
    let told = results(&player.asked()[1]);
    assert_eq!(told[0].2, "The person denied this call: Too much.");
    assert_eq!([told[0].1, told[1].1, told[2].1], [true, false, false]);
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// APR-4: all denied at the same moment; whoever is last asks the model.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_that_are_answered_at_the_same_moment_leave_no_run_standing() {
    for _ in 0..10 {
        let home = Home::new();
        let (world, player) = home.play(three());
        let started = world.start("Go").await;
        world.idle().await;
        let answers = world.open_calls().await.into_iter().map(|call| {
            let world = world.clone();
            tokio::spawn(async move { world.decide(&call, deny(None)).await })
        });
        for answer in answers.collect::<Vec<_>>() {
            answer.await.unwrap();
        }
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(player.asked().len(), 2);
        world.close().await;
    }
}

// APR-4
#[tokio::test]
async fn a_batch_answers_for_each_call() {
    let home = Home::new();
    let (world, _) = home.play(three());
    let started = world.start("Go").await;
    world.idle().await;
    let calls = world.open_calls().await;
    let one = |call: &ToolCallView, decision: Decision| CallDecision {
        call_id: call.call_id,
        digest: call.approval.as_ref().unwrap().digest.clone(),
        decision,
    };
    let mut wrong = one(&calls[1], Decision::AllowOnce {});
    wrong.digest = "0".repeat(64);
    let mut unknown = wrong.clone();
    unknown.call_id = CallId::from_uuid(started.run_id.uuid());
    let command = Command::DecideCalls {
        decisions: vec![
            one(&calls[0], Decision::AllowOnce {}),
            wrong,
            unknown,
            one(&calls[2], deny(None)),
            one(&calls[2], Decision::AllowOnce {}),
        ],
        from: Some("window 2".to_owned()),
    };
    let Reply::Decided { calls: answers } = world.execute(command).await.unwrap() else {
        panic!("another reply");
    };
    let codes: Vec<_> = answers
        .iter()
        .map(|a| a.error.as_ref().map(|e| e.code))
        .collect();
    assert_eq!(
        codes,
        [
            None,
            Some(ErrorCode::WrongDigest),
            Some(ErrorCode::NotFound),
            None,
            Some(ErrorCode::NotActionable),
        ]
    );
    let of = |number: usize| answers[number].approval.as_ref().unwrap().status;
    assert_eq!(
        (of(0), of(3), of(4)),
        (
            ApprovalStatus::Allowed,
            ApprovalStatus::Denied,
            ApprovalStatus::Denied
        )
    );
    world.idle().await;
    let expected = [
        CallStatus::Completed,
        CallStatus::Waiting,
        CallStatus::Denied,
    ];
    assert_eq!(world.statuses(started.session_id).await, expected);
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.close().await;
}

// APR-5
#[tokio::test]
async fn a_waiting_run_holds_nothing_and_goes_on_days_later_with_what_is_stored() {
    let home = Home::new();
    let (world, started, call) = waiting(&home, &json!({"n": 7})).await;
    assert_eq!(world.engine.held(), Held::default());
    world.close().await;
    let days = 1_000_000 + 3 * 24 * 60 * 60 * 1_000;
    for (number, decision) in [(1, Decision::AllowOnce {}), (2, deny(Some("No more.")))] {
        let (world, player) = home.play_with(gated(&json!({"n": 8})), Vec::new(), days);
        assert_eq!(world.recovered, engine::Recovered::default());
        let call = if number == 1 {
            assert_eq!(world.open_call().await, call, "as it was shown");
            call.clone()
        } else {
            world.start("Again").await;
            world.idle().await;
            world.open_call().await
        };
        world.decide(&call, decision).await;
        world.idle().await;
        if number == 1 {
            let entry = home.entries().remove(0);
            let hash = blake3::hash(call.arguments.as_bytes()).to_hex().to_string();
            assert_eq!(entry.arguments_hash, hash, "the stored arguments");
            assert_eq!(entry.effect_key, call.call_id.to_string());
            assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
            assert_eq!(player.asked().len(), 1);
        } else {
            let told = results(player.asked().last().unwrap());
            let expected = "The person denied this call: No more.";
            assert_eq!(
                told.last().unwrap(),
                &("ledger_append".to_owned(), true, expected.to_owned())
            );
        }
        assert_eq!(home.effects(EffectClass::Once), 1);
        world.close().await;
    }
}
