//! What a new message does, whatever the session is doing: the table, row by row.

use protocol::{
    ApprovalStatus, CallStatus, Command, ErrorClass, ErrorCode, Resolution, RunReason, RunStatus,
    SentOutcome,
};
use serde_json::json;

use crate::acting::{asks, failed, finished, send_command, sent, text};
use crate::fixture::Home;
use crate::follower::streaming;

// RUN-1
#[tokio::test]
async fn with_no_run_or_one_that_is_over_it_starts_one() {
    let home = Home::new();
    let world = home.open();
    let first = sent(world.done(send_command(None, "One")).await);
    world.script.call().await.answer("1");
    world
        .until_run(first.session_id, RunStatus::Completed)
        .await;
    let session_id = first.session_id;
    // Completed, then failed, then cancelled.
    let second = world.say(session_id, "Two").await;
    let call = world.script.call().await;
    call.say(failed(ErrorClass::Billing, "No credit."));
    world.until_run(session_id, RunStatus::Failed).await;
    let third = world.say(session_id, "Three").await;
    let _call = world.script.call().await;
    world.cancel(third.run_id()).await;
    let fourth = world.say(session_id, "Four").await;
    let call = world.script.call().await;
    assert_eq!(
        call.told(),
        [
            "user: One",
            "agent: 1 +0",
            "user: Two",
            "user: Three",
            "user: Four"
        ]
    );
    assert_eq!(world.status(second.run_id()).await, RunStatus::Failed);
    assert_eq!(world.status(fourth.run_id()).await, RunStatus::Running);
    world.close().await;
}

// RUN-2
#[tokio::test]
async fn while_a_try_is_waited_for_it_is_queued_or_takes_its_place() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    world
        .script
        .call()
        .await
        .say(failed(ErrorClass::Overloaded, "Later."));
    world.idle().await;
    assert_eq!(
        world.say(one.session_id, "Two").await.outcome,
        SentOutcome::Queued {}
    );
    let three = world.say_now(one.session_id, "Three").await;
    assert_eq!(three.outcome, SentOutcome::Queued {}, "behind the other");
    let run = world.run(one.run_id).await;
    assert_eq!((run.status, run.retry), (RunStatus::Cancelled, None));
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: One", "user: Two"]);
    world.clock.advance(3_600_000);
    world.execute(Command::GetApp {}).await.unwrap();
    call.answer("2");
    world.script.call().await.answer("3");
    world.idle().await;
    assert!(
        !world.script.has_call().await,
        "the try is not made any more"
    );
    world.close().await;
}

// RUN-2, STP-2
#[tokio::test]
async fn stop_and_send_keeps_what_was_written_and_goes_on_with_the_message() {
    let home = Home::new();
    let world = home.open();
    let (one, call) = streaming(&world, "Half a sent").await;
    let two = world.say_now(one.session_id, "Two").await;
    call.dropped().await;
    let run = world.run(one.run_id).await;
    assert_eq!(run.status, RunStatus::Cancelled);
    assert_eq!(run.reason, Some(RunReason::Superseded));
    let call = world.script.call().await;
    assert_eq!(call.told(), ["user: Go", "user: Two"]);
    call.answer("2");
    world.idle().await;
    assert_eq!(world.status(two.run_id()).await, RunStatus::Completed);
    assert_eq!(
        world.transcript(one.session_id).await,
        [
            "User Complete: Go",
            "Agent Partial: Half a sent",
            "User Complete: Two",
            "Agent Complete: 2",
        ]
    );
    world.close().await;
}

// RUN-2, RUN-24
#[tokio::test]
async fn stop_and_send_waits_for_a_tool_that_ends_and_tells_the_model_so() {
    let home = Home::new();
    let world = home.open();
    let one = world.working("read").await;
    let two = world.say_now(one.session_id, "Two").await;
    assert_eq!(
        two.outcome,
        SentOutcome::Started {
            run_id: two.run_id()
        }
    );
    let call = world.only_call(one.session_id).await;
    assert_eq!(call.status, CallStatus::Cancelled);
    let asked = world.script.call().await;
    assert_eq!(
        asked.told(),
        [
            "user: Go",
            "agent:  +1",
            "error: Stopped by the person before it ended.",
            "user: Two",
        ]
    );
    assert_eq!(
        world.run(one.run_id).await.reason,
        Some(RunReason::Superseded)
    );
    world.close().await;
}

