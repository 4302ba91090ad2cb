//! Stop, resume and cancel, with tools.

use engine::{Held, ToolError};
use protocol::{
    CallStatus, Command, EffectClass, ErrorClass, ErrorCode, Resolution, RunReason, RunStatus,
    SentOutcome,
};
use serde_json::{Value, json};

use crate::calls::{call, many_calls, one_call, outcome, results};
use crate::fixture::{Home, Started, World, soon};
use crate::hand::{Bodies, Body, Hand};

async fn inside(
    home: &Home,
    arguments: &Value,
) -> (
    World,
    std::sync::Arc<crate::calls::Player>,
    Started,
    Bodies,
    Body,
) {
    let (hand, mut bodies) = Hand::tool();
    let (world, player) = home.play_with(
        vec![one_call("a", "hand", arguments)],
        vec![hand],
        1_000_000,
    );
    let started = world.start("Go").await;
    let body = bodies.next().await;
    (world, player, started, bodies, body)
}

// STP-1, STP-3
#[tokio::test]
async fn a_stop_during_a_call_answers_at_once_and_ends_it() {
    for (class, status) in [
        ("read", CallStatus::Cancelled),
        ("idempotent", CallStatus::Cancelled),
        // It was seen to end: it failed, and nobody is in doubt.
        ("once", CallStatus::Failed),
    ] {
        let home = Home::new();
        let (world, player, started, bodies, body) =
            inside(&home, &json!({ "class": class })).await;
        assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
        // Answered means on disk.
        let dead = home.copy();
        let (store, _) = dead.store();
        let run = store
            .read(|reader| reader.run(started.run_id))
            .unwrap()
            .unwrap();
        store.close().unwrap();
        assert_eq!(
            (run.status, run.reason),
            (RunStatus::Stopped, Some(RunReason::StoppedByUser))
        );
        assert!(body.context.cancel.is_cancelled());
        world.idle().await;
        let stopped = world.calls(started.session_id).await.remove(0);
        assert_eq!(stopped.status, status, "{class}");
        assert_eq!(outcome(&stopped).1, Some(ErrorClass::Cancelled));
        assert_eq!(world.run(started.run_id).await.error, None);
        assert_eq!(player.asked().len(), 1);
        assert_eq!(world.engine.held(), Held::default());
        world.resume(started.run_id).await;
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(results(&player.asked()[1])[0].2, outcome(&stopped).0);
        assert!(bodies.is_empty(), "what ended is not begun again");
        world.close().await;
    }
}

// STP-3
#[tokio::test]
async fn what_a_call_did_before_it_heard_the_stop_is_recorded() {
    let home = Home::new();
    let (world, player, started, _bodies, body) = inside(&home, &json!({"deaf": true})).await;
    world.stop(started.run_id).await;
    body.end("Booked.");
    world.idle().await;
    let call = world.calls(started.session_id).await.remove(0);
    assert_eq!(
        (call.status, outcome(&call).0),
        (CallStatus::Completed, "Booked.")
    );
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Stopped);
    assert_eq!(player.asked().len(), 1, "nothing goes on by itself");
    world.resume(started.run_id).await;
    world.idle().await;
    assert_eq!(results(&player.asked()[1])[0].2, "Booked.");
    world.close().await;
}

