//! What must hold after every step, and at the end.

use std::collections::HashMap;

use protocol::{CallStatus, EffectClass, Event, MessageStatus, RunId, RunStatus, StepStatus};
use store::{CallRow, Change};

use super::super::super::{Decision, Effect};
use super::super::session_id;
use super::Walk;
use super::tools::has_result;

impl Walk {
    /// Only legal moves, each answer once, and nothing changes without a word.
    pub(super) fn check_changes(&mut self, decision: &Decision) {
        let mut has_event = false;
        for change in &decision.changes {
            match change {
                Change::CreateRun(run) => self.runs.push(run.run_id),
                Change::AddCall(call) => self.calls.push(call.view.call_id),
                Change::MoveRun { from, to, .. } => {
                    assert!(from.may_become(*to), "{from:?} -> {to:?}");
                    self.seen.runs.insert((*from, *to));
                }
                Change::MoveStep { from, to, .. } => {
                    assert!(from.may_become(*to), "{from:?} -> {to:?}");
                }
                Change::SaveCall { call, from, .. } => {
                    let to = call.view.status;
                    assert!(*from == to || from.may_become(to), "{from:?} -> {to:?}");
                    self.seen.calls.insert((*from, to));
                }
                Change::DecideApproval { call_id, round, .. } => {
                    assert!(self.answered.insert((*call_id, *round)), "answered twice");
                }
                Change::ConsumeApproval { call_id, round, .. } => {
                    assert!(self.used.insert((*call_id, *round)), "used twice");
                }
                Change::AppendEvent { .. }
                | Change::DeleteSession { .. }
                | Change::DismissRun { .. } => has_event = true,
                _ => {}
            }
        }
        assert!(
            has_event || decision.changes.is_empty(),
            "{:?}",
            decision.changes
        );
    }

    /// No call is started that may not, no model is asked while a call has no result.
    pub(super) fn check_effects(&self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::StartCall { call_id, .. } => {
                    assert_eq!(self.call(*call_id).view.status, CallStatus::Ready);
                }
                Effect::RunCall { call_id, .. } => {
                    assert_eq!(self.call(*call_id).view.status, CallStatus::Running);
                }
                Effect::CallModel { run_id, .. } => self.check_request(*run_id),
                Effect::HaltModel { .. } | Effect::HaltCalls { .. } => {}
            }
        }
    }

    fn check_request(&self, run_id: RunId) {
        let read = |reader: &store::Reader<'_>| reader.call_rows_of_path(session_id());
        let calls = self.store.read(read).unwrap();
        let whole: Vec<_> = self
            .path()
            .into_iter()
            .filter(|message| message.status == MessageStatus::Complete)
            .map(|message| message.message_id)
            .collect();
        for call in calls {
            if whole.contains(&call.view.message_id) {
                assert!(has_result(&call), "{run_id} is told of {call:?}");
            }
        }
    }

    /// What must be true of the rows whenever anybody looks.
    pub(super) fn check_standing(&self) {
        let read = |reader: &store::Reader<'_>| reader.violations(&[session_id()]);
        let violations = self.store.read(read).unwrap();
        assert!(violations.is_empty(), "{violations:?}");
        let state = self.state().unwrap();
        let Some(run) = &state.run else { return };
        for call in &run.calls {
            self.check_call(call);
        }
        let has = |status| run.calls.iter().any(|call| call.view.status == status);
        let is_asking = run
            .step
            .as_ref()
            .is_some_and(|step| step.status == StepStatus::Running);
        match run.status {
            // It never stands still, and never both asks and acts.
            RunStatus::Running => {
                let acts = has(CallStatus::Running) || has(CallStatus::Ready);
                assert!(is_asking || run.retry.is_some() || acts, "it stands still");
                assert!(!is_asking || run.calls.iter().all(has_result));
            }
            RunStatus::Waiting => {
                assert!(has(CallStatus::Waiting) || has(CallStatus::InDoubt));
                assert!(!has(CallStatus::Running) && !is_asking);
            }
            _ => assert!(!is_asking && run.retry.is_none()),
        }
        if run.status.is_terminal() {
            assert!(!has(CallStatus::Waiting), "nobody answers any more");
        }
    }

    fn check_call(&self, call: &CallRow) {
        let view = &call.view;
        let again = self.again.get(&view.call_id).copied().unwrap_or(0);
        match view.effect {
            EffectClass::Once => assert!(view.bodies <= 1 + again, "done twice: {call:?}"),
            EffectClass::Read | EffectClass::Idempotent => {
                assert!(view.bodies <= 3, "{call:?}");
                assert_ne!(view.status, CallStatus::InDoubt);
            }
        }
        assert_eq!(view.result.is_some(), view.status.is_terminal(), "{call:?}");
        let is_unknown = view.status == CallStatus::InDoubt;
        assert_eq!(view.doubt.is_some(), is_unknown, "{call:?}");
    }

    /// Every call that ever was, and every event.
    pub(super) fn check_all(&self) {
        for call_id in &self.calls {
            self.check_call(&self.call(*call_id));
        }
        self.check_events();
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
                Event::RunResumed { run_id } | Event::RunContinued { run_id } => {
                    (run_id, RunStatus::Running)
                }
                Event::RunWaiting { run_id } => (run_id, RunStatus::Waiting),
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
        assert!(runs.values().filter(|status| status.is_live()).count() <= 1);
        for (run_id, told) in runs {
            let stored = self.store.read(|reader| reader.run(run_id)).unwrap();
            assert_eq!(stored.unwrap().status, told);
        }
    }
}