// RUN-2, EFF-4
#[tokio::test]
async fn stop_and_send_waits_while_nobody_knows_what_the_tool_did() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    // It hears nothing, so its end is not seen.
    let arguments = json!({"class": "once", "ignore_cancel": true});
    world.script.call().await.ask_for("slow", &arguments);
    world.until_calls(one.session_id, CallStatus::Running).await;
    world.clock.advance(1_000);
    let two = world.say_now(one.session_id, "Two").await;
    assert_eq!(two.outcome, SentOutcome::Queued {});
    world.until_calls(one.session_id, CallStatus::InDoubt).await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Stopped);
    assert!(!world.script.has_call().await);
    let call = world.only_call(one.session_id).await;
    world.resolve(call.call_id, Resolution::Skip {}).await;
    let asked = world.script.call().await;
    assert_eq!(asked.told().last().unwrap(), "user: Two");
    assert_eq!(world.status(one.run_id).await, RunStatus::Cancelled);
    world.close().await;
}

// APR-10
#[tokio::test]
async fn while_approvals_are_pending_it_takes_their_place_in_the_same_run() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let call = world.script.call().await;
    call.say(text("Two things."));
    for id in ["a", "b"] {
        call.say(asks(id, "ledger_append", &json!({"ask": true, "id": id})));
    }
    call.say(finished());
    world.until_run(one.session_id, RunStatus::Waiting).await;
    let two = world.say(one.session_id, "Neither").await;
    let run_id = one.run_id;
    assert_eq!(two.outcome, SentOutcome::Joined { run_id });
    let asked = world.script.call().await;
    let why = "error: Not run: the person wrote a new message instead of answering.";
    assert_eq!(
        asked.told(),
        [
            "user: Go",
            "agent: Two things. +2",
            why,
            why,
            "user: Neither"
        ]
    );
    for call in world.calls(one.session_id).await {
        assert_eq!(call.status, CallStatus::Cancelled);
        let approval = call.approval.as_ref().unwrap();
        assert_eq!(approval.status, ApprovalStatus::Superseded);
        let late = crate::acting::decision_on(&call, protocol::Decision::AllowOnce {});
        assert_eq!(world.code(late).await, ErrorCode::NotActionable);
    }
    asked.answer("As you wish.");
    world.idle().await;
    assert_eq!(world.status(run_id).await, RunStatus::Completed);
    assert!(!home.ledger().exists(), "nothing was run");
    world.close().await;
}

// RUN-24
#[tokio::test]
async fn while_a_call_is_in_doubt_it_is_queued_until_that_is_decided() {
    let home = Home::new();
    let world = home.open();
    let one = world.doubtful().await;
    let session_id = one.session_id;
    let two = world.say(session_id, "Two").await;
    assert_eq!(two.outcome, SentOutcome::Queued {});
    let three = world.say_now(session_id, "Three").await;
    assert_eq!(three.outcome, SentOutcome::Queued {});
    assert_eq!(world.status(one.run_id).await, RunStatus::Waiting);
    let start = Command::StartRun {
        session_id: Some(session_id),
        text: "Now".to_owned(),
        request_key: None,
    };
    assert_eq!(world.code(start).await, ErrorCode::AlreadyRunning);
    let call = world.only_call(session_id).await;
    world.resolve(call.call_id, Resolution::Skip {}).await;
    // The same run goes on first, then the messages in their order.
    let asked = world.script.call().await;
    assert_eq!(world.newest(session_id).await.run_id, one.run_id);
    assert_eq!(asked.told().len(), 3);
    asked.answer("1");
    for text in ["Two", "Three"] {
        let asked = world.script.call().await;
        assert_eq!(asked.told().last().unwrap(), &format!("user: {text}"));
        asked.answer("On it.");
    }
    world.idle().await;
    world.close().await;
}

