//! Random inputs against a real store: only legal moves, dense events, one end per run.

use std::collections::HashMap;

use protocol::{
    Block, BlockKind, CommandError, ErrorClass, Event, MessageId, RunError, RunId, RunReason,
    RunStatus, StepId, StepStatus, Usage,
};
use store::{Change, DataFolder, Piece, SessionState, Store, Sync, Transition};
use uuid::Uuid;

use super::super::{
    Decision, Outcome, StartRun, cancel_run, interrupt, outcome, rename_session, resume_run,
    start_run, stop_run,
};
use super::session_id;

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
}

struct Walk {
    store: Store,
    dice: Dice,
    last_id: u128,
    /// Every run that was ever started, so that old ones are asked for as well.
    runs: Vec<RunId>,
    refused: HashMap<String, u32>,
}

// RUN-7, STR-1
#[test]
fn whatever_is_asked_in_whatever_order_only_legal_moves_are_made() {
    let mut moves: HashMap<(RunStatus, RunStatus), u32> = HashMap::new();
    for seed in 1..=4 {
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
            last_id: 100,
            runs: Vec::new(),
            refused: HashMap::new(),
        };
        for at_ms in 1..=300 {
            walk.step(at_ms, &mut moves);
        }
        walk.check_events();
        let refused: Vec<&str> = walk.refused.keys().map(String::as_str).collect();
        assert!(
            refused
                .iter()
                .all(|code| ["AlreadyRunning", "NotActionable"].contains(code)),
            "{refused:?}"
        );
        walk.store.close().unwrap();
    }
    // The walk is worth something only if it went everywhere.
    for (from, to) in [
        (RunStatus::Running, RunStatus::Stopped),
        (RunStatus::Running, RunStatus::Interrupted),
        (RunStatus::Running, RunStatus::Completed),
        (RunStatus::Running, RunStatus::Failed),
        (RunStatus::Running, RunStatus::Cancelled),
        (RunStatus::Stopped, RunStatus::Running),
        (RunStatus::Stopped, RunStatus::Cancelled),
        (RunStatus::Interrupted, RunStatus::Running),
        (RunStatus::Interrupted, RunStatus::Cancelled),
    ] {
        assert!(
            moves.contains_key(&(from, to)),
            "never went {from:?} -> {to:?}"
        );
    }
}

impl Walk {
    fn state(&self) -> Option<SessionState> {
        self.store
            .read(|reader| reader.session_state(session_id()))
            .unwrap()
    }

    fn id(&mut self) -> Uuid {
        self.last_id += 1;
        Uuid::from_u128(self.last_id)
    }

