//! Sessions that are deleted, taken back, put away.

use protocol::{
    CallStatus, Command, Decision, ErrorClass, ErrorCode, Push, Reply, RunReason, RunStatus,
    SessionId,
};
use serde_json::json;

use crate::acting::{failed_for, send_command};
use crate::fixture::{Home, World, soon};

const UNDO_MS: u64 = 60_000;

impl World {
    async fn delete(&self, session_id: SessionId) -> u64 {
        match self.done(Command::DeleteSession { session_id }).await {
            Reply::Deleted {
                restorable_until_ms,
                ..
            } => restorable_until_ms,
            other => panic!("{other:?}"),
        }
    }

    /// A session that has written a file.
    async fn wrote(&self, name: &str) -> SessionId {
        let one = self.start(name).await;
        let arguments = json!({"path": "tides.md", "content": "Low."});
        self.script.call().await.ask_for("write_file", &arguments);
        self.until_run(one.session_id, RunStatus::Waiting).await;
        let call = self.only_call(one.session_id).await;
        self.decide(&call, Decision::AllowAlways { pattern: None })
            .await;
        self.script.call().await.answer("Written.");
        self.until_run(one.session_id, RunStatus::Completed).await;
        one.session_id
    }
}

/// Waits until nothing of a session is stored.
async fn until_purged(home: &Home, world: &World, session_id: SessionId) {
    let id = session_id.uuid().simple().to_string();
    let sql = format!("SELECT 1 FROM sessions WHERE id = x'{id}'");
    let database = home.path().join("holdfast.db");
    while !testkit::raw::look(&database, &sql).unwrap().is_empty() {
        world.settle().await;
    }
}

fn workspace(home: &Home, session_id: SessionId) -> std::path::PathBuf {
    let name = session_id.uuid().simple().to_string();
    home.path().join("workspaces").join(name)
}

/// Rows of any table that name a session, or what belongs to it.
fn traces(home: &Home, needles: &[String]) -> Vec<String> {
    let tables = testkit::raw::look_at_all(&home.path().join("holdfast.db")).unwrap();
    let mut found = Vec::new();
    // The audit keeps ids and hashes of what is gone, and nothing of what it said.
    for (table, rows) in tables.into_iter().filter(|(table, _)| table != "audit") {
        for row in rows {
            if row
                .iter()
                .any(|v| needles.iter().any(|n| v.contains(n.as_str())))
            {
                found.push(format!("{table}: {row:?}"));
            }
        }
    }
    found
}

// STO-14
#[tokio::test]
async fn after_its_undo_time_nothing_of_it_is_left() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.wrote("Secret tides").await;
    let kept = world.start("Kept").await;
    world.script.call().await.answer("Kept.");
    world.until_run(kept.session_id, RunStatus::Completed).await;
    assert!(workspace(&home, session_id).join("tides.md").exists());
    let snapshot = world.snapshot(session_id).await;
    let mut needles = vec![session_id.uuid().simple().to_string(), "Secret".to_owned()];
    needles.extend(
        snapshot
            .messages
            .iter()
            .map(|m| m.message_id.uuid().simple().to_string()),
    );
    needles.extend(
        snapshot
            .calls
            .iter()
            .map(|c| c.call_id.uuid().simple().to_string()),
    );
    let run = snapshot.session.run.unwrap().run_id;
    needles.push(run.uuid().simple().to_string());
    assert_eq!(world.delete(session_id).await, 1_000_000 + UNDO_MS);
    let gone = Command::GetSession {
        session_id,
        limit: None,
    };
    assert_eq!(world.code(gone).await, ErrorCode::NotFound);
    assert_eq!(world.sessions().await.len(), 1);
    world.clock.advance(UNDO_MS - 1);
    world.settle().await;
    assert!(workspace(&home, session_id).exists(), "a millisecond early");
    world.clock.advance(1);
    let is_gone = || !workspace(&home, session_id).exists();
    while !is_gone() {
        world.settle().await;
    }
    let restore = Command::RestoreSession { session_id };
    assert_eq!(world.code(restore).await, ErrorCode::NotFound);
    world.close().await;
    assert_eq!(traces(&home, &needles), [""; 0]);
    let world = home.open();
    assert_eq!(world.sessions().await.len(), 1);
    assert_eq!(world.recovered.violations, 0);
    world.close().await;
}

