//! The state that a decision leads to, as the store would read it.

use protocol::StepStatus;
use store::{Change, RunState, SessionState, StepKind, StepState, Used};

use super::super::Decision;

/// Applies the changes of a decision. Moves from another status than the one that is there panic,
/// as the store would refuse them.
pub(crate) fn after(state: &SessionState, decision: &Decision) -> SessionState {
    let mut state = state.clone();
    for change in &decision.changes {
        apply(&mut state, change);
    }
    state.doubts = match &state.run {
        Some(run) => run
            .calls
            .iter()
            .filter(|call| call.view.status == protocol::CallStatus::InDoubt)
            .map(|call| call.view.call_id)
            .collect(),
        None => Vec::new(),
    };
    state
}

fn apply(state: &mut SessionState, change: &Change) {
    match change {
        Change::AddMessage { message, .. } => {
            assert_eq!(message.position, state.message_count + 1);
            state.message_count = message.position;
        }
        Change::Enqueue { message, .. } => state.queue.push(message.clone()),
        Change::Dequeue { message_id } => {
            state.queue.retain(|one| one.message_id != *message_id);
        }
        Change::DeleteSession { deleted_at_ms, .. } => state.deleted_at_ms = *deleted_at_ms,
        Change::CreateRun(run) => {
            state.run = Some(RunState {
                run_id: run.run_id,
                status: protocol::RunStatus::Running,
                reason: None,
                model: run.model.clone(),
                agent_id: run.agent_id,
                message_id: run.message_id,
                pin: run.pin.clone(),
                used: Used::default(),
                retry: None,
                retry_failed: 0,
                crashes: 0,
                crashes_total: 0,
                updated_at_ms: run.at_ms,
                is_dismissed: false,
                step: None,
                calls: Vec::new(),
                same_round: None,
            });
        }
        _ => {
            if let Some(run) = &mut state.run {
                apply_to_run(run, change);
            }
        }
    }
}

fn apply_to_run(run: &mut RunState, change: &Change) {
    match change {
        Change::MoveRun {
            from, to, reason, ..
        } => {
            assert_eq!(run.status, *from);
            assert!(from.may_become(*to), "{from:?} -> {to:?}");
            (run.status, run.reason) = (*to, *reason);
        }
        Change::RenewBudget { .. } => run.used = Used::default(),
        Change::SetRetry { retry, .. } => {
            run.retry_failed = retry.as_ref().map_or(run.retry_failed, |r| r.failed);
            run.retry.clone_from(retry);
        }
        Change::CountCrash { .. } => run.crashes += 1,
        Change::CreateStep { step_id, kind, .. } if *kind != StepKind::ToolCall => {
            let before = run.step.as_ref();
            run.step = Some(StepState {
                step_id: *step_id,
                position: before.map_or(1, |step| step.position + 1),
                is_compaction: *kind == StepKind::Compaction,
                follows_compaction: before.is_some_and(|step| step.is_compaction),
                status: StepStatus::Planned,
                attempt: 0,
                streamed_bytes: 0,
                blocks: Vec::new(),
            });
        }
        Change::MoveStep {
            step_id, from, to, ..
        } => {
            assert!(from.may_become(*to), "{from:?} -> {to:?}");
            if let Some(step) = run.step.as_mut().filter(|step| step.step_id == *step_id) {
                assert_eq!(step.status, *from);
                step.status = *to;
                step.blocks.clear();
            }
        }
        Change::StartAttempt {
            step_id, attempt, ..
        } => {
            if let Some(step) = run.step.as_mut().filter(|step| step.step_id == *step_id) {
                assert_eq!(step.attempt + 1, *attempt);
                step.attempt = *attempt;
            }
        }
        Change::AddCall(call) => {
            let mut call = (**call).clone();
            call.revision = 1;
            run.calls
                .retain(|one| one.view.message_id == call.view.message_id);
            run.calls.push(call);
        }
        Change::SaveCall { call, from, .. } => {
            let id = call.view.call_id;
            let stored = run.calls.iter_mut().find(|one| one.view.call_id == id);
            let stored = stored.unwrap();
            assert_eq!(
                (stored.view.status, stored.revision),
                (*from, call.revision)
            );
            let to = call.view.status;
            assert!(*from == to || from.may_become(to), "{from:?} -> {to:?}");
            *stored = (**call).clone();
            stored.revision += 1;
        }
        _ => {}
    }
}