// RUN-24
#[tokio::test]
async fn after_a_stop_or_an_interruption_it_gives_that_run_up_in_one_transaction() {
    for how in ["stop", "crash"] {
        let home = Home::new();
        let world = home.open();
        let one = world.start("Go").await;
        let call = world.script.call().await;
        call.say(asks("a", "slow", &json!({"class": "read"})));
        call.say(asks("b", "ledger_append", &json!({"ask": true})));
        call.say(finished());
        world
            .until(one.session_id, |snapshot| {
                let is = |index: usize, status| snapshot.calls[index].status == status;
                snapshot.calls.len() == 2
                    && is(0, CallStatus::Running)
                    && is(1, CallStatus::Waiting)
            })
            .await;
        let (home, world) = match how {
            "stop" => {
                world.stop(one.run_id).await;
                (home, world)
            }
            _ => {
                let dead = home.copy();
                world.close().await;
                let world = dead.open();
                assert_eq!(world.status(one.run_id).await, RunStatus::Interrupted);
                (dead, world)
            }
        };
        let before = world.snapshot(one.session_id).await.seq;
        let two = world.say(one.session_id, "Two").await;
        let run = world.run(one.run_id).await;
        assert_eq!(run.status, RunStatus::Cancelled, "{how}");
        assert_eq!(run.reason, Some(RunReason::Superseded), "{how}");
        assert_eq!(world.status(two.run_id()).await, RunStatus::Running);
        let asked = world.script.call().await;
        let told = asked.told();
        assert_eq!(told.len(), 5, "{told:?}");
        assert!(told[2].starts_with("error: "), "{told:?}");
        assert!(told[3].starts_with("error: Not run"), "{told:?}");
        for call in world.calls(one.session_id).await {
            assert_eq!(call.status, CallStatus::Cancelled, "{how}");
        }
        let kinds = world.kinds(one.session_id).await;
        let since = &kinds[usize::try_from(before).unwrap()..];
        let place = |kind: &str| since.iter().position(|k| k == kind);
        assert!(place("run_cancelled") < place("message_added"), "{since:?}");
        assert!(place("message_added") < place("run_started"), "{since:?}");
        asked.answer("2");
        world.idle().await;
        drop(home);
        world.close().await;
    }
}

// RUN-24, STP-6
#[tokio::test]
async fn after_a_stop_with_a_doubt_it_waits_for_the_decision_and_is_then_sent() {
    for was_sent in [false, true] {
        let home = Home::new();
        let world = home.open();
        let one = world.doubtful().await;
        let session_id = one.session_id;
        world.say(session_id, "Held").await;
        world.clock.advance(10);
        assert_eq!(world.stop(one.run_id).await, RunStatus::Stopped);
        let doubt = world.only_call(session_id).await;
        // Neither resume nor cancel gets past it; both name it.
        for command in [
            Command::ResumeRun { run_id: one.run_id },
            Command::CancelRun { run_id: one.run_id },
            Command::SendQueued { session_id },
        ] {
            let error = world.refusal(command).await;
            assert_eq!(error.code, ErrorCode::NotActionable);
            assert!(error.message.contains(&doubt.call_id.to_string()));
        }
        if was_sent {
            world.clock.advance(10);
            let two = world.say(session_id, "Two").await;
            assert_eq!(two.outcome, SentOutcome::Queued {});
        }
        let happened = Resolution::Happened { result: None };
        world.resolve(doubt.call_id, happened).await;
        if !was_sent {
            world.settle().await;
            // Nobody asked for what was held before the stop.
            assert!(!world.script.has_call().await);
            assert_eq!(world.queue(session_id).await, ["Held"]);
            world.close().await;
            continue;
        }
        let asked = world.script.call().await;
        assert_eq!(
            asked.told(),
            [
                "user: Go",
                "agent:  +1",
                "result: It happened, says the person.",
                "user: Held"
            ]
        );
        assert_eq!(world.status(one.run_id).await, RunStatus::Cancelled);
        asked.answer("Held it.");
        world.script.call().await.answer("2");
        world.idle().await;
        assert_eq!(world.queue(session_id).await, [""; 0]);
        world.close().await;
    }
}

// RUN-20, EFF-3
#[tokio::test]
async fn nothing_starts_while_a_call_of_a_halted_run_is_still_ending() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let arguments = json!({"class": "once", "ignore_cancel": true});
    world.script.call().await.ask_for("slow", &arguments);
    world.until_calls(one.session_id, CallStatus::Running).await;
    world.cancel(one.run_id).await;
    let message_id = one.message_id;
    for command in [
        Command::StartRun {
            session_id: Some(one.session_id),
            text: "Now".to_owned(),
            request_key: None,
        },
        Command::RetryRun {
            run_id: one.run_id,
            request_key: None,
        },
        Command::Regenerate {
            message_id,
            request_key: None,
        },
    ] {
        let error = world.refusal(command).await;
        assert_eq!(error.code, ErrorCode::NotActionable, "{error:?}");
    }
    world.until_calls(one.session_id, CallStatus::InDoubt).await;
    assert!(!world.script.has_call().await);
    let attention = world.attention(one.session_id).await.unwrap();
    assert_eq!(attention.unknown.len(), 1);
    world.close().await;
}
