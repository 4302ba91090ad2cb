//! RUN-4, RUN-21, RUN-22: a process that ends after any commit of a run that had to be summarised: the
//! summary is there whole or not at all, and is asked for once more at most.

use std::sync::Arc;

use engine::ModelRequest;
use protocol::{ErrorClass, Message, MessageStatus, RunStatus, SessionId};

use crate::acting::finished_with;
use crate::compacting::{SUMMARY, is_compaction};
use crate::fixture::{Home, World};
use crate::scripted::{Eager, Said, failed, said, text};

const QUESTION: &str = "One, and what was found about the tides";

/// Two messages are too many for it, unless it is told a summary.
fn small_model(request: &ModelRequest) -> Vec<Said> {
    if is_compaction(request) {
        return vec![text(SUMMARY), finished_with(50, 7)];
    }
    if request.messages.len() > 2 && !is_summarised(request) {
        return vec![failed(ErrorClass::ContextLength, "Too long.")];
    }
    vec![text("Yes."), finished_with(60, 7)]
}

fn is_summarised(request: &ModelRequest) -> bool {
    said(&request.messages[0]).contains(SUMMARY)
}

fn compactions(model: &Eager) -> usize {
    let asked = model.asked.lock().unwrap();
    asked
        .iter()
        .filter(|request| is_compaction(request))
        .count()
}

/// Does what a person would do until the run is over.
async fn go_on(world: &World, session_id: SessionId) {
    loop {
        world.idle().await;
        let run = world.newest(session_id).await;
        match run.status {
            RunStatus::Completed => return,
            RunStatus::Interrupted => {
                world.resume(run.run_id).await;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_commit_was_the_last_the_summary_is_made_once_more_at_most() {
    let home = Home::new();
    let model = Eager::new(small_model);
    let world = home.open_model(Arc::clone(&model) as _);
    let session_id = world.start(QUESTION).await.session_id;
    go_on(&world, session_id).await;
    world.say(session_id, "Two").await;
    go_on(&world, session_id).await;
    assert_eq!(compactions(&model), 1);
    let whole = home.remains();
    world.close().await;
    let (mut before, mut after) = (0, 0);
    for commit in whole.commits() {
        home.put_back(&whole.cut(commit));
        let model = Eager::new(small_model);
        let world = home.open_model(Arc::clone(&model) as _);
        let sessions = world.sessions().await;
        let has_asked = match sessions.first() {
            Some(session) if session.run.is_some() => {
                world.snapshot(session_id).await.messages.len() > 2
            }
            _ => false,
        };
        if has_asked {
            assert_eq!(world.recovered.violations, 0);
            let was_summarised = !world.snapshot(session_id).await.summaries.is_empty();
            go_on(&world, session_id).await;
            let snapshot = world.snapshot(session_id).await;
            let is_whole = |message: &&Message| message.status == MessageStatus::Complete;
            let whole = snapshot.messages.iter().filter(is_whole).count();
            assert_eq!((whole, snapshot.summaries.len()), (4, 1));
            let expected = usize::from(!was_summarised);
            assert_eq!(compactions(&model), expected, "at {commit:?}");
            let asked = model.asked.lock().unwrap().clone();
            assert!(asked.last().is_none_or(is_summarised));
            // What was cut off is unknown, what ended is paid for once.
            let usage = snapshot.usage;
            let cost = u64::from(usage.calls - usage.calls_unknown) * 7;
            assert_eq!(usage.sum.cost_microusd, Some(cost));
            assert!(usage.calls_unknown <= 1 && cost == 21, "{usage:?}");
            if was_summarised {
                after += 1;
            } else {
                before += 1;
            }
        }
        world.close().await;
    }
    assert!(before >= 2 && after >= 1, "{before} {after}");
}