// STP-3
#[tokio::test]
async fn a_call_that_ignores_the_stop_is_marked_and_never_left_half() {
    for (class, status) in [
        ("read", CallStatus::Cancelled),
        ("once", CallStatus::InDoubt),
    ] {
        let home = Home::new();
        let arguments = json!({"class": class, "deaf": true});
        let (world, player, started, bodies, body) = inside(&home, &arguments).await;
        let began = tokio::time::Instant::now();
        assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
        assert!(
            began.elapsed().as_secs() < 4,
            "it does not wait for the call"
        );
        world.idle().await;
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!(call.status, status);
        // What it says after that is not heard.
        let before = world.events(started.session_id).await;
        body.end("Too late.");
        world.idle().await;
        assert_eq!(world.events(started.session_id).await, before);
        let run_id = started.run_id;
        if status == CallStatus::InDoubt {
            let error = world
                .execute(Command::ResumeRun { run_id })
                .await
                .unwrap_err();
            assert_eq!(error.code, ErrorCode::NotActionable);
            assert!(
                error.message.contains(&call.call_id.to_string()),
                "it names the doubt"
            );
            world.resolve(call.call_id, Resolution::Skip {}).await;
        }
        assert_eq!(player.asked().len(), 1);
        world.resume(run_id).await;
        world.idle().await;
        assert_eq!(world.run(run_id).await.status, RunStatus::Completed);
        assert!(bodies.is_empty());
        world.close().await;
    }
}

// STP-3, RUN-24
#[tokio::test]
async fn a_message_that_stops_first_goes_in_after_the_call_that_is_ending() {
    let home = Home::new();
    let (world, player, started, _bodies, body) = inside(&home, &json!({"deaf": true})).await;
    let (sent, ()) = tokio::join!(
        world.send_message(started.session_id, "And now?", true),
        async {
            soon(body.context.cancel.cancelled()).await;
            body.end("Booked.");
        }
    );
    assert!(matches!(sent, SentOutcome::Started { .. }), "{sent:?}");
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(
        (run.status, run.reason),
        (RunStatus::Cancelled, Some(RunReason::Superseded))
    );
    let request = player.asked().pop().unwrap();
    assert_eq!(results(&request)[0].2, "Booked.");
    assert_eq!(
        crate::scripted::said(request.messages.last().unwrap()),
        "And now?"
    );
    world.close().await;
}

// STP-2
#[tokio::test]
async fn calls_of_a_reply_that_is_stopped_while_it_streams_never_existed() {
    let home = Home::new();
    let (hand, bodies) = Hand::tool();
    let world = home.open_tools(vec![hand]);
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.text("Let me see.");
    model.ask("a", "hand", &json!({}));
    let mut follower = crate::follower::Follower::new(&world, started.session_id, 0);
    follower.until_text("Let me see.").await;
    world.stop(started.run_id).await;
    model.finish();
    model.dropped().await;
    world.idle().await;
    assert_eq!(
        world.transcript(started.session_id).await,
        ["User Complete: Go", "Agent Partial: Let me see."]
    );
    assert_eq!(world.calls(started.session_id).await, []);
    assert!(bodies.is_empty());
    world.resume(started.run_id).await;
    let model = world.script.call().await;
    assert_eq!(model.request.messages.len(), 1);
    model.answer("Seen.");
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// STP-4
#[tokio::test]
async fn a_second_stop_during_a_call_changes_nothing_and_a_cancel_wins() {
    let home = Home::new();
    let (world, _player, started, _bodies, body) =
        inside(&home, &json!({"deaf": true, "class": "read"})).await;
    world.stop(started.run_id).await;
    let before = world.events(started.session_id).await;
    assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
    assert_eq!(world.events(started.session_id).await, before);
    assert_eq!(world.cancel(started.run_id).await, RunStatus::Cancelled);
    assert_eq!(
        world.run(started.run_id).await.reason,
        Some(RunReason::Discarded)
    );
    body.end("Done.");
    world.idle().await;
    let call = world.calls(started.session_id).await.remove(0);
    assert_eq!(
        call.status,
        CallStatus::Completed,
        "what happened, happened"
    );
    assert_eq!(world.ends(started.session_id).await, 1);
    let run_id = started.run_id;
    assert_eq!(
        world.refused(Command::ResumeRun { run_id }).await.0,
        ErrorCode::NotActionable
    );
    assert_eq!(world.engine.held(), Held::default());
    world.close().await;
}

// STP-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_that_races_with_the_end_of_a_call_leaves_one_story() {
    for round in 0..30 {
        let home = Home::new();
        let arguments = json!({"class": "once", "deaf": true});
        let (world, player, started, _bodies, body) = inside(&home, &arguments).await;
        let stop = tokio::spawn({
            let world = world.clone();
            async move {
                for _ in 0..round % 10 {
                    tokio::task::yield_now().await;
                }
                world.stop(started.run_id).await
            }
        });
        body.end("Booked.");
        let answer = stop.await.unwrap();
        world.idle().await;
        let run = world.run(started.run_id).await;
        assert_eq!(run.status, answer, "the answer says where it stands");
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!(
            (call.status, outcome(&call).0),
            (CallStatus::Completed, "Booked.")
        );
        if answer == RunStatus::Stopped {
            world.resume(started.run_id).await;
            world.idle().await;
        }
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(world.ends(started.session_id).await, 1);
        let last = player.asked().pop().unwrap();
        assert_eq!(results(&last).len(), 1);
        world.close().await;
    }
}

