//! How headless ends.

use std::time::Duration;

use host::headless::AtEnd;
use protocol::{RunId, RunReason, RunStatus};
use serde_json::{Value, json};

use crate::fixture::{AT_ONCE, Home, SILENT, close, run};
use crate::talk::Talk;

/// Starts a run and follows it and the list.
async fn followed(talk: &mut Talk) -> RunId {
    let answer = talk
        .ask(json!({"type": "start_run", "text": "Hello"}))
        .await;
    let session_id = &answer["ok"]["session_id"];
    talk.ask(json!({"type": "subscribe", "session_id": session_id, "after_seq": 0}))
        .await;
    talk.ask(json!({"type": "watch_sessions"})).await;
    answer["ok"]["run_id"].as_str().unwrap().parse().unwrap()
}

fn last_of<'a>(lines: &'a [Value], what: &str) -> &'a Value {
    lines.iter().rev().find_map(|line| line.get(what)).unwrap()
}

async fn expect_interrupted(home: &Home, run_id: RunId) {
    let host = home.host(AT_ONCE);
    assert_eq!(
        host.recovered.interrupted, 0,
        "it was written before the end"
    );
    let run = run(&host, run_id).await;
    assert_eq!(run.status, RunStatus::Interrupted);
    assert_eq!(run.reason, Some(RunReason::AppClosed));
    close(&host).await;
}

// RUN-18
#[tokio::test]
async fn the_end_of_the_input_interrupts_and_says_so() {
    let home = Home::new();
    let mut talk = Talk::start(home.host(SILENT), AtEnd::Interrupt);
    let run_id = followed(&mut talk).await;
    talk.end_input();
    let rest = talk.ended().await;
    assert_eq!(last_of(&rest, "event")["type"], "run_interrupted");
    assert_eq!(last_of(&rest, "session")["run"]["status"], "interrupted");
    expect_interrupted(&home, run_id).await;
}

#[tokio::test]
async fn the_end_of_the_input_can_wait_for_what_is_going() {
    let home = Home::new();
    let mut talk = Talk::start(home.host(Duration::from_millis(1)), AtEnd::Wait);
    followed(&mut talk).await;
    talk.end_input();
    let rest = talk.ended().await;
    assert_eq!(last_of(&rest, "event")["type"], "run_completed");
    assert_eq!(last_of(&rest, "session")["run"]["status"], "completed");
}

// RUN-18
#[tokio::test]
async fn who_waits_for_what_is_going_still_ends_when_asked_to() {
    let home = Home::new();
    let mut talk = Talk::start(home.host(SILENT), AtEnd::Wait);
    let run_id = followed(&mut talk).await;
    talk.end_input();
    talk.ask_to_end();
    let rest = talk.ended().await;
    assert_eq!(last_of(&rest, "event")["type"], "run_interrupted");
    expect_interrupted(&home, run_id).await;
}

// RUN-18
#[tokio::test]
async fn being_asked_to_end_is_enough_while_the_input_stays_open() {
    let home = Home::new();
    let mut talk = Talk::start(home.host(SILENT), AtEnd::Wait);
    let run_id = followed(&mut talk).await;
    talk.ask_to_end();
    let rest = talk.ended().await;
    assert_eq!(last_of(&rest, "event")["type"], "run_interrupted");
    expect_interrupted(&home, run_id).await;
}

// RUN-18
#[tokio::test]
async fn a_reader_that_goes_away_ends_it_and_leaves_the_run_resumable() {
    let home = Home::new();
    let host = home.host(SILENT);
    let (_, run_id) = crate::fixture::start(&host, "Hello").await;
    let mut talk = Talk::start_unread(host, AtEnd::Wait);
    talk.leave();
    talk.send(b"{\"id\": 1, \"command\": {\"type\": \"get_app\"}}\n");
    talk.ended().await;
    expect_interrupted(&home, run_id).await;
}
