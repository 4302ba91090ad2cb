//! A disk that refuses for a while, below SQLite: what could go on goes on once it lets it.

use std::time::Duration;

use protocol::{CallStatus, Decision, RecoveryPolicy, RunStatus};
use serde_json::json;
use testkit::vfs::{Failure, Fault, Watch};

use crate::acting::decision_on;
use crate::fixture::Home;

/// STO-5: wherever it begins to refuse between the answer and the body, the call is not forgotten.
#[tokio::test]
async fn a_call_that_cannot_be_read_is_started_when_it_can_be() {
    let home = Home::new();
    let disk = Watch::new(home.path()).unwrap();
    let world = home.open();
    let (mut struck, mut decisions) = (0, 0);
    // The first ones hit the answer itself, the others what follows from it.
    for at in (1..=40).step_by(13).chain((41..=95).step_by(3)) {
        let session_id = world.start("Go").await.session_id;
        // Its body outlasts the fault.
        let arguments = json!({"ask": true, "before_ms": 200});
        let asked = world.script.call().await;
        asked.ask_for("ledger_append", &arguments);
        world.until_run(session_id, RunStatus::Waiting).await;
        let call = world.only_call(session_id).await;
        disk.set_fault(Fault {
            failure: Failure::IoError,
            at,
            is_lasting: true,
        });
        let allow = || decision_on(&call, Decision::AllowOnce {});
        let decided = world.execute(allow()).await;
        // Long enough for whoever wants to go on now, and cannot.
        tokio::time::sleep(Duration::from_millis(40)).await;
        struck += u64::from(disk.clear_fault() > 0);
        decisions += u64::from(decided.is_ok());
        if decided.is_err() {
            world.done(allow()).await;
        }
        let is_over = |status| matches!(status, CallStatus::Completed | CallStatus::Failed);
        let snapshot = world
            .until(session_id, |snapshot| {
                snapshot.calls.iter().all(|call| is_over(call.status))
            })
            .await;
        assert_eq!(snapshot.calls.len(), 1, "at {at}");
        world.script.call().await.answer("Done.");
        world.until_run(session_id, RunStatus::Completed).await;
    }
    assert!(struck > 20 && decisions > 10, "{struck}, {decisions}");
}

/// STO-5, RUN-13: a disk that refuses right after a start does not keep a run from going on.
#[tokio::test]
async fn what_goes_on_by_itself_does_so_when_it_can_be_read() {
    let home = Home::new();
    let disk = Watch::new(home.path()).unwrap();
    let world = home.open();
    world.set(|s| s.recovery = RecoveryPolicy::Resume).await;
    let run_id = world.start("Go").await.run_id;
    let call = world.script.call().await;
    world.close().await;
    drop(call);
    let mut struck = 0;
    for at in 1..=12 {
        // Nothing goes on before this test waits for something.
        let world = home.open();
        disk.set_fault(Fault {
            failure: Failure::IoError,
            at,
            is_lasting: true,
        });
        tokio::time::sleep(Duration::from_millis(40)).await;
        struck += u64::from(disk.clear_fault() > 0);
        let _call = crate::fixture::soon(world.script.call()).await;
        assert_eq!(
            world.run(run_id).await.status,
            RunStatus::Running,
            "at {at}"
        );
        world.close().await;
    }
    assert!(struck > 5, "{struck}");
}
