//! Effect classes: what may run again, what must not, and what nobody knows.

use engine::{ModelRequest, ToolError};
use protocol::{
    CallStatus, Command, Decision, EffectClass, ErrorClass, ErrorCode, Resolution, RunStatus,
    SessionId, ToolCallView,
};
use serde_json::json;

use crate::calls::{call, many_calls, one_call, outcome, results};
use crate::fixture::{Home, Started, World};
use crate::hand::{Bodies, Hand};

// EFF-1
#[tokio::test]
async fn the_class_is_fixed_when_a_call_is_proposed_and_what_is_unknown_is_once() {
    let home = Home::new();
    let (hand, _bodies) = Hand::tool();
    let replies = vec![many_calls(
        [
            json!({"class": "read", "ask": true}),
            json!({"class": "idempotent", "ask": true}),
            json!({"class": "once", "ask": true}),
            json!({"ask": true}),
        ]
        .iter()
        .map(|arguments| call("", "hand", arguments)),
    )];
    let (world, _) = home.play_with(replies, vec![hand], 1_000_000);
    world.start("Go").await;
    world.idle().await;
    let calls = world.open_calls().await;
    let classes: Vec<_> = calls.iter().map(|call| call.effect).collect();
    assert_eq!(
        classes,
        [
            EffectClass::Read,
            EffectClass::Idempotent,
            EffectClass::Once,
            EffectClass::Once
        ]
    );
    // A stored form that nobody knows is the careful one.
    assert_eq!(EffectClass::parse("whatever"), EffectClass::Once);
    world.close().await;
}

/// A run inside the body of its only call.
async fn inside(home: &Home, class: &str) -> (World, Started, Bodies, crate::hand::Body) {
    let (hand, mut bodies) = Hand::tool();
    let replies = vec![one_call(
        "a",
        "hand",
        &json!({ "class": class, "note_bytes": 3 }),
    )];
    let (world, _) = home.play_with(replies, vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let body = bodies.next().await;
    (world, started, bodies, body)
}

// EFF-2
#[tokio::test]
async fn what_is_about_to_happen_is_stored_before_the_body_begins() {
    for class in ["read", "idempotent", "once"] {
        let home = Home::new();
        let (world, started, _bodies, body) = inside(&home, class).await;
        let dead = home.copy();
        let (store, _) = dead.store();
        let (row, step) = store
            .read(|reader| {
                let row = reader.call(body.call.call_id)?.unwrap();
                let state = reader.session_state(started.session_id)?.unwrap();
                Ok((row, state.run.unwrap().status))
            })
            .unwrap();
        store.close().unwrap();
        assert_eq!(row.view.status, CallStatus::Running);
        assert_eq!(row.view.arguments, body.call.arguments);
        assert_eq!(row.view.effect.as_str(), class);
        assert_eq!(row.view.bodies, 1);
        // The digest is over the arguments, the class and the call's id, which is its effect key.
        assert!(row.digest.is_some());
        assert_eq!(body.call.effect_key(), row.view.call_id.to_string());
        assert_eq!((row.step_id.is_some(), row.attempt), (true, 1));
        assert_eq!(row.detail, Some(body.intent.detail.clone()));
        assert_eq!(step, RunStatus::Running);
        body.end("Done.");
        world.idle().await;
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!(call.status, CallStatus::Completed);
        assert_eq!(outcome(&call).0, "Done.");
        world.close().await;
    }
}

/// Ends the process inside the body, and opens what it left.
async fn crash_inside(
    home: &Home,
    world: World,
) -> (World, std::sync::Arc<crate::calls::Player>, Bodies) {
    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);
    let (hand, bodies) = Hand::tool();
    let (world, player) = home.play_with(Vec::new(), vec![hand], 1_000_000);
    (world, player, bodies)
}

// EFF-3
#[tokio::test]
async fn a_call_that_may_run_again_has_at_most_three_bodies() {
    for class in ["read", "idempotent"] {
        let home = Home::new();
        let (mut world, started, _, mut body) = inside(&home, class).await;
        let (key, intent) = (body.call.effect_key(), body.intent.clone());
        for number in 1..=3 {
            let (reopened, player, mut bodies) = crash_inside(&home, world).await;
            world = reopened;
            assert_eq!(world.recovered.interrupted, 1);
            let call = world.calls(started.session_id).await.remove(0);
            assert_eq!((call.status, call.bodies), (CallStatus::Ready, number));
            world.resume(started.run_id).await;
            if number < 3 {
                body = bodies.next().await;
                assert_eq!(body.call.effect_key(), key, "one key for all bodies");
                assert_eq!(body.intent, intent, "what the first body was started with");
                continue;
            }
            world.idle().await;
            assert!(bodies.is_empty());
            let call = world.calls(started.session_id).await.remove(0);
            assert_eq!((call.status, call.bodies), (CallStatus::Failed, 3));
            assert!(outcome(&call).0.starts_with("Given up"));
            assert_eq!(
                results(&player.asked()[0]).len(),
                1,
                "and the model is told"
            );
        }
        drop(body);
        world.close().await;
    }
}

