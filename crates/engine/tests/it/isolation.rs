//! Nothing is shared, nothing is left behind.

use engine::Held;
use protocol::RunStatus;

use crate::fixture::{Home, soon};
use crate::follower::Follower;
use crate::scripted::Eager;

// SEC-7
#[tokio::test]
async fn two_engines_in_one_process_share_nothing() {
    let (home, other_home) = (Home::new(), Home::new());
    let (world, other) = (home.open(), other_home.open());
    let mut other_watch = other.engine.watch_sessions().unwrap();
    let started = world.try_start(None, "Mine", Some("key")).await.unwrap();
    let theirs = other.try_start(None, "Theirs", Some("key")).await.unwrap();
    assert_ne!(
        started.run_id, theirs.run_id,
        "one key, two engines, two runs"
    );
    assert_eq!(world.sessions().await.len(), 1);
    let get = protocol::Command::GetRun {
        run_id: started.run_id,
    };
    assert_eq!(other.refused(get).await.0, protocol::ErrorCode::NotFound);
    let call = world.script.call().await;
    assert_eq!(crate::scripted::said(&call.request.messages[0]), "Mine");
    let call = other.script.call().await;
    world.close().await;
    assert_eq!(other.engine.held().calls, 1);
    call.text("Still here");
    call.finish();
    other.idle().await;
    assert_eq!(other.run(theirs.run_id).await.status, RunStatus::Completed);
    for push in soon(other_watch.next()).await.unwrap() {
        let protocol::Push::Session(session) = push else {
            panic!("{push:?}");
        };
        assert_eq!(session.session_id, theirs.session_id);
    }
    other.close().await;
}

// RUN-19
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_hundreds_of_runs_everything_is_back_where_it_began() {
    let home = Home::new();
    let world = home.open_model(Eager::echo());
    let warm_up = world.start("Warm up").await;
    world.idle().await;
    assert_eq!(world.run(warm_up.run_id).await.status, RunStatus::Completed);
    assert_eq!(world.engine.held(), Held::default());
    let metrics = tokio::runtime::Handle::current().metrics();
    let baseline = metrics.num_alive_tasks();
    let mut sessions = Vec::new();
    for _ in 0..10 {
        sessions.push(world.create().await);
    }
    for number in 0..30 {
        let mut followers = Vec::new();
        for session_id in &sessions {
            followers.push(Follower::new(&world, *session_id, 0));
            world.send(*session_id, &format!("Run {number}")).await;
        }
        let _watch = world.engine.watch_sessions().unwrap();
        for follower in &mut followers {
            let ended = |f: &Follower| f.count("run_completed");
            follower
                .until(|follower| ended(follower) == number + 1)
                .await;
        }
    }
    world.idle().await;
    assert_eq!(world.engine.held(), Held::default());
    // A task that has said its last may need a moment to be gone.
    soon(async {
        while metrics.num_alive_tasks() > baseline {
            tokio::task::yield_now().await;
        }
    })
    .await;
    world.close().await;
}
