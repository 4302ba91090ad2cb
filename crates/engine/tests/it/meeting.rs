//! Ends and answers that meet: whoever comes last finds out, and nobody is waited for in vain.

use protocol::{CallStatus, Decision, Resolution, RunStatus};
use serde_json::json;

use crate::calls::{call, deny, many_calls};
use crate::fixture::Home;
use crate::hand::Hand;

// APR-2, RUN-4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_and_the_end_of_another_call_at_once_leave_no_run_standing() {
    for round in 0..24 {
        let home = Home::new();
        let (hand, mut bodies) = Hand::tool();
        let replies = vec![many_calls([
            call("a", "hand", &json!({})),
            call("b", "hand", &json!({"ask": true})),
        ])];
        let (world, player) = home.play_with(replies, vec![hand], 1_000_000);
        let started = world.start("Go").await;
        let body = bodies.next().await;
        let waiting = world.open_call().await;
        let is_denied = round % 2 == 0;
        let answer = tokio::spawn({
            let world = world.clone();
            async move {
                for _ in 0..round % 7 {
                    tokio::task::yield_now().await;
                }
                let decision = if is_denied {
                    deny(None)
                } else {
                    Decision::AllowOnce {}
                };
                world.decide(&waiting, decision).await
            }
        });
        body.end("One.");
        answer.await.unwrap();
        if !is_denied {
            bodies.next().await.end("Two.");
        }
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(player.asked().len(), 2, "the model is asked once more");
        world.close().await;
    }
}

// EFF-3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doubts_that_are_settled_at_once_leave_no_run_standing() {
    for _ in 0..8 {
        let home = Home::new();
        let lost = |n: u32| call("", "fails", &json!({"unobserved": true, "n": n}));
        let (world, player) = home.play(vec![many_calls((0..4).map(lost))]);
        let started = world.start("Go").await;
        world.idle().await;
        let settling = world.open_calls().await.into_iter().map(|call| {
            assert_eq!(call.status, CallStatus::InDoubt);
            let world = world.clone();
            tokio::spawn(async move { world.resolve(call.call_id, Resolution::Skip {}).await })
        });
        for one in settling.collect::<Vec<_>>() {
            one.await.unwrap();
        }
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(player.asked().len(), 2);
        world.close().await;
    }
}

// EFF-3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_ways_out_of_one_doubt_at_once_one_stands() {
    for _ in 0..12 {
        let home = Home::new();
        let lost = call("", "fails", &json!({"unobserved": true}));
        let (world, _) = home.play(vec![many_calls([lost])]);
        let started = world.start("Go").await;
        world.idle().await;
        let doubt = world.open_call().await;
        let settle = |resolution: Resolution| {
            let world = world.clone();
            tokio::spawn(async move { world.try_resolve(doubt.call_id, resolution).await })
        };
        let happened = Resolution::Happened { result: None };
        let (one, two) = (settle(happened), settle(Resolution::Skip {}));
        let answers = [one.await.unwrap(), two.await.unwrap()];
        assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
        world.idle().await;
        assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
        assert_eq!(world.ends(started.session_id).await, 1);
        world.close().await;
    }
}
