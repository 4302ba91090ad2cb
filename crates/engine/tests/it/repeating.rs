//! A model that asks for the same again and again.

use protocol::{AttentionKind, Command, ErrorClass, RunStatus};
use serde_json::{Value, json};

use crate::acting::started;
use crate::calls::{Player, call, many_calls, one_call};
use crate::fixture::{Home, World};
use crate::hand::Hand;
use crate::scripted::Said;

fn same(rounds: usize, reply: impl Fn(usize) -> Vec<Said>) -> Vec<Vec<Said>> {
    (0..rounds).map(reply).collect()
}

fn prints(round: usize) -> Vec<Said> {
    one_call(&format!("c{round}"), "prints", &json!({"bytes": 3}))
}

fn asked(player: &Player) -> usize {
    player.asked().len()
}

async fn ended(world: &World, text: &str) -> (RunStatus, String, protocol::RunId) {
    let run_id = world.start(text).await.run_id;
    world.idle().await;
    let run = world.run(run_id).await;
    let message = run.error.map(|error| {
        assert_eq!(error.class, ErrorClass::Limit);
        error.message
    });
    (run.status, message.unwrap_or_default(), run_id)
}

#[tokio::test]
async fn the_same_call_with_the_same_result_ends_the_run_at_the_fourth_and_a_person_goes_on() {
    let home = Home::new();
    let (world, player) = home.play(same(40, prints));
    let (status, message, run_id) = ended(&world, "Go").await;
    assert_eq!(status, RunStatus::Failed);
    assert!(message.contains("prints 4 times"), "{message}");
    assert_eq!(asked(&player), 4);
    let session_id = world.run(run_id).await.session_id;
    let attention = world.attention(session_id).await.unwrap();
    assert_eq!(attention.kind, AttentionKind::Failed);
    // Its work is there, and another run begins to count anew.
    let again = Command::RetryRun {
        run_id,
        request_key: None,
    };
    let again = started(world.execute(again).await.unwrap());
    world.idle().await;
    assert_eq!(world.run(again.run_id).await.status, RunStatus::Failed);
    assert_eq!(asked(&player), 8);
    world.close().await;
}

#[tokio::test]
async fn a_call_that_is_refused_each_time_counts_too() {
    let home = Home::new();
    let (world, player) = home.play(same(40, |round| {
        one_call(&format!("c{round}"), "no_such_tool", &json!({}))
    }));
    let (status, message, _) = ended(&world, "Go").await;
    assert_eq!((status, asked(&player)), (RunStatus::Failed, 4));
    assert!(message.contains("no_such_tool"), "{message}");
    world.close().await;
}

#[tokio::test]
async fn rounds_of_several_calls_are_compared_whole() {
    let home = Home::new();
    let both = |round: usize, bytes: usize| {
        many_calls([
            call(&format!("a{round}"), "prints", &json!({"bytes": 1})),
            call(&format!("b{round}"), "prints", &json!({"bytes": bytes})),
        ])
    };
    let (world, player) = home.play(same(40, |round| both(round, 2)));
    assert_eq!(ended(&world, "Go").await.0, RunStatus::Failed);
    assert_eq!(asked(&player), 4);
    world.close().await;
    let home = Home::new();
    let (world, player) = home.play(same(10, |round| both(round, round)));
    assert_eq!(ended(&world, "Go").await.0, RunStatus::Completed);
    assert_eq!(asked(&player), 11);
    world.close().await;
}

/// What is asked differs, or something else comes in between.
#[tokio::test]
async fn three_times_in_a_row_are_no_circle() {
    let home = Home::new();
    let (world, player) = home.play(same(12, |round| {
        let bytes = if round % 4 == 3 { 4 } else { 3 };
        one_call(&format!("c{round}"), "prints", &json!({"bytes": bytes}))
    }));
    assert_eq!(ended(&world, "Go").await.0, RunStatus::Completed);
    assert_eq!(asked(&player), 13);
    world.close().await;
}

/// A tool that is asked until something has happened.
#[tokio::test]
async fn a_call_whose_result_changes_goes_on_for_as_long_as_it_does() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let arguments: Value = json!({});
    let (world, player) = home.play_with(
        same(9, |round| {
            one_call(&format!("c{round}"), "hand", &arguments)
        }),
        vec![hand],
        1_000_000,
    );
    let run_id = world.start("Wait for it").await.run_id;
    for round in 0..9 {
        bodies.next().await.end(&format!("{round} of 9"));
    }
    world.idle().await;
    assert_eq!(world.run(run_id).await.status, RunStatus::Completed);
    assert_eq!(asked(&player), 10);
    world.close().await;
}

/// What was counted is in the rows: a process that ends in between counts on.
#[tokio::test]
async fn a_restart_forgets_nothing() {
    let home = Home::new();
    let replies = || {
        same(40, |round| {
            let arguments = json!({"bytes": 3, "ask": true});
            one_call(&format!("c{round}"), "prints", &arguments)
        })
    };
    let (world, _) = home.play(replies());
    let run_id = world.start("Go").await.run_id;
    for _ in 0..2 {
        world.idle().await;
        world.allow().await;
    }
    world.idle().await;
    world.close().await;
    let (world, player) = home.play(replies());
    for _ in 0..2 {
        assert_eq!(world.run(run_id).await.status, RunStatus::Waiting);
        world.allow().await;
        world.idle().await;
    }
    let run = world.run(run_id).await;
    assert_eq!(run.status, RunStatus::Failed);
    let error = run.error.expect("a failed run says why");
    assert!(error.message.contains("4 times"), "{}", error.message);
    assert_eq!(asked(&player), 1);
    world.close().await;
}
