//! What one run may use: steps, time, tokens, cost.

use protocol::{AttentionKind, CallStatus, Decision, RunLimits, RunReason, RunStatus, SessionId};
use serde_json::json;

use crate::acting::{asks, finished, finished_with, open_at};
use crate::fixture::{Home, World};

/// Runs with these limits through one reply that calls a tool, then expects the reason.
async fn reaches(world: &World, limits: RunLimits, reason: RunReason, use_up: impl Fn(&World)) {
    let agent_id = world.agent(reason.as_str(), limits).await;
    let one = world.start_with(agent_id, "Go").await;
    let (session_id, run_id) = (one.session_id, one.run_id());
    for round in 0..2 {
        let call = world.script.call().await;
        use_up(world);
        call.say(asks("", "prints", &json!({"round": round})));
        call.say(finished_with(1_000, 1_000));
        world.until_run(session_id, RunStatus::Stopped).await;
        let run = world.run(run_id).await;
        assert_eq!(run.reason, Some(reason));
        assert_eq!(run.error, None);
        let attention = world.attention(session_id).await.unwrap();
        assert_eq!(attention.kind, AttentionKind::Stopped);
        assert_eq!(attention.reason, Some(reason));
        world.settle().await;
        assert!(!world.script.has_call().await, "{reason:?}");
        // Continuing gives a fresh budget, and the next limit is as far away as the first was.
        world.resume(run_id).await;
    }
    let call = world.script.call().await;
    assert_eq!(call.told().len(), 5, "nothing was done again");
    call.answer("Done.");
    world.idle().await;
    let run = world.run(run_id).await;
    assert_eq!((run.status, run.reason), (RunStatus::Completed, None));
    let kinds = world.kinds(session_id).await;
    assert_eq!(kinds.iter().filter(|k| *k == "run_stopped").count(), 2);
}

// RUN-11
#[tokio::test]
async fn each_limit_stops_the_run_with_its_own_reason() {
    let home = Home::new();
    let world = home.open();
    let none = RunLimits::default();
    let steps = RunLimits {
        steps: Some(2),
        ..none
    };
    reaches(&world, steps, RunReason::StepLimit, |_| {}).await;
    let seconds = RunLimits {
        seconds: Some(10),
        ..none
    };
    reaches(&world, seconds, RunReason::TimeLimit, |world| {
        world.clock.advance(10_000);
    })
    .await;
    let tokens = RunLimits {
        tokens: Some(1_000),
        ..none
    };
    reaches(&world, tokens, RunReason::TokenLimit, |_| {}).await;
    let cost = RunLimits {
        cost_microusd: Some(1_000),
        ..none
    };
    reaches(&world, cost, RunReason::CostLimit, |_| {}).await;
    world.close().await;
}

// RUN-11
#[tokio::test]
async fn a_reply_without_calls_completes_whatever_it_cost() {
    let home = Home::new();
    let world = home.open();
    let limits = RunLimits {
        steps: Some(1),
        seconds: Some(1),
        tokens: Some(1),
        cost_microusd: Some(1),
    };
    let agent_id = world.agent("Frugal", limits).await;
    let one = world.start_with(agent_id, "Go").await;
    let call = world.script.call().await;
    world.clock.advance(60_000);
    call.text("Done.");
    call.say(finished_with(1_000, 1_000));
    world.idle().await;
    assert_eq!(world.status(one.run_id()).await, RunStatus::Completed);
    world.close().await;
}

/// A run of at most ten seconds that waits for an approval.
async fn short_and_waiting(world: &World) -> (SessionId, protocol::RunId) {
    let limits = RunLimits {
        seconds: Some(10),
        ..RunLimits::default()
    };
    let agent_id = world.agent("Short", limits).await;
    let one = world.start_with(agent_id, "Go").await;
    let call = world.script.call().await;
    call.ask_for("prints", &json!({"ask": true}));
    world.until_run(one.session_id, RunStatus::Waiting).await;
    (one.session_id, one.run_id())
}

// RUN-11
#[tokio::test]
async fn waiting_for_a_person_does_not_count() {
    let home = Home::new();
    let world = home.open();
    let (session_id, run_id) = short_and_waiting(&world).await;
    world.clock.advance(3_600_000);
    let call = world.only_call(session_id).await;
    world.decide(&call, Decision::AllowOnce {}).await;
    let call = world.script.call().await;
    assert_eq!(world.status(run_id).await, RunStatus::Running);
    call.answer("Done.");
    world.idle().await;
    assert_eq!(world.status(run_id).await, RunStatus::Completed);
    world.close().await;
}

// RUN-11
#[tokio::test]
async fn neither_does_the_time_in_which_the_app_was_not_there() {
    // Inside a model call, then inside a tool call.
    for is_tool in [false, true] {
        let home = Home::new();
        let world = home.open();
        let limits = RunLimits {
            seconds: Some(10),
            ..RunLimits::default()
        };
        let agent_id = world.agent("Short", limits).await;
        let one = world.start_with(agent_id, "Go").await;
        let call = world.script.call().await;
        if is_tool {
            call.ask_for("slow", &json!({"class": "read", "ms": 0}));
            // Whoever is quicker: the copy has the call running, or over.
            world
                .until_calls(one.session_id, CallStatus::Completed)
                .await;
        }
        let dead = home.copy();
        let (clean, run_id) = (home, one.run_id());
        world.close().await;
        for home in [dead, clean] {
            let (world, _clock) = open_at(&home, 1_000_000 + 3_600_000);
            world.resume(run_id).await;
            let call = world.script.call().await;
            call.say(asks("x", "prints", &json!({})));
            call.say(finished());
            let call = world.script.call().await;
            assert_eq!(world.status(run_id).await, RunStatus::Running);
            call.answer("Done.");
            world.idle().await;
            assert_eq!(world.status(run_id).await, RunStatus::Completed);
            world.close().await;
        }
    }
}

// RUN-11
#[tokio::test]
async fn a_limit_is_not_passed_by_calls_that_never_run() {
    let home = Home::new();
    let world = home.open();
    let limits = RunLimits {
        steps: Some(3),
        ..RunLimits::default()
    };
    let agent_id = world.agent("Stubborn", limits).await;
    let one = world.start_with(agent_id, "Go").await;
    for _ in 0..3 {
        world
            .script
            .call()
            .await
            .ask_for("no_such_tool", &json!({}));
    }
    world.until_run(one.session_id, RunStatus::Stopped).await;
    assert!(!world.script.has_call().await);
    world.close().await;
}

// RUN-11
#[tokio::test]
async fn the_time_of_a_tool_call_counts_at_once() {
    let home = Home::new();
    let (world, clock) = open_at(&home, 1_000_000);
    let limits = RunLimits {
        seconds: Some(10),
        ..RunLimits::default()
    };
    let agent_id = world.agent("Short", limits).await;
    let one = world.start_with(agent_id, "Go").await;
    world.script.call().await.ask_for("gate", &json!({}));
    world.until_calls(one.session_id, CallStatus::Running).await;
    clock.set(1_010_000);
    clock.gate.add_permits(1);
    world.until_run(one.session_id, RunStatus::Stopped).await;
    let run = world.run(one.run_id()).await;
    assert_eq!(run.reason, Some(RunReason::TimeLimit));
    assert!(!world.script.has_call().await);
    world.close().await;
}