// STO-14
#[tokio::test]
async fn it_can_be_taken_back_within_its_time_with_everything() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.wrote("Tides").await;
    let before = world.snapshot(session_id).await;
    world.delete(session_id).await;
    world.clock.advance(UNDO_MS - 1);
    // Also after a restart; deleting it twice is deleting it once.
    world.close().await;
    let world = home.open();
    let until = world.delete(session_id).await;
    assert_eq!(until, 1_000_000 + UNDO_MS, "as it was said first");
    world.done(Command::RestoreSession { session_id }).await;
    let after = world.snapshot(session_id).await;
    assert_eq!(after.messages, before.messages);
    assert_eq!(after.calls, before.calls);
    world.clock.advance(10 * UNDO_MS);
    world.settle().await;
    assert_eq!(world.sessions().await.len(), 1);
    assert!(workspace(&home, session_id).join("tides.md").exists());
    world.close().await;
}

// STO-14
#[tokio::test]
async fn a_session_taken_back_at_the_last_moment_keeps_its_folder() {
    let home = Home::new();
    let world = home.open();
    for round in 0..20 {
        let session_id = world.wrote_quietly(round).await;
        world.delete(session_id).await;
        world.clock.advance(UNDO_MS);
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let restored = world.execute(Command::RestoreSession { session_id }).await;
        world.settle().await;
        let has_folder = workspace(&home, session_id).join("tides.md").exists();
        let row = world
            .execute(Command::GetSession {
                session_id,
                limit: None,
            })
            .await;
        assert_eq!(row.is_ok(), restored.is_ok(), "round {round}");
        if restored.is_ok() {
            assert!(has_folder, "round {round}: its files are gone");
        }
    }
    world.close().await;
}

impl World {
    /// The same as `wrote`, when everything is allowed already.
    async fn wrote_quietly(&self, round: u32) -> SessionId {
        if round == 0 {
            return self.wrote("First").await;
        }
        let one = self.start("Again").await;
        let arguments = json!({"path": "tides.md", "content": "Low."});
        self.script.call().await.ask_for("write_file", &arguments);
        self.script.call().await.answer("Written.");
        self.until_run(one.session_id, RunStatus::Completed).await;
        one.session_id
    }
}

// STO-14
#[tokio::test]
async fn deleting_ends_whatever_is_going() {
    let home = Home::new();
    let world = home.open();
    let streaming = world.start("Stream").await;
    let call = world.script.call().await;
    let working = world.working("read").await;
    let waiting = world.waiting().await;
    let doubtful = world.doubtful().await;
    let retrying = world.start("Retry").await;
    let failing = world.script.call().await;
    failing.say(failed_for(ErrorClass::Overloaded, 30_000));
    world
        .until(retrying.session_id, |s| {
            s.session
                .run
                .as_ref()
                .is_some_and(|run| run.retry.is_some())
        })
        .await;
    for one in [streaming, working, waiting, doubtful, retrying] {
        world.delete(one.session_id).await;
    }
    call.dropped().await;
    world.idle().await;
    assert_eq!(world.needing().await, []);
    match world
        .done(Command::ListApprovals { session_id: None })
        .await
    {
        Reply::Calls { calls } => assert_eq!(calls, []),
        other => panic!("{other:?}"),
    }
    for one in [streaming, working, waiting, doubtful, retrying] {
        let code = world.code(send_command(Some(one.session_id), "Still there?"));
        assert_eq!(code.await, ErrorCode::NotFound);
        let resume = Command::ResumeRun { run_id: one.run_id };
        assert_eq!(world.code(resume).await, ErrorCode::NotFound);
    }
    world.clock.advance(30_000);
    world.settle().await;
    assert!(
        !world.script.has_call().await,
        "no try of a deleted session"
    );
    let session_id = working.session_id;
    world.done(Command::RestoreSession { session_id }).await;
    let run = world.run(working.run_id).await;
    assert_eq!(run.status, RunStatus::Cancelled);
    assert_eq!(run.reason, Some(RunReason::Discarded));
    let call = world.only_call(session_id).await;
    assert_eq!(call.status, CallStatus::Cancelled);
    world.clock.advance(UNDO_MS);
    until_purged(&home, &world, streaming.session_id).await;
    world.close().await;
}

