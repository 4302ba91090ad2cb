//! Edits of files through the engine: what was shown is what is made, once, and can be taken back.

use std::path::PathBuf;

use protocol::{
    CallStatus, Command, Decision, PreviewPart, RuleScope, RunStatus, ToolCallView, Verdict,
};
use serde_json::{Value, json};

use crate::calls::{call, many_calls, one_call, outcome};
use crate::fixture::{Home, Started, World};
use crate::scripted::Said;

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a.txt", "edits": [{"old": old, "new": new}]})
}

/// A session whose workspace has this file, and in which the model then says the replies.
async fn with_file(
    home: &Home,
    content: &str,
    replies: Vec<Vec<Said>>,
) -> (World, Started, PathBuf) {
    let (world, _) = home.play(replies);
    let session_id = world.create().await;
    let folder = PathBuf::from(world.snapshot(session_id).await.workspace);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.txt");
    std::fs::write(&file, content).unwrap();
    let started = world.send(session_id, "Go").await;
    world.idle().await;
    (world, started, file)
}

fn diff(call: &ToolCallView) -> String {
    let parts = &call.preview.as_ref().unwrap().parts;
    let found = parts.iter().find_map(|part| match part {
        PreviewPart::Diff { text, .. } => Some(text.clone()),
        _ => None,
    });
    found.unwrap()
}

fn text(file: &PathBuf) -> String {
    std::fs::read_to_string(file).unwrap()
}

