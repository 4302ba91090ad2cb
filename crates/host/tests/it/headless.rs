//! Lines in, lines out.

use host::headless::AtEnd;
use serde_json::{Value, json};

use crate::fixture::{AT_ONCE, Home};
use crate::talk::Talk;

fn talk(home: &Home) -> Talk {
    Talk::start(home.host(AT_ONCE), AtEnd::Wait)
}

async fn run_to_end(talk: &mut Talk) -> Value {
    let answer = talk
        .ask(json!({"type": "start_run", "text": "Hello"}))
        .await;
    let session_id = answer["ok"]["session_id"].clone();
    let run_id = &answer["ok"]["run_id"];
    loop {
        let run = talk.ask(json!({"type": "get_run", "run_id": run_id})).await;
        if run["ok"]["status"] == "completed" {
            return session_id;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn every_line_is_answered_in_order_and_a_bad_one_ends_nothing() {
    let home = Home::new();
    let mut talk = talk(&home);
    talk.send(b"{\"id\": \"a\", \"command\": {\"type\": \"get_app\"}}\n");
    talk.send(b"this is not json\n\n");
    talk.send(b"{\"id\": 7, \"command\": {\"type\": \"dance\"}}\n");
    talk.send(b"\xff\xfe\n");
    talk.send(b"{\"id\": \"b\", \"command\": {\"type\": \"list_sessions\"}}\n");
    let mut answers = Vec::new();
    for _ in 0..5 {
        let line = talk.line().await.unwrap();
        let said = match &line["error"]["code"] {
            Value::Null => line["ok"]["type"].clone(),
            code => code.clone(),
        };
        answers.push((line["id"].clone(), said));
    }
    assert_eq!(
        answers,
        [
            (json!("a"), json!("app")),
            (json!(null), json!("invalid_command")),
            (json!(7), json!("invalid_command")),
            (json!(null), json!("invalid_command")),
            (json!("b"), json!("sessions")),
        ]
    );
    talk.end_input();
    assert!(talk.ended().await.is_empty());
}

// STR-3
#[tokio::test]
async fn the_reply_to_a_subscription_comes_before_everything_that_follows_from_it() {
    let home = Home::new();
    let mut talk = talk(&home);
    let session_id = run_to_end(&mut talk).await;
    for after_seq in [0, 2, 0] {
        let subscribe =
            json!({"type": "subscribe", "session_id": session_id, "after_seq": after_seq});
        let answer = talk.ask(subscribe).await;
        assert_eq!(answer["ok"]["type"], "subscribed");
        assert_eq!(answer["ok"]["head_seq"], 6);
        assert!(talk.pushes.is_empty(), "nothing before the reply");
        for seq in after_seq + 1..=6 {
            assert_eq!(talk.push().await["event"]["seq"], seq);
        }
    }
    talk.end_input();
    assert!(talk.ended().await.is_empty());
}

// STR-3
#[tokio::test]
async fn a_bad_cursor_is_refused_and_the_subscription_before_it_goes_on() {
    let home = Home::new();
    let mut talk = talk(&home);
    let session_id = run_to_end(&mut talk).await;
    let subscribe = |after_seq| {
        let session_id = session_id.clone();
        json!({"type": "subscribe", "session_id": session_id, "after_seq": after_seq})
    };
    talk.ask(subscribe(6)).await;
    let answer = talk.ask(subscribe(7)).await;
    assert_eq!(answer["error"]["code"], "invalid_cursor");
    let answer = talk.ask(subscribe(-1)).await;
    assert_eq!(answer["error"]["code"], "invalid_command");
    talk.ask(json!({"type": "rename_session", "session_id": session_id, "title": "Ebb"}))
        .await;
    assert_eq!(talk.event("session_renamed").await["title"], "Ebb");
    talk.end_input();
    talk.ended().await;
}

#[tokio::test]
async fn after_an_unsubscribe_nothing_more_comes() {
    let home = Home::new();
    let mut talk = talk(&home);
    let session_id = run_to_end(&mut talk).await;
    let about = |kind: &str| json!({"type": kind, "session_id": session_id});
    let answer = talk.ask(about("unsubscribe")).await;
    assert_eq!(answer["error"]["code"], "not_found");
    let subscribe = json!({"type": "subscribe", "session_id": session_id, "after_seq": 6});
    talk.ask(subscribe).await;
    let answer = talk.ask(about("unsubscribe")).await;
    assert_eq!(answer["ok"]["type"], "unsubscribed");
    talk.ask(json!({"type": "rename_session", "session_id": session_id, "title": "Ebb"}))
        .await;
    talk.ask(json!({"type": "get_app"})).await;
    talk.end_input();
    assert!(talk.ended().await.is_empty());
}

// STR-4, STR-6
#[tokio::test]
async fn a_run_is_followed_from_its_first_word_to_its_last() {
    let home = Home::new();
    let pace = std::time::Duration::from_millis(1);
    let mut talk = Talk::start(home.host(pace), AtEnd::Wait);
    let answer = talk.ask(json!({"type": "create_session"})).await;
    let session_id = answer["ok"]["session_id"].clone();
    talk.ask(json!({"type": "subscribe", "session_id": session_id, "after_seq": 0}))
        .await;
    talk.ask(json!({"type": "start_run", "session_id": session_id, "text": "Hello"}))
        .await;
    let mut text = String::new();
    let message = loop {
        let push = talk.push().await;
        if let Value::Object(delta) = &push["delta"] {
            assert_eq!(delta["offset"], text.len());
            text.push_str(delta["text"].as_str().unwrap());
        }
        if push["event"]["type"] == "step_completed" {
            break push["event"]["message"].clone();
        }
    };
    let whole = message["blocks"][0]["text"].as_str().unwrap();
    assert!(!text.is_empty() && whole.starts_with(&text));
    talk.event("run_completed").await;
    talk.end_input();
    talk.ended().await;
}

#[tokio::test]
async fn the_list_is_followed_too() {
    let home = Home::new();
    let mut talk = talk(&home);
    let answer = talk.ask(json!({"type": "watch_sessions"})).await;
    assert_eq!(answer["ok"]["type"], "watching");
    let answer = talk
        .ask(json!({"type": "create_session", "title": "Tides"}))
        .await;
    let push = talk.push().await;
    assert_eq!(push["session"]["session_id"], answer["ok"]["session_id"]);
    assert_eq!(push["session"]["title"], "Tides");
    talk.end_input();
    talk.ended().await;
}