// STO-14
#[tokio::test]
async fn a_fork_keeps_the_workspace_that_it_shares() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.wrote("Shared").await;
    let last = world.snapshot(session_id).await.messages.pop().unwrap();
    let command = Command::ForkSession {
        session_id,
        message_id: last.message_id,
    };
    let Reply::Session(fork) = world.done(command).await else {
        panic!("no session");
    };
    world.delete(session_id).await;
    world.clock.advance(UNDO_MS);
    until_purged(&home, &world, session_id).await;
    let file = workspace(&home, session_id).join("tides.md");
    assert!(file.exists(), "the fork has it");
    let shown = world.snapshot(fork.session_id).await;
    assert_eq!(shown.session.forked_from, None, "what is gone is not named");
    world.close().await;
}

// STO-14
#[tokio::test]
async fn cleaning_up_what_is_gone_already_succeeds() {
    let home = Home::new();
    let world = home.open();
    let session_id = world.wrote("Gone").await;
    world.delete(session_id).await;
    std::fs::remove_dir_all(workspace(&home, session_id)).unwrap();
    world.clock.advance(UNDO_MS);
    until_purged(&home, &world, session_id).await;
    let unknown = Command::DeleteSession {
        session_id: SessionId::from_uuid(uuid::Uuid::from_u128(7)),
    };
    assert_eq!(world.code(unknown).await, ErrorCode::NotFound);
    world.close().await;
}

// ATT-2
#[tokio::test]
async fn what_is_put_away_is_not_in_the_list_and_needs_nobody() {
    let home = Home::new();
    let world = home.open();
    let one = world.waiting().await;
    let session_id = one.session_id;
    let archive = |is_archived| Command::ArchiveSession {
        session_id,
        is_archived,
    };
    assert_eq!(world.needing().await, [session_id]);
    world.done(archive(true)).await;
    assert_eq!(world.needing().await, []);
    assert_eq!(world.attention(session_id).await, None);
    assert_eq!(world.sessions().await, []);
    let archived = Command::ListSessions {
        limit: None,
        after: None,
        archived: true,
    };
    match world.done(archived).await {
        Reply::Sessions { sessions, .. } => {
            assert_eq!(sessions.len(), 1);
            assert!(sessions[0].is_archived);
            assert_eq!(sessions[0].attention, None);
        }
        other => panic!("{other:?}"),
    }
    let before = world.events(session_id).await;
    world.done(archive(true)).await;
    assert_eq!(world.events(session_id).await, before);
    // It still works, and is the same when it is taken back.
    let mut watch = world.engine.watch_sessions().unwrap();
    world.done(archive(false)).await;
    let pushed = soon(watch.next()).await.unwrap();
    assert!(matches!(&pushed[..], [Push::Session(s)] if s.session_id == session_id));
    assert_eq!(world.needing().await, [session_id]);
    let call = world.only_call(session_id).await;
    world.decide(&call, Decision::AllowOnce {}).await;
    world.script.call().await.answer("Done.");
    world.until_run(session_id, RunStatus::Completed).await;
    world.close().await;
}