async fn in_doubt(
    home: &Home,
) -> (
    World,
    std::sync::Arc<crate::calls::Player>,
    Bodies,
    Started,
    ToolCallView,
) {
    let (world, started, _bodies, _body) = inside(home, "once").await;
    let (world, player, bodies) = crash_inside(home, world).await;
    assert_eq!(
        (world.recovered.interrupted, world.recovered.in_doubt),
        (1, 1)
    );
    let call = world.open_call().await;
    assert_eq!(call.status, CallStatus::InDoubt);
    assert_eq!(call.result, None);
    let doubt = call.doubt.clone().unwrap();
    assert!(!doubt.can_check && doubt.checks == 0);
    (world, player, bodies, started, call)
}

// EFF-3
#[tokio::test]
async fn a_call_that_must_not_be_repeated_is_in_doubt_and_only_the_person_moves_it() {
    let home = Home::new();
    let (world, player, bodies, started, call) = in_doubt(&home).await;
    let before = world.events(started.session_id).await;
    let run_id = started.run_id;
    // Neither resuming nor discarding gets past it, and both name it.
    for command in [Command::ResumeRun { run_id }, Command::CancelRun { run_id }] {
        let error = world.execute(command).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert!(error.message.contains(&call.call_id.to_string()));
    }
    // A check that the tool does not offer, and an answer to a question that was never asked.
    let error = world.try_resolve(call.call_id, Resolution::Check {}).await;
    assert_eq!(error.unwrap_err().code, ErrorCode::NotActionable);
    let command = Command::DecideCall {
        call_id: call.call_id,
        digest: "0".repeat(64),
        decision: Decision::AllowOnce {},
        from: None,
    };
    assert_eq!(world.refused(command).await.0, ErrorCode::NotActionable);
    // Time passes, and the app is started again.
    world.clock.advance(100_000_000);
    world.idle().await;
    assert_eq!(world.events(started.session_id).await, before);
    assert!(bodies.is_empty() && player.asked().is_empty());
    world.close().await;
    let (world, player) = home.play(Vec::new());
    assert_eq!(world.open_call().await.status, CallStatus::InDoubt);
    assert!(player.asked().is_empty(), "nothing in doubt is told");
    world.close().await;
}

// EFF-3
#[tokio::test]
async fn a_doubt_is_settled_by_what_the_person_says() {
    type Check = fn(&ToolCallView, &ModelRequest);
    let ways: [(Resolution, CallStatus, Check); 3] = [
        (
            Resolution::Happened {
                result: Some("The ferry is booked.".to_owned()),
            },
            CallStatus::Completed,
            |call, request| {
                assert_eq!(outcome(call), ("The ferry is booked.", None));
                assert_eq!(results(request)[0].2, "The ferry is booked.");
            },
        ),
        (
            Resolution::Happened { result: None },
            CallStatus::Completed,
            |_, request| {
                assert!(!results(request)[0].1);
            },
        ),
        (Resolution::Skip {}, CallStatus::Skipped, |call, request| {
            assert_eq!(outcome(call).1, Some(ErrorClass::InDoubt));
            let (_, is_error, text) = &results(request)[0];
            assert!(*is_error && text.contains("not known"), "{text}");
        }),
    ];
    for (resolution, status, check) in ways {
        let home = Home::new();
        let (world, player, bodies, started, call) = in_doubt(&home).await;
        let settled = world.resolve(call.call_id, resolution.clone()).await;
        assert_eq!((settled.status, settled.bodies), (status, 1));
        assert_eq!(settled.doubt, None);
        // A doubt that is settled is settled.
        let again = world.try_resolve(call.call_id, resolution).await;
        assert_eq!(again.unwrap_err().code, ErrorCode::NotActionable);
        world.resume(started.run_id).await;
        world.idle().await;
        assert!(bodies.is_empty(), "it is not run again");
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        check(&world.get(call.call_id).await, &player.asked()[0]);
        world.close().await;
    }
}

// EFF-3
#[tokio::test]
async fn a_call_that_did_not_happen_is_run_once_more_when_the_person_says_so() {
    let home = Home::new();
    let (world, player, mut bodies, started, call) = in_doubt(&home).await;
    let settled = world.resolve(call.call_id, Resolution::RunAgain {}).await;
    assert_eq!(settled.status, CallStatus::Ready);
    world.idle().await;
    assert!(bodies.is_empty(), "an interrupted run starts nothing");
    world.resume(started.run_id).await;
    let body = bodies.next().await;
    assert_eq!(body.call.effect_key(), call.call_id.to_string());
    // It ends again without anybody seeing it: it is in doubt again.
    drop(body);
    world.idle().await;
    let again = world.open_call().await;
    assert_eq!((again.status, again.bodies), (CallStatus::InDoubt, 2));
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    assert_eq!(world.engine.held(), engine::Held::default());
    world.resolve(call.call_id, Resolution::RunAgain {}).await;
    bodies.next().await.end("Booked.");
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    assert_eq!(results(&player.asked()[0])[0].2, "Booked.");
    assert_eq!(world.get(call.call_id).await.bodies, 3);
    world.close().await;
}

