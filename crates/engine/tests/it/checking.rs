//! Checks: looking whether a call in doubt happened, without ever doing it.

use std::sync::Arc;

use protocol::{CallStatus, Command, EffectClass, ErrorCode, Resolution, RunStatus, ToolCallView};
use serde_json::{Value, json};
use testkit::Phase;

use crate::calls::{Player, one_call, outcome, results};
use crate::fixture::{Home, Started, World};

async fn in_doubt(home: &Home, arguments: &Value) -> (World, Arc<Player>, Started, ToolCallView) {
    let (world, player) = home.play(vec![one_call("a", "checked", arguments)]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    assert_eq!(call.status, CallStatus::InDoubt);
    assert!(call.doubt.as_ref().unwrap().can_check);
    (world, player, started, call)
}

fn checks(home: &Home) -> usize {
    let entries = home.entries();
    entries.iter().filter(|e| e.phase == Phase::Check).count()
}

// EFF-10, EFF-3
#[tokio::test]
async fn a_check_that_finds_it_out_settles_the_doubt() {
    let home = Home::new();
    let (world, player, started, call) = in_doubt(&home, &json!({"lost": true})).await;
    let settled = world.resolve(call.call_id, Resolution::Check {}).await;
    assert_eq!(settled.status, CallStatus::Completed);
    let expected = format!("The ledger has {}.", call.call_id);
    assert_eq!(outcome(&settled), (expected.as_str(), None));
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    assert_eq!(results(&player.asked()[1])[0].2, expected);
    assert_eq!((home.effects(EffectClass::Once), checks(&home)), (1, 1));
    world.close().await;
}

// EFF-10, EFF-3
#[tokio::test]
async fn a_check_that_finds_that_it_did_not_happen_lets_it_run() {
    let home = Home::new();
    let arguments = json!({"before_ms": 600_000});
    let (world, _) = home.play(vec![one_call("a", "checked", &arguments)]);
    let started = world.start("Go").await;
    let running =
        |calls: Vec<ToolCallView>| calls.into_iter().find(|c| c.status == CallStatus::Running);
    let found = testkit::eventually("the body", async || {
        running(world.calls(started.session_id).await)
    });
    let call = found.await.unwrap();
    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);
    let (world, _) = home.play(Vec::new());
    let settled = world.resolve(call.call_id, Resolution::Check {}).await;
    assert_eq!(settled.status, CallStatus::Ready);
    assert_eq!(
        (home.effects(EffectClass::Once), checks(&home)),
        (0, 1),
        "a check does nothing"
    );
    world.resume(started.run_id).await;
    world
        .call_until(call.call_id, |call| call.bodies == 2)
        .await;
    world.close().await;
}

// EFF-10
#[tokio::test]
async fn a_check_in_vain_is_made_again_later_and_not_more_than_five_times() {
    for check in ["unknown", "fails"] {
        let home = Home::new();
        let arguments = json!({"lost": true, "check": check});
        let (mut world, mut player, started, call) = in_doubt(&home, &arguments).await;
        let mut now_ms = 1_000_000;
        let mut doubt = world
            .resolve(call.call_id, Resolution::Check {})
            .await
            .doubt
            .unwrap();
        for (number, wait_ms) in [(1, 10_000), (2, 40_000), (3, 160_000), (4, 600_000)] {
            assert_eq!(doubt.checks, number);
            assert_eq!(doubt.next_check_at_ms, Some(now_ms + wait_ms));
            if number == 2 {
                // It is stored: after a restart the rest of the time is waited for.
                world.close().await;
                (world, player) = home.play_with(Vec::new(), Vec::new(), now_ms + 15_000);
                now_ms += 15_000;
                world.clock.advance(wait_ms - 15_000 - 1);
                now_ms += wait_ms - 15_000 - 1;
            } else {
                world.clock.advance(wait_ms - 1);
                now_ms += wait_ms - 1;
            }
            world.idle().await;
            assert_eq!(checks(&home), number as usize, "not before its time");
            world.clock.advance(1);
            now_ms += 1;
            let now = world.call_until(call.call_id, |call| {
                call.doubt
                    .as_ref()
                    .is_some_and(|doubt| doubt.checks > number)
            });
            doubt = now.await.doubt.unwrap();
        }
        assert_eq!((doubt.checks, doubt.next_check_at_ms), (5, None));
        world.clock.advance(1_000_000_000);
        world.idle().await;
        assert_eq!(checks(&home), 5);
        assert_eq!(home.effects(EffectClass::Once), 1, "no check did it");
        assert_eq!(world.open_call().await.status, CallStatus::InDoubt);
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Waiting);
        assert!(player.asked().len() <= 1, "nothing in doubt is told");
        world.close().await;
    }
}

// EFF-10
#[tokio::test(start_paused = true)]
async fn a_check_that_hangs_is_given_up_after_thirty_seconds() {
    let home = Home::new();
    let arguments = json!({"lost": true, "check": "hangs"});
    let (world, _) = home.play(vec![one_call("a", "checked", &arguments)]);
    // No deadlines of the test's own: time stands still until nobody has anything to do.
    let command = Command::StartRun {
        session_id: None,
        text: "Go".to_owned(),
        request_key: None,
    };
    world.engine.execute(command).await.unwrap();
    world.engine.idle().await;
    let reply = world
        .engine
        .execute(Command::ListApprovals { session_id: None })
        .await
        .unwrap();
    let protocol::Reply::Calls { calls } = reply else {
        panic!("{reply:?}")
    };
    let began = tokio::time::Instant::now();
    let command = Command::ResolveCall {
        call_id: calls[0].call_id,
        resolution: Resolution::Check {},
    };
    let reply = world.engine.execute(command).await.unwrap();
    let protocol::Reply::Call(call) = reply else {
        panic!("{reply:?}")
    };
    let seconds = began.elapsed().as_secs();
    assert!((30..32).contains(&seconds), "{seconds}");
    assert_eq!(call.status, CallStatus::InDoubt);
    assert_eq!(call.doubt.unwrap().checks, 1);
    world.engine.close().await.unwrap();
}

// APR-3
#[tokio::test]
async fn a_resolution_for_a_call_that_is_not_in_doubt_is_refused() {
    let home = Home::new();
    let (world, _) = home.play(vec![one_call("a", "checked", &json!({"ask": true}))]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    let before = world.events(started.session_id).await;
    for resolution in [
        Resolution::Check {},
        Resolution::Happened { result: None },
        Resolution::RunAgain {},
        Resolution::Skip {},
    ] {
        let error = world
            .try_resolve(call.call_id, resolution)
            .await
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::NotActionable);
        assert_eq!(error.run_id, Some(started.run_id));
    }
    assert_eq!(world.events(started.session_id).await, before);
    assert_eq!(home.entries(), []);
    world.close().await;
}