// APR-6: an approval is for the difference that was shown.
#[tokio::test]
async fn a_file_that_changed_since_it_was_shown_is_asked_about_again() {
    let home = Home::new();
    let replies = vec![one_call("a", "edit_file", &edit("old", "new"))];
    let (world, started, file) = with_file(&home, "old\n", replies).await;
    let first = world.open_call().await;
    std::fs::write(&file, "more\nold\n").unwrap();
    world.decide(&first, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(text(&file), "more\nold\n", "not yet");
    let again = world.open_call().await;
    assert_eq!(again.approval.as_ref().unwrap().round, 2);
    assert!(diff(&again).contains(" more\n-old\n+new\n"));
    world.decide(&again, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(text(&file), "more\nnew\n");
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

#[tokio::test]
async fn an_edit_whose_text_is_gone_by_then_fails_and_says_so() {
    let home = Home::new();
    let replies = vec![one_call("a", "edit_file", &edit("old", "new"))];
    let (world, _, file) = with_file(&home, "old\n", replies).await;
    let call = world.open_call().await;
    std::fs::write(&file, "theirs\n").unwrap();
    world.decide(&call, Decision::AllowOnce {}).await;
    world.idle().await;
    let call = world.get(call.call_id).await;
    assert_eq!(call.status, CallStatus::Failed);
    assert!(outcome(&call).0.contains("is not in a.txt"));
    assert_eq!(text(&file), "theirs\n");
    world.close().await;
}

fn two_edits() -> Vec<Vec<Said>> {
    vec![many_calls([
        call("a", "edit_file", &edit("one", "1")),
        call("b", "edit_file", &edit("two", "2")),
    ])]
}

// Two edits of one file in one reply: the second was shown against what the first one changes.
#[tokio::test]
async fn the_second_of_two_edits_is_shown_again() {
    let home = Home::new();
    let (world, started, file) = with_file(&home, "one\ntwo\n", two_edits()).await;
    let calls = world.open_calls().await;
    assert_eq!(calls.len(), 2);
    for call in &calls {
        world.decide(call, Decision::AllowOnce {}).await;
    }
    world.idle().await;
    assert_eq!(text(&file), "1\ntwo\n");
    let second = world.open_call().await;
    assert_eq!(second.call_id, calls[1].call_id);
    assert!(diff(&second).contains(" 1\n-two\n+2\n"));
    world.decide(&second, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(text(&file), "1\n2\n");
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

#[tokio::test]
async fn edits_that_a_rule_allows_are_made_one_after_the_other() {
    let home = Home::new();
    let rule = Command::AddRule {
        verdict: Verdict::Allow,
        tool: "edit_file".to_owned(),
        pattern: None,
        scope: RuleScope::Global {},
    };
    let (world, _) = home.play(Vec::new());
    world.execute(rule).await.unwrap();
    world.close().await;
    let (world, started, file) = with_file(&home, "one\ntwo\n", two_edits()).await;
    assert_eq!(text(&file), "1\n2\n");
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    world.close().await;
}

// EFF-5, EFF-3: a body that runs again finds its own work, and does not take it for a stale file.
#[tokio::test]
async fn a_process_that_ends_on_either_side_of_an_edit_leaves_it_done_once() {
    let home = Home::new();
    let replies = || vec![one_call("a", "edit_file", &edit("old", "new"))];
    let (world, started, file) = with_file(&home, "old\n", replies()).await;
    let call_id = world.allow().await.call_id;
    world.idle().await;
    assert_eq!(text(&file), "new\n");
    let shown = world.get(call_id).await.preview;
    let whole = home.remains();
    world.close().await;
    let mut seen = 0;
    for commit in whole.commits() {
        for found in ["old\n", "new\n", "somebody's\n"] {
            home.put_back(&whole.cut(commit));
            let (world, _) = home.play(replies());
            let calls = match world
                .execute(Command::GetSession {
                    session_id: started.session_id,
                    limit: None,
                })
                .await
            {
                Ok(protocol::Reply::Snapshot(snapshot)) => snapshot.calls,
                Ok(_) | Err(_) => Vec::new(),
            };
            let is_inside = calls
                .iter()
                .any(|call| call.status == CallStatus::Ready && call.bodies == 1);
            if !is_inside {
                world.close().await;
                continue;
            }
            seen += 1;
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, found).unwrap();
            world.resume(started.run_id).await;
            world.idle().await;
            let call = world.get(call_id).await;
            assert_eq!(call.bodies, 2);
            assert_eq!(call.preview, shown, "what was allowed is what is shown");
            if found == "somebody's\n" {
                assert_eq!(call.status, CallStatus::Failed, "it is not overwritten");
                assert_eq!(text(&file), found);
            } else {
                assert_eq!(call.status, CallStatus::Completed, "{:?}", call.result);
                assert!(outcome(&call).0.starts_with("Edited a.txt (1 place"));
                assert_eq!(text(&file), "new\n");
                world.execute(Command::UndoCall { call_id }).await.unwrap();
                assert_eq!(text(&file), "old\n");
            }
            world.close().await;
        }
    }
    assert!(seen >= 3, "{seen}");
}

// APR-12: a search passes by no rule about what it would read.
#[tokio::test]
async fn a_search_leaves_out_what_rules_keep_from_reading() {
    let home = Home::new();
    let search = json!({"pattern": "tide"});
    let replies = vec![one_call("a", "search_files", &search)];
    let (world, _) = home.play(replies);
    for (verdict, tool, pattern) in [
        (Verdict::Deny, "read_file", "private/**"),
        (Verdict::Ask, "*", "b.txt"),
    ] {
        let rule = Command::AddRule {
            verdict,
            tool: tool.to_owned(),
            pattern: Some(pattern.to_owned()),
            scope: RuleScope::Global {},
        };
        world.execute(rule).await.unwrap();
    }
    let session_id = world.create().await;
    let folder = PathBuf::from(world.snapshot(session_id).await.workspace);
    std::fs::create_dir_all(folder.join("private")).unwrap();
    for name in ["a.txt", "b.txt", "private/c.txt"] {
        std::fs::write(folder.join(name), "the tide\n").unwrap();
    }
    world.send(session_id, "Go").await;
    world.idle().await;
    let call = world.calls(session_id).await.remove(0);
    assert_eq!(
        outcome(&call).0,
        "a.txt:1: the tide\n[1 line in 1 file; 1 file searched; 2 left out because of a rule]"
    );
    world.close().await;
}
