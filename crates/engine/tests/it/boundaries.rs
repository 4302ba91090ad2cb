//! A process that ends after any of a run's commits: nothing that was finished is done again, and
//! nothing is lost.

use std::collections::BTreeSet;

use protocol::{
    CallStatus, EffectClass, MessageStatus, Resolution, Role, RunStatus, SessionId, ToolCallView,
};
use serde_json::json;
use testkit::{Ledger, LedgerEntry, Phase};

use crate::calls::one_call;
use crate::fixture::{Home, World};
use crate::remains::Remains;
use crate::scripted::Said;

/// The model is asked so often: for a call of each class, and for its last words.
const STEPS: usize = 4;
const CLASSES: [EffectClass; 3] = [
    EffectClass::Read,
    EffectClass::Idempotent,
    EffectClass::Once,
];

fn replies() -> Vec<Vec<Said>> {
    vec![
        one_call("a", "ledger_append", &json!({"class": "read"})),
        one_call("b", "ledger_append", &json!({"class": "idempotent"})),
        one_call("c", "ledger_append", &json!({"class": "once", "ask": true})),
    ]
}

/// Does what a person would do until the run is over.
async fn go_on(world: &World, home: &Home, session_id: SessionId) {
    loop {
        world.idle().await;
        let run = world.snapshot(session_id).await.session.run.unwrap();
        match run.status {
            RunStatus::Completed => return,
            RunStatus::Waiting => {
                world.allow().await;
            }
            RunStatus::Interrupted => {
                for call in world.open_calls().await {
                    if call.status == CallStatus::InDoubt {
                        settle(world, home, &call).await;
                    }
                }
                world.resume(run.run_id).await;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The person looks whether it happened, and says so.
async fn settle(world: &World, home: &Home, call: &ToolCallView) {
    let effects = Ledger::new(home.ledger())
        .effects(&call.call_id.to_string())
        .unwrap();
    let resolution = match effects {
        0 => Resolution::RunAgain {},
        1 => Resolution::Happened {
            result: Some(format!("The ledger has {}.", call.call_id)),
        },
        more => panic!("it happened {more} times"),
    };
    world.resolve(call.call_id, resolution).await;
}

/// Whether a body had begun whose end is not known.
fn was_cut_off(call: &ToolCallView) -> bool {
    match call.effect {
        EffectClass::Once => call.status == CallStatus::InDoubt,
        EffectClass::Read | EffectClass::Idempotent => {
            call.status == CallStatus::Ready && call.bodies > 0
        }
    }
}

/// What had happened in the world when the process ended: every body that is known to have ended,
/// and, if it was the last thing that happened, also that of a call that was running.
fn write_ledger(home: &Home, calls: &[ToolCallView], is_late: bool) {
    let ledger = Ledger::new(home.ledger());
    for call in calls {
        if call.status == CallStatus::Completed || (was_cut_off(call) && is_late) {
            let entry = LedgerEntry {
                effect_key: call.call_id.to_string(),
                arguments_hash: blake3::hash(call.arguments.as_bytes()).to_hex().to_string(),
                class: call.effect,
                pid: 0,
                phase: Phase::Effect,
            };
            ledger.append(&entry).unwrap();
        }
    }
}

async fn replied(world: &World, session_id: SessionId) -> usize {
    let messages = world.snapshot(session_id).await.messages;
    let is_reply =
        |m: &&protocol::Message| m.role == Role::Agent && m.status == MessageStatus::Complete;
    messages.iter().filter(is_reply).count()
}

/// Takes up what was left after one commit. What the calls were like then; nothing if there was
/// no run yet.
async fn take_up(home: &Home, session_id: SessionId, is_late: bool) -> Option<Vec<ToolCallView>> {
    let (world, player) = home.play(replies());
    if world.sessions().await.iter().all(|s| s.run.is_none()) {
        world.close().await;
        return None;
    }
    assert_eq!(world.recovered.violations, 0);
    assert_eq!(player.asked().len(), 0, "nothing is resumed unasked");
    let found = world.calls(session_id).await;
    write_ledger(home, &found, is_late);
    let replied_before = replied(&world, session_id).await;
    let bodies_before: Vec<u32> = found.iter().map(|call| call.bodies).collect();

    go_on(&world, home, session_id).await;

    assert_eq!(player.asked().len(), STEPS - replied_before);
    assert_eq!(replied(&world, session_id).await, STEPS);
    let calls = world.calls(session_id).await;
    let effects: Vec<EffectClass> = calls.iter().map(|call| call.effect).collect();
    assert_eq!(effects, CLASSES);
    for (number, call) in calls.iter().enumerate() {
        assert_eq!(call.status, CallStatus::Completed);
        let expected = format!("The ledger has {}.", call.call_id);
        assert_eq!(call.result.as_ref().unwrap().text, expected);
        // A call keeps its id, and one that was finished has no further body.
        let before = found.get(number);
        if let Some(before) = before {
            assert_eq!(call.call_id, before.call_id);
        }
        let was_running = before.is_some_and(was_cut_off);
        let happened = home
            .entries()
            .iter()
            .filter(|entry| entry.effect_key == call.call_id.to_string())
            .count();
        let may_repeat = call.effect != EffectClass::Once;
        assert_eq!(
            happened,
            1 + usize::from(was_running && is_late && may_repeat)
        );
        let ran_before = bodies_before.get(number).copied().unwrap_or(0);
        let is_settled = was_running && is_late && !may_repeat;
        let was_done = before.is_some_and(|c| c.status == CallStatus::Completed);
        assert_eq!(
            call.bodies,
            ran_before + u32::from(!was_done && !is_settled)
        );
    }
    let keys: BTreeSet<String> = home.entries().into_iter().map(|e| e.effect_key).collect();
    assert_eq!(keys.len(), CLASSES.len(), "nothing else was done");
    assert_eq!(world.ends(session_id).await, 1);
    assert_usage(&world, session_id).await;
    world.close().await;
    Some(found)
}

/// Every whole reply is paid for once; what a call that was cut off cost is unknown.
async fn assert_usage(world: &World, session_id: SessionId) {
    let kinds = world.kinds(session_id).await;
    let cut_off = kinds.iter().filter(|k| *k == "step_interrupted").count();
    let usage = world.snapshot(session_id).await.usage;
    assert_eq!(usage.calls as usize, STEPS + cut_off);
    assert_eq!(usage.calls_unknown as usize, cut_off);
    assert_eq!(usage.sum.input_tokens, Some(10 * STEPS as u64));
    assert_eq!(usage.sum.output_tokens, Some(2 * STEPS as u64));
    assert_eq!(
        (usage.sum.cached_tokens, usage.sum.cost_microusd),
        (None, None)
    );
}

type Shape = Option<(&'static str, &'static str, u32)>;

/// Where the last call stood.
fn shape(found: &[ToolCallView]) -> Shape {
    let last = found.last();
    last.map(|call| (call.effect.as_str(), call.status.as_str(), call.bodies))
}

/// A run from its beginning to its end, with every commit of it.
async fn whole_run(home: &Home) -> (SessionId, Remains) {
    let (world, player) = home.play(replies());
    let database = home.remains().database();
    let started = world.start("Go").await;
    go_on(&world, home, started.session_id).await;
    assert_eq!(player.asked().len(), STEPS);
    let whole = home.remains();
    world.close().await;
    assert_eq!(whole.database(), database, "everything is in the log");
    (started.session_id, whole)
}

// RUN-4, RUN-20, RUN-21, EFF-3, APR-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_commit_was_the_last_every_step_is_done_exactly_as_often_as_it_may_be() {
    let home = Home::new();
    let (session_id, whole) = whole_run(&home).await;
    let mut seen = BTreeSet::new();
    for commit in whole.commits() {
        for is_late in [false, true] {
            home.put_back(&whole.cut(commit));
            if let Some(found) = take_up(&home, session_id, is_late).await {
                seen.insert(shape(&found));
            }
        }
    }
    // Every place that a call of each class can be in when the process ends was one of them.
    let expected = BTreeSet::from([
        None,
        Some(("read", "ready", 0)),
        Some(("read", "ready", 1)),
        Some(("read", "completed", 1)),
        Some(("idempotent", "ready", 0)),
        Some(("idempotent", "ready", 1)),
        Some(("idempotent", "completed", 1)),
        Some(("once", "waiting", 0)),
        Some(("once", "ready", 0)),
        Some(("once", "in_doubt", 1)),
        Some(("once", "completed", 1)),
    ]);
    assert_eq!(seen, expected);
}

/// Ends a run where its last call stands so, and goes on with it to its end.
async fn second_life(home: &Home, session_id: SessionId, whole: &Remains, at: Shape) -> Remains {
    for commit in whole.commits() {
        home.put_back(&whole.cut(commit));
        let (world, _) = home.play(replies());
        let is_there = !world.sessions().await.is_empty();
        let found = if is_there {
            world.calls(session_id).await
        } else {
            Vec::new()
        };
        if shape(&found) != at {
            world.close().await;
            continue;
        }
        let database = home.remains().database();
        write_ledger(home, &found, false);
        go_on(&world, home, session_id).await;
        let remains = home.remains();
        world.close().await;
        assert_eq!(remains.database(), database, "everything is in the log");
        return remains;
    }
    panic!("there is no commit where the last call stands like {at:?}");
}

// RUN-4, RUN-12: a process that ends while it takes up what another one left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_end_at_any_commit_does_no_more_harm_than_the_first() {
    let home = Home::new();
    let (session_id, whole) = whole_run(&home).await;
    let mut seen = BTreeSet::new();
    for first in [("read", "ready", 1), ("once", "in_doubt", 1)] {
        let again = second_life(&home, session_id, &whole, Some(first)).await;
        for commit in again.commits() {
            home.put_back(&again.cut(commit));
            if let Some(found) = take_up(&home, session_id, true).await {
                seen.insert(shape(&found));
            }
        }
    }
    for expected in [
        ("read", "ready", 2),
        ("once", "ready", 1),
        ("once", "in_doubt", 2),
    ] {
        assert!(seen.contains(&Some(expected)), "{expected:?} of {seen:?}");
    }
}
