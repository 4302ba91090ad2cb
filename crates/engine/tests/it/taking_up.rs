//! Taking up what a dead process left, with tool calls in every state.

use protocol::{
    AttentionKind, CallStatus, Command, ErrorClass, ErrorCode, RecoveryPolicy, Resolution,
    RunReason, RunStatus,
};
use serde_json::json;

use crate::acting::{failed, failed_for};
use crate::fixture::{Home, Started, World};

fn database(home: &Home) -> std::path::PathBuf {
    home.path().join("holdfast.db")
}

/// Every row of every table but the one that every start changes.
fn rows(home: &Home) -> Vec<(String, Vec<Vec<String>>)> {
    let mut tables = testkit::raw::look_at_all(&database(home)).unwrap();
    tables.retain(|(table, _)| table != "runtime");
    tables
}

/// One session for every state that a run and its call can be left in.
async fn every_state(world: &World) -> Vec<Started> {
    let mut all = Vec::new();
    for class in ["read", "idempotent", "once"] {
        all.push(world.working(class).await);
    }
    all.push(world.waiting().await);
    all.push(world.doubtful().await);
    let retrying = world.start("Retry").await;
    let call = world.script.call().await;
    call.say(failed_for(ErrorClass::RateLimit, 60_000));
    all.push(retrying);
    let failing = world.start("Fail").await;
    world
        .script
        .call()
        .await
        .say(failed(ErrorClass::Auth, "No."));
    world.until_run(failing.session_id, RunStatus::Failed).await;
    all.push(failing);
    let done = world.start("Done").await;
    world.script.call().await.ask_for("prints", &json!({}));
    world.script.call().await.answer("Done.");
    world.until_run(done.session_id, RunStatus::Completed).await;
    all.push(done);
    world
        .until(retrying.session_id, |s| {
            s.session
                .run
                .as_ref()
                .is_some_and(|run| run.retry.is_some())
        })
        .await;
    let streaming = world.start("Stream").await;
    world.script.call().await.text("Half");
    all.push(streaming);
    all
}

// RUN-12, EFF-3
#[tokio::test]
async fn recovering_twice_equals_once_whatever_was_going() {
    let home = Home::new();
    let world = home.open();
    let all = every_state(&world).await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    let found = world.recovered;
    // The stream may have been cut off in between, and then waits for its next try.
    assert!((3..=4).contains(&found.interrupted), "{found:?}");
    assert_eq!((found.in_doubt, found.expired), (1, 0));
    assert_eq!((found.unreadable, found.violations), (0, 0));
    world.settle().await;
    let statuses = |index: usize| {
        let session_id = all[index].session_id;
        let world = &world;
        async move {
            let snapshot = world.snapshot(session_id).await;
            let call = snapshot.calls.last().map(|call| call.status);
            (snapshot.session.run.unwrap().status, call)
        }
    };
    use {CallStatus as C, RunStatus as R};
    for (index, expected) in [
        (R::Interrupted, Some(C::Ready)),
        (R::Interrupted, Some(C::Ready)),
        (R::Interrupted, Some(C::InDoubt)),
        (R::Waiting, Some(C::Waiting)),
        (R::Waiting, Some(C::InDoubt)),
        (R::Running, None),
        (R::Failed, None),
        (R::Completed, Some(C::Completed)),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(statuses(index).await, expected, "{index}");
    }
    assert!(!world.script.has_call().await, "nothing goes on unasked");
    let dead_again = dead.copy();
    world.close().await;
    let once = rows(&dead);
    for home in [dead_again, dead] {
        let world = home.open();
        let found = world.recovered;
        assert_eq!((found.interrupted, found.in_doubt), (0, 0));
        assert_eq!(found.violations, 0);
        world.settle().await;
        world.close().await;
        assert_eq!(rows(&home), once);
    }
}

