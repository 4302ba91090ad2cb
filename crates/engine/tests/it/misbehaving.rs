//! Tools that hang, break, fail or leave too much.

use std::time::Duration;

use engine::Held;
use protocol::{CallStatus, Command, ErrorClass, RunStatus, ToolCallView};
use serde_json::json;

use crate::calls::{call, many_calls, one_call, outcome, results};
use crate::fixture::{Home, World};
use crate::hand::Hand;

async fn one_result(world: &World, arguments: &serde_json::Value, tool: &str) -> ToolCallView {
    let started = world.start("Go").await;
    let model = world.script.call().await;
    model.ask("a", tool, arguments);
    model.finish();
    let model = world.script.call().await;
    let told = results(&model.request);
    assert_eq!(told.len(), 1);
    model.answer("I see.");
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    let call = world.calls(started.session_id).await.remove(0);
    assert_eq!(told[0].1, call.result.as_ref().unwrap().is_error);
    assert_eq!(told[0].2, outcome(&call).0);
    call
}

// RUN-16
#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_a_timeout_and_the_session_stays_usable() {
    let home = Home::new();
    let replies = vec![one_call("a", "hangs", &json!({"class": "read"}))];
    let (world, player) = home.play(replies);
    // No deadlines of the test's own: time stands still until nobody has anything to do.
    for text in ["Go", "Again"] {
        let command = Command::StartRun {
            session_id: None,
            text: text.to_owned(),
            request_key: None,
        };
        world.engine.execute(command).await.unwrap();
        world.engine.idle().await;
    }
    let asked = player.asked();
    assert_eq!(asked.len(), 4);
    let expected = (
        "hangs".to_owned(),
        true,
        "It took longer than 1 seconds.".to_owned(),
    );
    for request in [&asked[1], &asked[3]] {
        assert_eq!(results(request), std::slice::from_ref(&expected));
    }
    assert_eq!(world.engine.held(), Held::default());
    world.engine.close().await.unwrap();
}

// RUN-16
#[tokio::test(start_paused = true)]
async fn a_tool_that_never_settles_on_what_it_would_do_is_a_timeout_too() {
    let home = Home::new();
    let replies = vec![many_calls([
        call("a", "hangs", &json!({"at": "plan"})),
        call("b", "hangs", &json!({"at": "prepare"})),
    ])];
    let (world, player) = home.play(replies);
    let command = Command::StartRun {
        session_id: None,
        text: "Go".to_owned(),
        request_key: None,
    };
    world.engine.execute(command).await.unwrap();
    world.engine.idle().await;
    let text = "The tool took longer than 30 seconds to look at this.";
    let expected = ("hangs".to_owned(), true, text.to_owned());
    assert_eq!(results(&player.asked()[1]), [expected.clone(), expected]);
    world.engine.close().await.unwrap();
}

// RUN-16, EFF-4: a deadline that a tool keeps, late, by ending what it had begun.
#[tokio::test]
async fn a_body_that_ends_what_it_had_begun_when_its_time_is_over_has_failed() {
    let home = Home::new();
    let (hand, _bodies) = Hand::with_deadline(Duration::from_millis(20));
    let world = home.open_tools(vec![hand]);
    let call = one_result(&world, &json!({}), "hand").await;
    assert_eq!(call.status, CallStatus::Failed);
    assert_eq!(outcome(&call).1, Some(ErrorClass::Timeout));
    world.close().await;
}

// RUN-17
#[tokio::test]
async fn a_panic_anywhere_in_a_tool_fails_its_call_and_nothing_else() {
    let home = Home::new();
    let (hand, _bodies) = Hand::tool();
    let world = home.open_tools(vec![hand]);
    for tool in ["panics", "hand"] {
        // One breaks in its work, the other before it even begins.
        for at in ["plan", "prepare", "run"] {
            let arguments = json!({"class": "read", "at": at, "panic": at});
            let call = one_result(&world, &arguments, tool).await;
            assert_eq!(call.status, CallStatus::Failed, "{tool} {at}");
            let expected = ("The tool failed unexpectedly.", Some(ErrorClass::Internal));
            assert_eq!(outcome(&call), expected, "{tool} {at}");
        }
    }
    assert_eq!(world.engine.held(), Held::default());
    world.close().await;
}

// RUN-17: what a call notes, or stages, that cannot be kept fails it.
#[tokio::test]
async fn a_call_that_leaves_more_than_can_be_kept_has_failed() {
    let home = Home::new();
    let (hand, mut bodies) = Hand::tool();
    let world = home.open_tools(vec![hand]);
    let much = 64 * 1024 * 1024;
    let call = one_result(&world, &json!({"note_bytes": much}), "hand").await;
    assert_eq!(call.status, CallStatus::Failed);
    assert_eq!(outcome(&call).1, Some(ErrorClass::Limit));
    assert!(bodies.is_empty(), "it never ran");

    let arguments = json!({"class": "read"});
    let (call, ()) = tokio::join!(one_result(&world, &arguments, "hand"), async {
        let body = bodies.next().await;
        let value = serde_json::Value::from("x".repeat(2 * 1024 * 1024));
        let key = "much".to_owned();
        body.end_with(Ok(engine::Output {
            text: "Done.".to_owned(),
            state: vec![engine::StateChange::Set { key, value }],
        }));
    });
    assert_eq!(call.status, CallStatus::Failed);
    assert_eq!(outcome(&call).1, Some(ErrorClass::Limit));
    assert_eq!(world.engine.held(), Held::default());
    world.close().await;
}

// RUN-17: a failure is no end of the run.
#[tokio::test]
async fn a_failed_call_is_told_and_the_run_goes_on() {
    let home = Home::new();
    let replies = vec![many_calls([
        call("a", "fails", &json!({"message": "No such harbour."})),
        call(
            "b",
            "fails",
            &json!({"at": "prepare", "error_class": "permission"}),
        ),
        call("c", "nothing_like_it", &json!({})),
    ])];
    let (world, player) = home.play(replies);
    let started = world.start("Go").await;
    world.idle().await;
    let told = results(&player.asked()[1]);
    assert_eq!(told[0].2, "No such harbour.");
    assert!(told[2].2.starts_with("There is no tool nothing_like_it."));
    let calls = world.calls(started.session_id).await;
    let classes: Vec<_> = calls.iter().map(|call| outcome(call).1.unwrap()).collect();
    assert_eq!(
        classes,
        [ErrorClass::Tool, ErrorClass::Permission, ErrorClass::Tool]
    );
    assert_eq!(calls[2].status, CallStatus::Failed);
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}
