//! Random inputs against a real store: only legal moves, dense events, one end per run, no call
//! that is lost, done twice or told to a model without its result.

/// What must hold after every step, and at the end.
mod checks;
/// What is done to runs, sessions and messages.
mod commands;
/// What is done to tool calls.
mod tools;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use protocol::{AgentFields, CallId, CallStatus, CommandError, ErrorCode, RunId, RunStatus};
use store::{CallRow, Change, DataFolder, SessionState, Store, Sync, Transition};
use uuid::Uuid;

use super::super::{Decision, Given};
use super::session_id;
use crate::ids::Ids;

/// Walks, and steps of each.
const SEEDS: u64 = 16;
const STEPS: u32 = 260;

/// A linear congruential generator: the same walk for the same seed, on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn is_one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let bound = u64::try_from(from.len()).unwrap();
        let index = if bound == 0 { 0 } else { self.below(bound) };
        from.get(usize::try_from(index).unwrap())
    }
}

#[derive(Debug)]
struct Counted(AtomicU64);

impl Ids for Counted {
    fn next(&self, now_ms: u64) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::Relaxed);
        Uuid::from_u128((u128::from(now_ms) << 64) | u128::from(count))
    }
}

struct Walk {
    store: Store,
    dice: Dice,
    ids: Counted,
    at_ms: u64,
    /// Everything that ever was, so that old things are asked for as well.
    runs: Vec<RunId>,
    calls: Vec<CallId>,
    /// How often the person said "run it again".
    again: HashMap<CallId, u32>,
    answered: HashSet<(CallId, u32)>,
    used: HashSet<(CallId, u32)>,
    seen: Seen,
}

/// Where the walks went: they are worth something only if they went everywhere.
#[derive(Default)]
struct Seen {
    runs: HashSet<(RunStatus, RunStatus)>,
    calls: HashSet<(CallStatus, CallStatus)>,
    refused: HashSet<ErrorCode>,
}

// RUN-7, RUN-12, RUN-20, STR-1, EFF-3, APR-2
#[test]
fn whatever_is_asked_in_whatever_order_only_what_may_happen_does() {
    let mut seen = Seen::default();
    for seed in 1..=SEEDS {
        let _told = Told(seed);
        seen = walk(seed, seen);
    }
    for from in RunStatus::ALL {
        for to in RunStatus::ALL {
            // No run is made to queue, and none fails while it waits.
            let is_unused = from == RunStatus::Queued || to == RunStatus::Queued;
            let is_unused = is_unused || (from, to) == (RunStatus::Waiting, RunStatus::Failed);
            if from.may_become(to) && !is_unused {
                assert!(seen.runs.contains(&(from, to)), "never {from:?} -> {to:?}");
            }
        }
    }
    for from in CallStatus::ALL {
        for to in CallStatus::ALL {
            // A call is judged before it is written. What waits or may start is never judged
            // again, only answered.
            let is_unused = from == CallStatus::Proposed
                || (from, to) == (CallStatus::Waiting, CallStatus::Failed)
                || (from, to) == (CallStatus::Ready, CallStatus::Denied);
            if from.may_become(to) && !is_unused {
                assert!(seen.calls.contains(&(from, to)), "never {from:?} -> {to:?}");
            }
        }
    }
    let codes = [
        ErrorCode::AlreadyRunning,
        ErrorCode::NotActionable,
        ErrorCode::WrongDigest,
        ErrorCode::NotFound,
        ErrorCode::TooLarge,
    ];
    assert!(
        seen.refused.iter().all(|code| codes.contains(code)),
        "{:?}",
        seen.refused
    );
}

/// Says which walk it was when it fails.
struct Told(u64);

impl Drop for Told {
    #[expect(clippy::print_stderr, reason = "a failing test says how to repeat it")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the walk with seed {} failed", self.0);
        }
    }
}

fn walk(seed: u64, seen: Seen) -> Seen {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(&store::Options {
        folder: DataFolder::create(dir.path()).unwrap(),
        app_version: "0".to_owned(),
        pid: 1,
        now_ms: 1,
    })
    .unwrap();
    let mut walk = Walk {
        store,
        dice: Dice(seed),
        ids: Counted(AtomicU64::new(1)),
        at_ms: 1_000,
        runs: Vec::new(),
        calls: Vec::new(),
        again: HashMap::new(),
        answered: HashSet::new(),
        used: HashSet::new(),
        seen,
    };
    walk.limit_steps();
    for _ in 0..STEPS {
        walk.step();
        walk.check_standing();
    }
    walk.check_all();
    walk.store.close().unwrap();
    walk.seen
}

impl Walk {
    fn state(&self) -> Option<SessionState> {
        self.store
            .read(|reader| reader.session_state(session_id()))
            .unwrap()
    }

    fn call(&self, call_id: CallId) -> CallRow {
        let read = self.store.read(|reader| reader.call(call_id)).unwrap();
        read.unwrap()
    }

    fn id(&self) -> Uuid {
        self.ids.next(self.at_ms)
    }

    fn decide<T>(&self, decide: impl FnOnce(&Given<'_>) -> T) -> T {
        decide(&Given {
            at_ms: self.at_ms,
            ids: &self.ids,
            default_model: "model-a".into(),
            tools: &[],
        })
    }

    /// Runs of the default agent end at a limit now and then.
    fn limit_steps(&self) {
        let agent = self.store.read(|reader| reader.agent(store::DEFAULT_AGENT));
        let agent = agent.unwrap().unwrap();
        let mut fields: AgentFields = agent.fields;
        fields.limits.steps = Some(9);
        self.apply(vec![Change::UpdateAgent {
            agent_id: store::DEFAULT_AGENT,
            fields,
            revision: agent.revision,
            at_ms: 1,
        }]);
    }

    fn step(&mut self) {
        self.at_ms += self.dice.below(1_500);
        let state = self.state();
        let decision = match &state {
            None => self.send(None),
            Some(state) if state.deleted_at_ms.is_some() => self.on_deleted(state),
            // A doubt holds up everything else: it is settled before long.
            Some(state) if !state.doubts.is_empty() && self.dice.is_one_in(4) => self.settle(state),
            Some(state) => match self.dice.below(100) {
                0..=17 => self.end_model(state),
                18..=21 => return self.stream(state),
                22..=39 => self.start_call(state),
                40..=55 => self.end_call(state),
                56..=67 => self.answer(state),
                68..=71 => self.settle(state),
                72..=75 => self.send(Some(state)),
                76..=77 => self.expire(state),
                78 => return self.crash(state),
                79 => self.delete(state),
                80..=83 => self.branch(state),
                84..=86 => self.queue(state),
                _ => self.on_run(state),
            },
        };
        match decision {
            Ok(decision) => self.commit(decision),
            Err(error) => {
                self.seen.refused.insert(error.code);
            }
        }
    }

    /// Writes a decision, after everything in it was looked at.
    fn commit(&mut self, decision: Decision) {
        self.check_changes(&decision);
        self.apply(decision.changes);
        self.check_effects(&decision.effects);
    }

    fn apply(&self, changes: Vec<Change>) {
        if !changes.is_empty() {
            let sync = Sync::Relaxed;
            self.store.apply(Transition { sync, changes }).unwrap();
        }
    }
}

type Decided = Result<Decision, CommandError>;
