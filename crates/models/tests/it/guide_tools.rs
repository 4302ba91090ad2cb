//! The guide uses real tools: through a real engine, in a real folder, with a person who decides.

use std::path::Path;
use std::time::Duration;

use engine::Engine;
use protocol::{
    CallStatus, Command, Decision, Reply, RunStatus, SessionId, SessionSnapshot, ToolCallView,
};

use crate::guide::open;

async fn snapshot(engine: &Engine, session_id: SessionId) -> SessionSnapshot {
    let get = Command::GetSession {
        session_id,
        limit: None,
    };
    match engine.execute(get).await.unwrap() {
        Reply::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}

async fn ask(engine: &Engine, text: &str) -> SessionId {
    let command = Command::StartRun {
        session_id: None,
        text: text.to_owned(),
        request_key: None,
    };
    match engine.execute(command).await.unwrap() {
        Reply::RunStarted { session_id, .. } => session_id,
        other => panic!("{other:?}"),
    }
}

/// The call that waits for the person.
async fn waiting_call(engine: &Engine, session_id: SessionId) -> ToolCallView {
    testkit::eventually("a call to wait for the person", async || {
        let calls = snapshot(engine, session_id).await.calls;
        calls
            .into_iter()
            .find(|call| call.status == CallStatus::Waiting)
    })
    .await
    .unwrap()
}

async fn decide(engine: &Engine, call: &ToolCallView, decision: Decision) {
    let command = Command::DecideCall {
        call_id: call.call_id,
        digest: call.approval.as_ref().unwrap().digest.clone(),
        decision,
        from: None,
    };
    engine.execute(command).await.unwrap();
}

/// The tools that were called and how, and the guide's last words.
async fn ended(engine: &Engine, session_id: SessionId) -> (Vec<(String, CallStatus)>, String) {
    let snapshot = testkit::eventually("the run to end", async || {
        let snapshot = snapshot(engine, session_id).await;
        let status = snapshot.session.run.as_ref().map(|run| run.status);
        (status == Some(RunStatus::Completed)).then_some(snapshot)
    })
    .await
    .unwrap();
    let calls = snapshot
        .calls
        .iter()
        .map(|call| (call.tool.clone(), call.status));
    (calls.collect(), snapshot.messages.last().unwrap().text())
}

fn called(calls: &[(&str, CallStatus)]) -> Vec<(String, CallStatus)> {
    let owned = calls
        .iter()
        .map(|(tool, status)| ((*tool).to_owned(), *status));
    owned.collect()
}

fn note(folder: &Path, session: &SessionSnapshot) -> std::path::PathBuf {
    folder
        .join("workspaces")
        .join(&session.workspace)
        .join("guide-note.md")
}

#[tokio::test]
async fn the_tour_reads_asks_writes_and_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), Duration::ZERO);
    let session_id = ask(&engine, "Give me the tour").await;
    let call = waiting_call(&engine, session_id).await;
    let file = note(dir.path(), &snapshot(&engine, session_id).await);
    assert!(
        !file.exists(),
        "nothing happens before the person allows it"
    );
    decide(&engine, &call, Decision::AllowOnce {}).await;
    let (calls, text) = ended(&engine, session_id).await;
    let done = CallStatus::Completed;
    let expected = called(&[
        ("list_files", done),
        ("write_file", done),
        ("read_file", done),
    ]);
    assert_eq!(calls, expected);
    assert!(text.contains("# A note from the guide"), "{text}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.starts_with("# A note from the guide\n"));
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_denied_note_is_not_written_and_the_guide_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path(), Duration::ZERO);
    let session_id = ask(&engine, "Show me an approval").await;
    let call = waiting_call(&engine, session_id).await;
    let reason = Some("not today".to_owned());
    decide(&engine, &call, Decision::Deny { reason }).await;
    let (calls, text) = ended(&engine, session_id).await;
    assert_eq!(calls, called(&[("write_file", CallStatus::Denied)]));
    assert!(
        text.contains("was not carried out") && text.contains("not today"),
        "{text}"
    );
    assert!(!note(dir.path(), &snapshot(&engine, session_id).await).exists());
    engine.close().await.unwrap();
}