// RUN-12, RUN-4, EFF-3
#[tokio::test]
async fn resuming_runs_again_what_may_and_only_that() {
    for (class, bodies) in [("read", 2), ("idempotent", 2)] {
        let home = Home::new();
        let world = home.open();
        let one = world.working(class).await;
        let before = world.only_call(one.session_id).await;
        let dead = home.copy();
        world.close().await;
        home.back_to(&dead);
        let world = home.open();
        let attention = world.attention(one.session_id).await.unwrap();
        assert_eq!(attention.kind, AttentionKind::Interrupted);
        assert_eq!(attention.not_started.len(), 1, "{class}");
        assert_eq!(attention.reason, Some(RunReason::AppEnded));
        world.resume(one.run_id).await;
        world.until_calls(one.session_id, CallStatus::Running).await;
        let call = world.only_call(one.session_id).await;
        assert_eq!(call.call_id, before.call_id, "the same call");
        assert_eq!(call.bodies, bodies, "{class}");
        assert!(
            !world.script.has_call().await,
            "the reply is not asked for again"
        );
        world.close().await;
    }
    let home = Home::new();
    let world = home.open();
    let one = world.working("once").await;
    let dead = home.copy();
    world.close().await;
    home.back_to(&dead);
    let world = home.open();
    let attention = world.attention(one.session_id).await.unwrap();
    assert_eq!(attention.kind, AttentionKind::InDoubt);
    assert_eq!(attention.unknown.len(), 1);
    let call = world.only_call(one.session_id).await;
    assert_eq!(call.status, CallStatus::InDoubt);
    let refused = world
        .refusal(Command::ResumeRun { run_id: one.run_id })
        .await;
    assert!(refused.message.contains(&call.call_id.to_string()));
    let happened = Resolution::Happened {
        result: Some("It did.".to_owned()),
    };
    world.resolve(call.call_id, happened).await;
    assert!(!world.script.has_call().await, "it is settled, not resumed");
    world.resume(one.run_id).await;
    let asked = world.script.call().await;
    assert_eq!(asked.told()[2], "result: It did.");
    assert_eq!(world.only_call(one.session_id).await.bodies, 1);
    world.close().await;
}

// RUN-12
#[tokio::test]
async fn one_session_that_cannot_be_read_keeps_no_other() {
    let home = Home::new();
    let world = home.open();
    let broken = world.working("read").await;
    let whole = world.working("once").await;
    let dead = home.copy();
    world.close().await;
    let id = broken.run_id.uuid().simple().to_string();
    let sql = format!("UPDATE runs SET message_id = x'00' WHERE id = x'{id}'");
    testkit::raw::break_rows(&database(&dead), &sql).unwrap();
    let world = dead.open();
    let found = world.recovered;
    assert_eq!((found.unreadable, found.interrupted), (1, 1));
    assert_eq!(found.in_doubt, 1);
    assert_eq!(world.sessions().await.len(), 2);
    assert_eq!(world.status(whole.run_id).await, RunStatus::Interrupted);
    world.start("Still there").await;
    world.close().await;
}

// RUN-12
#[tokio::test]
async fn what_should_not_be_is_said_and_not_mended() {
    let home = Home::new();
    let world = home.open();
    let one = world.waiting().await;
    world.close().await;
    let sql = "UPDATE approvals SET status = 'closed'";
    testkit::raw::break_rows(&database(&home), sql).unwrap();
    for _ in 0..2 {
        let world = home.open();
        assert_eq!(world.recovered.violations, 1);
        assert_eq!(world.recovered.interrupted, 0);
        let call = world.only_call(one.session_id).await;
        assert_eq!(call.status, CallStatus::Waiting);
        world.close().await;
    }
}

// RUN-12
#[tokio::test]
async fn a_message_that_a_crash_left_behind_its_run_is_sent_once() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("One").await;
    world.script.call().await.answer("1");
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.close().await;
    // The run's end was written, and what follows from it was not.
    let sql = "INSERT INTO queue (message_id, session_id, position, text, created_at_ms)
               SELECT randomblob(16), id, 1, 'Two', 1 FROM sessions";
    testkit::raw::break_rows(&database(&home), sql).unwrap();
    let world = home.open();
    assert_eq!(world.recovered.violations, 0);
    let call = world.script.call().await;
    assert_eq!(call.told().last().unwrap(), "user: Two");
    let dead = home.copy();
    call.answer("2");
    world.until_run(one.session_id, RunStatus::Completed).await;
    world.close().await;
    for (home, status) in [(dead, RunStatus::Interrupted), (home, RunStatus::Completed)] {
        let world = home.open();
        world.settle().await;
        assert!(!world.script.has_call().await);
        assert_eq!(world.newest(one.session_id).await.status, status);
        let texts = world.transcript(one.session_id).await;
        assert_eq!(texts.iter().filter(|t| t.ends_with("Two")).count(), 1);
        world.close().await;
    }
}