// STP-1
#[tokio::test]
async fn a_stop_for_a_run_that_is_over_never_stops_the_call_of_the_next() {
    let home = Home::new();
    let (world, _player, first, mut bodies, body) = inside(&home, &json!({})).await;
    body.end("Done.");
    world.idle().await;
    let next = world.start("Next").await;
    let body = bodies.next().await;
    assert_eq!(world.stop(first.run_id).await, RunStatus::Completed);
    assert!(!body.context.cancel.is_cancelled());
    body.end("Done.");
    world.idle().await;
    assert_eq!(world.run(next.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// STP-4
#[tokio::test]
async fn calls_that_had_not_started_are_paired_with_results_that_say_so() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    // More than run at once, and one that waits for the person.
    let many = (0..10).map(|n| call("", "hand", &json!({"class": "read", "n": n})));
    let asks = call("", "hand", &json!({"ask": true}));
    let (world, player) =
        home.play_with(vec![many_calls(many.chain([asks]))], vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let mut going = Vec::new();
    for _ in 0..8 {
        going.push(bodies.next().await);
    }
    world.stop(started.run_id).await;
    world.idle().await;
    assert!(bodies.is_empty(), "no more than eight at once");
    let statuses = world.statuses(started.session_id).await;
    assert_eq!(statuses.len(), 11);
    assert!(
        statuses.iter().all(|status| status.is_terminal()),
        "{statuses:?}"
    );
    world.resume(started.run_id).await;
    world.idle().await;
    let told = results(&player.asked()[1]);
    assert_eq!(told.len(), 11);
    let unstarted = told
        .iter()
        .filter(|r| r.2 == "Not run: the person stopped.")
        .count();
    assert_eq!(unstarted, 3);
    world.close().await;
}

// STP-5, STP-6
#[tokio::test]
async fn after_a_stop_messages_that_wait_are_held_until_the_person_acts() {
    for is_cancel in [false, true] {
        let home = Home::new();
        let (world, player, started, _bodies, body) =
            inside(&home, &json!({"class": "read"})).await;
        let sent = world.send_message(started.session_id, "Next", false).await;
        assert_eq!(sent, SentOutcome::Queued {});
        if is_cancel {
            world.cancel(started.run_id).await;
        } else {
            world.stop(started.run_id).await;
        }
        drop(body);
        world.idle().await;
        world.clock.advance(10_000_000);
        world.idle().await;
        assert_eq!(player.asked().len(), 1, "held");
        assert_eq!(world.snapshot(started.session_id).await.queue.len(), 1);
        // A restart is no act of the person either.
        world.close().await;
        let (world, player) = home.play(Vec::new());
        world.idle().await;
        assert_eq!(player.asked().len(), 0);
        let session_id = started.session_id;
        world
            .execute(Command::SendQueued { session_id })
            .await
            .unwrap();
        world.idle().await;
        let asked = player.asked();
        assert_eq!(
            crate::scripted::said(asked[0].messages.last().unwrap()),
            "Next"
        );
        assert_eq!(results(&asked[0]).len(), 1, "its call is paired");
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Cancelled);
        world.close().await;
    }
}

// STP-6
#[tokio::test]
async fn a_run_that_was_stopped_in_doubt_is_not_resumed_before_it_is_settled() {
    let home = Home::new();
    let replies = vec![many_calls([
        call("a", "fails", &json!({"unobserved": true, "effect": true})),
        call("b", "ledger_append", &json!({"ask": true})),
    ])];
    let (world, player) = home.play(replies);
    let started = world.start("Go").await;
    world.idle().await;
    assert_eq!(world.stop(started.run_id).await, RunStatus::Stopped);
    let (run_id, session_id) = (started.run_id, started.session_id);
    let doubt = world.open_call().await;
    assert_eq!(doubt.status, CallStatus::InDoubt, "a stop does not move it");
    for command in [
        Command::ResumeRun { run_id },
        Command::CancelRun { run_id },
        Command::SendQueued { session_id },
    ] {
        let error = world.execute(command).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert!(error.message.contains(&doubt.call_id.to_string()));
    }
    world
        .resolve(doubt.call_id, Resolution::Happened { result: None })
        .await;
    world.idle().await;
    assert_eq!(player.asked().len(), 1, "settling is not resuming");
    world.resume(run_id).await;
    world.idle().await;
    assert_eq!(world.run(run_id).await.status, RunStatus::Completed);
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.close().await;
}

// RUN-24, STP-6
#[tokio::test]
async fn a_message_into_doubt_waits_until_that_is_settled_and_then_goes() {
    let home = Home::new();
    let lost = json!({"unobserved": true, "effect": true});
    let (world, player) = home.play(vec![one_call("a", "fails", &lost)]);
    let started = world.start("Go").await;
    world.idle().await;
    world.stop(started.run_id).await;
    let sent = world.send_message(started.session_id, "Go on", true).await;
    assert_eq!(sent, SentOutcome::Queued {});
    world.idle().await;
    assert_eq!(player.asked().len(), 1);
    let doubt = world.open_call().await;
    world
        .resolve(doubt.call_id, Resolution::Happened { result: None })
        .await;
    world.idle().await;
    let run = world.run(started.run_id).await;
    assert_eq!(
        (run.status, run.reason),
        (RunStatus::Cancelled, Some(RunReason::Superseded))
    );
    let request = player.asked().remove(1);
    assert_eq!(results(&request).len(), 1, "what is known is told");
    assert_eq!(
        crate::scripted::said(request.messages.last().unwrap()),
        "Go on"
    );
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.close().await;
}

// STP-3: closing ends what is going, and what may be run again is.
#[tokio::test]
async fn a_close_during_a_call_leaves_it_ready_or_recorded() {
    for (class, status) in [("read", CallStatus::Ready), ("once", CallStatus::Failed)] {
        let home = Home::new();
        let (world, _player, started, _bodies, body) =
            inside(&home, &json!({ "class": class })).await;
        world.close().await;
        drop(body);
        let (hand, mut bodies) = Hand::tool();
        let (world, player) = home.play_with(Vec::new(), vec![hand], 1_000_000);
        assert_eq!(world.recovered.in_doubt, 0);
        let run = world.run(started.run_id).await;
        assert_eq!(
            (run.status, run.reason),
            (RunStatus::Interrupted, Some(RunReason::AppClosed))
        );
        assert_eq!(world.statuses(started.session_id).await, [status]);
        world.resume(started.run_id).await;
        if status == CallStatus::Ready {
            bodies
                .next()
                .await
                .end_with(Err(ToolError::definite("No.")));
        }
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(player.asked().len(), 1);
        world.close().await;
    }
}