// EFF-4
#[tokio::test]
async fn an_end_that_nobody_saw_is_in_doubt_and_a_definite_failure_is_not() {
    let home = Home::new();
    let replies = vec![one_call(
        "a",
        "fails",
        &json!({"unobserved": true, "effect": true}),
    )];
    let (world, player) = home.play(replies);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    assert_eq!(call.status, CallStatus::InDoubt);
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    assert_eq!(player.asked().len(), 1, "nothing in doubt is told");
    assert_eq!(home.effects(EffectClass::Once), 1);
    world.resolve(call.call_id, Resolution::Skip {}).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    assert_eq!(home.effects(EffectClass::Once), 1, "and not done twice");
    world.close().await;

    for (arguments, status) in [
        (json!({}), CallStatus::Failed),
        (json!({"at": "prepare"}), CallStatus::Failed),
        (
            json!({"at": "prepare", "unobserved": true}),
            CallStatus::Failed,
        ),
        (
            json!({"unobserved": true, "class": "read"}),
            CallStatus::Failed,
        ),
        (
            json!({"unobserved": true, "class": "idempotent"}),
            CallStatus::Failed,
        ),
    ] {
        let home = Home::new();
        let (world, _) = home.play(vec![one_call("a", "fails", &arguments)]);
        let started = world.start("Go").await;
        world.idle().await;
        assert_eq!(
            world.statuses(started.session_id).await,
            [status],
            "{arguments}"
        );
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        world.close().await;
    }
}

// EFF-4, RUN-17
#[tokio::test]
async fn a_panic_in_a_body_that_must_not_be_repeated_leaves_it_in_doubt() {
    let home = Home::new();
    let (world, player) = home.play(vec![one_call("a", "panics", &json!({}))]);
    let started = world.start("Go").await;
    world.idle().await;
    assert_eq!(world.open_call().await.status, CallStatus::InDoubt);
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
    assert_eq!(player.asked().len(), 1);
    world.close().await;
}

// EFF-7
#[tokio::test]
async fn two_sessions_that_use_one_tool_at_once_do_not_see_each_other() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let replies = vec![one_call("same", "hand", &json!({}))];
    let (world, player) = home.play_with(replies, vec![hand], 1_000_000);
    let (one, two) = (world.start("One").await, world.start("Two").await);
    let (first, second) = (bodies.next().await, bodies.next().await);
    assert_ne!(first.call.session_id, second.call.session_id);
    assert_ne!(first.call.call_id, second.call.call_id);
    assert_ne!(first.call.workspace, second.call.workspace);
    let name = |id: SessionId| if id == one.session_id { "one" } else { "two" };
    for body in [second, first] {
        let text = name(body.call.session_id);
        body.end(text);
    }
    world.idle().await;
    for started in [one, two] {
        let call = world.calls(started.session_id).await.remove(0);
        assert_eq!(outcome(&call).0, name(started.session_id));
    }
    for request in &player.asked()[2..] {
        let expected = if crate::scripted::said(&request.messages[0]) == "One" {
            "one"
        } else {
            "two"
        };
        assert_eq!(results(request)[0].2, expected);
    }
    world.close().await;
}

// EFF-8
#[tokio::test]
async fn after_a_stop_nothing_acts_on_any_path() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let replies = vec![many_calls([
        call("a", "hand", &json!({"ask": true})),
        call("b", "hand", &json!({})),
        call("c", "hand", &json!({"ask": true, "n": 2})),
    ])];
    let (world, player) = home.play_with(replies, vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let body = bodies.next().await;
    let shown = world.open_calls().await;
    body.end_with(Err(ToolError::unobserved("Lost.")));
    world.idle().await;
    world.stop(started.run_id).await;
    let calls = world.calls(started.session_id).await;
    // Answering, running again and resuming are the ways to act; none of them starts anything.
    for waiting in &shown {
        let error = world.try_decide(waiting, Decision::AllowOnce {}).await;
        let error = error.unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert_eq!(error.run_id, Some(started.run_id));
    }
    world
        .resolve(calls[1].call_id, Resolution::RunAgain {})
        .await;
    world.idle().await;
    assert!(bodies.is_empty());
    assert_eq!(player.asked().len(), 1);
    let expected = [
        CallStatus::Cancelled,
        CallStatus::Ready,
        CallStatus::Cancelled,
    ];
    assert_eq!(world.statuses(started.session_id).await, expected);
    world.close().await;
}