// RUN-13
#[tokio::test]
async fn runs_go_on_by_themselves_where_that_is_wanted_but_not_in_a_crash_loop() {
    let home = Home::new();
    let world = home.open();
    world.set(|s| s.recovery = RecoveryPolicy::Resume).await;
    let one = world.start("Go").await;
    let _call = world.script.call().await;
    let doubtful = world.working("once").await;
    let stopped = world.start("Stop").await;
    let _stopped_call = world.script.call().await;
    world.stop(stopped.run_id).await;
    let dead = home.copy();
    world.close().await;
    let world = dead.open();
    assert_eq!(world.recovered.interrupted, 2);
    let _call = world.script.call().await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Running);
    assert_eq!(world.status(stopped.run_id).await, RunStatus::Stopped);
    assert_eq!(
        world.status(doubtful.run_id).await,
        RunStatus::Interrupted,
        "never while something is in doubt"
    );
    assert!(!world.script.has_call().await);
    // The second crash of the same run: now a person decides.
    let dead = dead.copy();
    world.close().await;
    let world = dead.open();
    world.settle().await;
    assert!(!world.script.has_call().await);
    let attention = world.attention(one.session_id).await.unwrap();
    assert_eq!(attention.kind, AttentionKind::Interrupted);
    assert_eq!(attention.crashes, 2);
    // A completed step makes the count begin anew; the whole count never does.
    world.resume(one.run_id).await;
    let call = world.script.call().await;
    call.ask_for("prints", &json!({}));
    let _call = world.script.call().await;
    let dead = dead.copy();
    world.close().await;
    let world = dead.open();
    let _call = world.script.call().await;
    assert_eq!(world.run(one.run_id).await.crashes, 3);
    world.close().await;
}

// RUN-13
#[tokio::test]
async fn a_clean_quit_is_no_crash() {
    let home = Home::new();
    let world = home.open();
    world.set(|s| s.recovery = RecoveryPolicy::Resume).await;
    let one = world.start("Go").await;
    let _call = world.script.call().await;
    world.close().await;
    for _ in 0..4 {
        let world = home.open();
        let _call = world.script.call().await;
        assert_eq!(world.status(one.run_id).await, RunStatus::Running);
        assert_eq!(world.run(one.run_id).await.crashes, 0);
        world.close().await;
    }
    let world = home.open();
    world.script.call().await.answer("At last.");
    world.idle().await;
    assert_eq!(world.status(one.run_id).await, RunStatus::Completed);
    world.close().await;
}

// RUN-14
#[tokio::test]
async fn of_two_that_resume_one_wins_and_a_stale_one_changes_nothing() {
    let home = Home::new();
    let world = home.open();
    let one = world.start("Go").await;
    let _call = world.script.call().await;
    world.stop(one.run_id).await;
    let resume = || Command::ResumeRun { run_id: one.run_id };
    let (a, b) = tokio::join!(world.execute(resume()), world.execute(resume()));
    let refused: Vec<_> = [a, b].into_iter().filter_map(Result::err).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].code, ErrorCode::NotActionable);
    assert_eq!(refused[0].run_id, Some(one.run_id));
    let call = world.script.call().await;
    assert!(!world.script.has_call().await);
    call.answer("1");
    world.idle().await;
    let two = world.say(one.session_id, "Two").await;
    let _call = world.script.call().await;
    world.stop(two.run_id()).await;
    let three = world.say(one.session_id, "Three").await;
    let _call = world.script.call().await;
    let before = world.events(one.session_id).await;
    for run_id in [one.run_id, two.run_id()] {
        for command in [
            Command::ResumeRun { run_id },
            Command::RetryRun {
                run_id,
                request_key: None,
            },
        ] {
            assert_eq!(world.code(command).await, ErrorCode::NotActionable);
        }
    }
    assert_eq!(world.events(one.session_id).await, before);
    assert_eq!(world.status(three.run_id()).await, RunStatus::Running);
    world.close().await;
}

// RUN-18
#[tokio::test]
async fn a_quit_during_tools_leaves_everything_resumable() {
    let home = Home::new();
    let world = home.open();
    let reading = world.working("read").await;
    let once = world.working("once").await;
    let streaming = world.start("Stream").await;
    let _call = world.script.call().await;
    world.close().await;
    let world = home.open();
    assert_eq!(world.recovered.interrupted, 0);
    assert_eq!(world.recovered.in_doubt, 0);
    for one in [reading, once, streaming] {
        let run = world.run(one.run_id).await;
        assert_eq!(run.status, RunStatus::Interrupted);
        assert_eq!(run.reason, Some(RunReason::AppClosed));
        assert_eq!(run.crashes, 0);
    }
    let call = world.only_call(reading.session_id).await;
    assert_eq!(call.status, CallStatus::Ready, "it may run again");
    let call = world.only_call(once.session_id).await;
    assert_eq!(call.status, CallStatus::Failed, "its end was seen");
    world.resume(once.run_id).await;
    let asked = world.script.call().await;
    assert_eq!(asked.told().len(), 3);
    world.resume(reading.run_id).await;
    world
        .until_calls(reading.session_id, CallStatus::Running)
        .await;
    assert_eq!(world.only_call(reading.session_id).await.bodies, 2);
    world.close().await;
}
