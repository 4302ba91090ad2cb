//! File changes: exactly once, with a way back.

use std::path::PathBuf;

use protocol::{
    CallId, CallStatus, Command, Decision, ErrorCode, PreviewPart, Reply, RunStatus, ToolCallView,
};
use serde_json::{Value, json};

use crate::calls::{call, many_calls, outcome};
use crate::fixture::{Home, Started, World};
use crate::scripted::Said;

fn write(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

fn reply(files: &[(&str, &str)]) -> Vec<Said> {
    many_calls(
        files
            .iter()
            .map(|(path, content)| call("", "write_file", &write(path, content))),
    )
}

async fn allow_all(world: &World) {
    loop {
        world.idle().await;
        let calls = world.open_calls().await;
        if calls.is_empty() {
            return;
        }
        for call in calls {
            world.decide(&call, Decision::AllowOnce {}).await;
        }
    }
}

async fn folder(world: &World, started: Started) -> PathBuf {
    PathBuf::from(world.snapshot(started.session_id).await.workspace)
}

async fn undo(world: &World, call_id: CallId) -> Result<ToolCallView, ErrorCode> {
    match world.execute(Command::UndoCall { call_id }).await {
        Ok(Reply::Call(call)) => Ok(*call),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.code),
    }
}

// EFF-9
#[tokio::test]
async fn a_change_shows_its_diff_and_can_be_taken_back_also_after_a_restart() {
    let home = Home::new();
    let replies = || vec![reply(&[("a.txt", "one\n")]), reply(&[("a.txt", "two\n")])];
    let (world, _) = home.play(replies());
    let started = world.start("Go").await;
    world.idle().await;
    let first = world.allow().await;
    world.idle().await;
    let second = world.open_call().await;
    let diff = second
        .preview
        .as_ref()
        .unwrap()
        .parts
        .iter()
        .find_map(|part| match part {
            PreviewPart::Diff { text, is_new, .. } => Some((text.clone(), *is_new)),
            _ => None,
        });
    let (diff, is_new) = diff.unwrap();
    assert!(
        diff.contains("-one") && diff.contains("+two") && !is_new,
        "{diff}"
    );
    world.decide(&second, Decision::AllowOnce {}).await;
    world.idle().await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    let file = folder(&world, started).await.join("a.txt");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "two\n");

    let dead = home.remains();
    world.close().await;
    home.put_back(&dead);
    let (world, _) = home.play(replies());
    // The first change is no longer what the file holds.
    assert_eq!(
        undo(&world, first.call_id).await,
        Err(ErrorCode::NotActionable)
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "two\n");
    let undone = undo(&world, second.call_id).await.unwrap();
    assert_eq!(undone.files[0].undone_at_ms, Some(1_000_000));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n");
    // Undoing what is undone succeeds and changes nothing.
    assert_eq!(undo(&world, second.call_id).await, Ok(undone));
    undo(&world, first.call_id).await.unwrap();
    assert!(!file.exists(), "it did not exist before");
    world.close().await;
}

// EFF-9
#[tokio::test]
async fn a_file_that_somebody_changed_since_is_left_as_it_is() {
    let home = Home::new();
    let (world, _) = home.play(vec![reply(&[("a.txt", "one\n")])]);
    let started = world.start("Go").await;
    allow_all(&world).await;
    let file = folder(&world, started).await.join("a.txt");
    std::fs::write(&file, "mine\n").unwrap();
    let call = world.calls(started.session_id).await.remove(0);
    let before = world.events(started.session_id).await;
    let error = world
        .execute(Command::UndoCall {
            call_id: call.call_id,
        })
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotActionable);
    assert!(
        error.message.contains("a.txt was changed since"),
        "{}",
        error.message
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine\n");
    assert_eq!(world.events(started.session_id).await, before);
    // Put back by hand to what the call wrote, it can be undone.
    std::fs::write(&file, "one\n").unwrap();
    undo(&world, call.call_id).await.unwrap();
    assert!(!file.exists());
    world.close().await;
}