    fn step(&mut self, at_ms: u64, moves: &mut HashMap<(RunStatus, RunStatus), u32>) {
        let state = self.state();
        let decision = match (self.dice.below(10), &state) {
            (0..=2, _) | (_, None) => self.start(state.as_ref(), at_ms),
            (3..=4, Some(state)) => return self.stream(state),
            (number, Some(state)) => self.decide(number, state, at_ms),
        };
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => {
                *self.refused.entry(format!("{:?}", error.code)).or_default() += 1;
                return;
            }
        };
        for change in &decision.changes {
            if let Change::MoveRun { from, to, .. } = change {
                assert!(from.may_become(*to), "{from:?} -> {to:?}");
                *moves.entry((*from, *to)).or_default() += 1;
            }
            if let Change::MoveStep { from, to, .. } = change {
                assert!(from.may_become(*to), "{from:?} -> {to:?}");
            }
        }
        let has_changes = !decision.changes.is_empty();
        self.apply(decision.changes);
        assert_eq!(has_changes, self.state() != state);
    }

    fn decide(
        &mut self,
        number: u64,
        state: &SessionState,
        at_ms: u64,
    ) -> Result<Decision, CommandError> {
        let message_id = MessageId::from_uuid(self.id());
        // Mostly the newest run, sometimes any that ever was.
        let any = self.dice.below(self.runs.len() as u64);
        let any = usize::try_from(any).unwrap();
        let run_id = match (self.dice.below(4), &state.run) {
            (1.., Some(run)) => run.run_id,
            _ => self.runs[any],
        };
        match number {
            5 => Ok(stop_run(state, run_id, message_id, at_ms)),
            6 => Ok(interrupt(state, RunReason::AppClosed, message_id, at_ms)),
            7 => resume_run(state, run_id, at_ms),
            8 => match self.dice.below(3) {
                0 => cancel_run(state, run_id, message_id, at_ms),
                1 => Ok(rename_session(state, &format!("{at_ms}"), at_ms)),
                _ => Ok(rename_session(state, "again", at_ms)),
            },
            _ => Ok(self.end(state, message_id, at_ms)),
        }
    }

    fn start(
        &mut self,
        state: Option<&SessionState>,
        at_ms: u64,
    ) -> Result<Decision, CommandError> {
        let input = StartRun {
            session_id: session_id(),
            message_id: MessageId::from_uuid(self.id()),
            run_id: RunId::from_uuid(self.id()),
            step_id: StepId::from_uuid(self.id()),
            agent_id: store::DEFAULT_AGENT,
            text: format!("message {at_ms}"),
            request_key: None,
            model: "model".to_owned(),
            at_ms,
        };
        let decision = start_run(state, &input)?;
        self.runs.push(input.run_id);
        Ok(decision)
    }

    /// An outcome of the newest attempt, or of one before it.
    fn end(&mut self, state: &SessionState, message_id: MessageId, at_ms: u64) -> Decision {
        let Some(step) = state.run.as_ref().and_then(|run| run.step.as_ref()) else {
            return Decision::nothing();
        };
        let late = u32::try_from(self.dice.below(4) / 3).unwrap();
        let result = if self.dice.below(2) == 0 {
            Outcome::Completed {
                blocks: step.blocks.clone(),
                usage: Usage::default(),
            }
        } else {
            Outcome::Failed(RunError {
                class: ErrorClass::Internal,
                message: "No.".to_owned(),
            })
        };
        let attempt = step.attempt - late.min(step.attempt - 1);
        outcome(state, step.step_id, attempt, &result, message_id, at_ms)
    }

    /// Text of the newest attempt; refused unless it runs.
    fn stream(&mut self, state: &SessionState) {
        let Some(step) = state.run.as_ref().and_then(|run| run.step.as_ref()) else {
            return;
        };
        let offset = step
            .blocks
            .first()
            .map_or(0, |Block { text, .. }| text.len());
        let piece = Piece {
            block: 0,
            kind: BlockKind::Text,
            offset: offset as u64,
            text: "word ".to_owned(),
        };
        let result = self.store.apply(Transition {
            sync: Sync::Relaxed,
            changes: vec![Change::AppendDeltas {
                session_id: session_id(),
                step_id: step.step_id,
                attempt: step.attempt,
                streamed_bytes: step.streamed_bytes,
                pieces: vec![piece],
            }],
        });
        assert_eq!(result.is_ok(), step.status == StepStatus::Running);
    }

    fn apply(&self, changes: Vec<Change>) {
        if !changes.is_empty() {
            let sync = Sync::Relaxed;
            self.store.apply(Transition { sync, changes }).unwrap();
        }
    }

    /// The events tell of legal moves alone, without a gap, and of one end per run.
    fn check_events(&self) {
        let read = |reader: &store::Reader<'_>| reader.events_after(session_id(), 0, u32::MAX);
        let events = self.store.read(read).unwrap();
        let mut runs: HashMap<RunId, RunStatus> = HashMap::new();
        for (index, envelope) in events.iter().enumerate() {
            assert_eq!(envelope.seq, index as u64 + 1);
            let (run_id, next) = match &envelope.event {
                Event::RunStarted { run_id, .. } => {
                    assert_eq!(runs.insert(*run_id, RunStatus::Running), None);
                    continue;
                }
                Event::RunResumed { run_id } => (run_id, RunStatus::Running),
                Event::RunStopped { run_id, .. } => (run_id, RunStatus::Stopped),
                Event::RunInterrupted { run_id, .. } => (run_id, RunStatus::Interrupted),
                Event::RunCompleted { run_id } => (run_id, RunStatus::Completed),
                Event::RunFailed { run_id, .. } => (run_id, RunStatus::Failed),
                Event::RunCancelled { run_id, .. } => (run_id, RunStatus::Cancelled),
                _ => continue,
            };
            let before = runs.insert(*run_id, next).unwrap();
            assert!(before.may_become(next), "{run_id} {before:?} -> {next:?}");
        }
        assert_eq!(runs.len(), self.runs.len());
        assert!(runs.values().filter(|status| !status.is_terminal()).count() <= 1);
        for (run_id, told) in runs {
            let stored = self.store.read(|reader| reader.run(run_id)).unwrap();
            assert_eq!(stored.unwrap().status, told);
        }
    }
}
