//! The state that the calls of a session share.

use std::collections::BTreeMap;

use protocol::{CallStatus, RunStatus};
use serde_json::{Value, json};

use crate::calls::{call, many_calls, one_call, outcome};
use crate::fixture::{Home, World};
use crate::scripted::Said;

fn changes(changes: &Value) -> Value {
    json!({ "changes": changes })
}

fn look() -> Vec<Said> {
    one_call("", "counts", &json!({}))
}

/// What the last call of a session saw.
async fn seen(world: &World, session_id: protocol::SessionId) -> BTreeMap<String, Value> {
    let last = world.calls(session_id).await.pop().unwrap();
    serde_json::from_str(outcome(&last).0).unwrap()
}

// STO-19
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_calls_that_add_and_append_are_all_there_in_the_order_of_the_calls() {
    let home = Home::new();
    let one = |n: u32| {
        // The first ones take longest, and none of them waits for another.
        let both = json!([
            {"type": "add", "key": "sum", "by": 1},
            {"type": "append", "key": "list", "value": n},
        ]);
        call("", "counts", &changes(&both))
    };
    let replies = vec![many_calls((0..40).map(one)), look()];
    let (world, _) = home.play(replies);
    let started = world.start("Go").await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    let calls = world.calls(started.session_id).await;
    for call in &calls[..40] {
        assert_eq!(
            outcome(call).0,
            "{}",
            "each saw what was there when they were asked for"
        );
    }
    let state = seen(&world, started.session_id).await;
    assert_eq!(state["sum"], 40);
    assert_eq!(state["list"], json!((0..40).collect::<Vec<u32>>()));
    // And it is still there in the next run, after a restart.
    world.close().await;
    let (world, _) = home.play(vec![Vec::new(), Vec::new(), Vec::new(), look()]);
    world.send(started.session_id, "Again").await;
    world.idle().await;
    assert_eq!(seen(&world, started.session_id).await, state);
    world.close().await;
}

// STO-19
#[tokio::test]
async fn a_call_that_failed_promotes_nothing_and_a_replacement_drops_what_it_does_not_name() {
    let home = Home::new();
    let (hand, mut bodies) = crate::hand::Hand::tool();
    let set =
        json!([{"type": "set", "key": "a", "value": 1}, {"type": "set", "key": "b", "value": 2}]);
    let replies = vec![
        many_calls([
            call("", "counts", &changes(&set)),
            call("", "hand", &json!({"class": "read"})),
        ]),
        look(),
        one_call(
            "",
            "counts",
            &changes(&json!([{"type": "replace", "values": {"c": 3}}])),
        ),
        look(),
    ];
    let (world, _) = home.play_with(replies, vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let body = bodies.next().await;
    assert_eq!(
        body.context.state,
        BTreeMap::new(),
        "nothing is promoted while calls are going"
    );
    body.end_with(Err(engine::ToolError::definite("No.")));
    world.idle().await;
    let calls = world.calls(started.session_id).await;
    assert_eq!(calls[1].status, CallStatus::Failed);
    let seen_first: Value = serde_json::from_str(outcome(&calls[2]).0).unwrap();
    assert_eq!(
        seen_first,
        json!({"a": 1, "b": 2}),
        "its neighbour's is kept, its own is not"
    );
    assert_eq!(
        json!(seen(&world, started.session_id).await),
        json!({"c": 3})
    );
    world.close().await;
}

// STO-19, EFF-3: a body that is cut off stages nothing, and its second one does it once.
#[tokio::test]
async fn a_body_that_runs_again_after_a_crash_counts_once() {
    let home = Home::new();
    let (hand, mut bodies) = crate::hand::Hand::tool();
    let add = json!([{"type": "add", "key": "sum", "by": 1}]);
    let replies = || {
        vec![
            many_calls([
                call("", "counts", &changes(&add)),
                call("", "hand", &json!({"class": "read"})),
            ]),
            look(),
        ]
    };
    let (world, _) = home.play_with(replies(), vec![hand], 1_000_000);
    let started = world.start("Go").await;
    let _body = bodies.next().await;
    let done = testkit::eventually("the other call to end", async || {
        let calls = world.calls(started.session_id).await;
        (calls[0].status == CallStatus::Completed).then_some(())
    });
    done.await.unwrap();
    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);
    let (hand, mut bodies) = crate::hand::Hand::tool();
    let (world, _) = home.play_with(replies(), vec![hand], 1_000_000);
    world.resume(started.run_id).await;
    let key = "sum".to_owned();
    bodies.next().await.end_with(Ok(engine::Output {
        text: "Done.".to_owned(),
        state: vec![engine::StateChange::Add { key, by: 10 }],
    }));
    world.idle().await;
    assert_eq!(seen(&world, started.session_id).await["sum"], 11);
    world.close().await;
}