// EFF-9
#[tokio::test]
async fn all_changes_of_a_run_are_taken_back_the_newest_first() {
    let home = Home::new();
    let replies = vec![
        reply(&[("a.txt", "one\n"), ("deep/b.txt", "b\n")]),
        reply(&[("a.txt", "two\n")]),
        reply(&[("a.txt", "three\n")]),
    ];
    let (world, _) = home.play(replies);
    let started = world.start("Go").await;
    allow_all(&world).await;
    assert_eq!(world.run(started.run_id).await.status, RunStatus::Completed);
    let folder = folder(&world, started).await;
    assert_eq!(
        std::fs::read_to_string(folder.join("a.txt")).unwrap(),
        "three\n"
    );
    let run_id = started.run_id;
    let Reply::Undone { mut paths } = world.execute(Command::UndoRun { run_id }).await.unwrap()
    else {
        panic!("another reply");
    };
    paths.sort();
    assert_eq!(paths, ["a.txt", "deep/b.txt"]);
    assert!(!folder.join("a.txt").exists() && !folder.join("deep/b.txt").exists());
    for call in world.calls(started.session_id).await {
        assert!(call.files.iter().all(|file| file.undone_at_ms.is_some()));
    }
    let again = world.execute(Command::UndoRun { run_id }).await.unwrap();
    assert_eq!(again, Reply::Undone { paths: Vec::new() });
    world.close().await;
}

// EFF-5, EFF-3
#[tokio::test]
async fn a_process_that_ends_on_either_side_of_a_write_leaves_it_done_once() {
    let home = Home::new();
    let replies = || vec![reply(&[("a.txt", "new\n")])];
    let (world, _) = home.play(replies());
    let started = world.start("Go").await;
    world.idle().await;
    let file = folder(&world, started).await.join("a.txt");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "old\n").unwrap();
    allow_all(&world).await;
    let whole = home.remains();
    world.close().await;
    for commit in whole.commits() {
        for found in ["old\n", "new\n", "somebody's\n"] {
            home.put_back(&whole.cut(commit));
            let (world, _) = home.play(replies());
            let Some(call) = interrupted_inside(&world, started).await else {
                world.close().await;
                continue;
            };
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, found).unwrap();
            world.resume(started.run_id).await;
            world.idle().await;
            let call = world.get(call.call_id).await;
            assert_eq!(call.bodies, 2);
            if found == "somebody's\n" {
                assert_eq!(call.status, CallStatus::Failed, "it is not overwritten");
                assert_eq!(std::fs::read_to_string(&file).unwrap(), found);
            } else {
                assert_eq!(call.status, CallStatus::Completed);
                assert!(
                    outcome(&call).0.starts_with("Replaced a.txt"),
                    "the same either way"
                );
                assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
                undo(&world, call.call_id).await.unwrap();
                assert_eq!(
                    std::fs::read_to_string(&file).unwrap(),
                    "old\n",
                    "the first body's notes"
                );
            }
            world.close().await;
        }
    }
}

/// The only call, if its body had begun and its end is not known.
async fn interrupted_inside(world: &World, started: Started) -> Option<ToolCallView> {
    let command = Command::GetSession {
        session_id: started.session_id,
        limit: None,
    };
    let Ok(Reply::Snapshot(snapshot)) = world.execute(command).await else {
        return None;
    };
    let is_it = |call: &ToolCallView| call.status == CallStatus::Ready && call.bodies == 1;
    snapshot.calls.into_iter().find(is_it)
}

// EFF-9
#[tokio::test]
async fn what_never_changed_a_file_has_nothing_to_undo() {
    let home = Home::new();
    let (world, _) = home.play(vec![reply(&[("a.txt", "one\n")])]);
    let started = world.start("Go").await;
    world.idle().await;
    let call = world.open_call().await;
    let undone = undo(&world, call.call_id).await.unwrap();
    assert_eq!(undone, call);
    let unknown = CallId::from_uuid(started.run_id.uuid());
    assert_eq!(undo(&world, unknown).await, Err(ErrorCode::NotFound));
    world.close().await;
}
