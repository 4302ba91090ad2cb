//! A model call ended: its message is written and the run ends, or its error is.

use protocol::{
    Block, Event, Message, MessageId, MessageStatus, Role, RunError, RunStatus, StepId, StepStatus,
    Usage,
};
use store::{Change, RunState, SessionState, StepState};

use super::Decision;
use super::halt::{Halt, end_attempt};

/// How an attempt at a model call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed { blocks: Vec<Block>, usage: Usage },
    Failed(RunError),
}

/// An outcome that comes after the attempt was halted changes nothing.
pub(crate) fn outcome(
    state: &SessionState,
    step_id: StepId,
    attempt: u32,
    result: &Outcome,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let mut decision = Decision::nothing();
    let Some(run) = state
        .run
        .as_ref()
        .filter(|run| run.status == RunStatus::Running)
    else {
        return decision;
    };
    let is_current = |step: &&StepState| {
        step.step_id == step_id && step.attempt == attempt && step.status == StepStatus::Running
    };
    let Some(step) = run.step.as_ref().filter(is_current) else {
        return decision;
    };
    match result {
        Outcome::Completed { blocks, usage } => {
            let message = whole_message(state, run, step, blocks, message_id, at_ms);
            complete(&mut decision, state, run, step, message, *usage, at_ms);
        }
        Outcome::Failed(error) => {
            let halt = Halt::Failed(error.clone());
            end_attempt(&mut decision, state, run, halt, message_id, at_ms);
            decision.change(Change::MoveRun {
                run_id: run.run_id,
                from: RunStatus::Running,
                to: RunStatus::Failed,
                reason: None,
                error: Some(error.clone()),
                at_ms,
            });
            let event = Event::RunFailed {
                run_id: run.run_id,
                error: error.clone(),
            };
            decision.event(state.session_id, at_ms, event);
        }
    }
    decision
}

fn complete(
    decision: &mut Decision,
    state: &SessionState,
    run: &RunState,
    step: &StepState,
    message: Message,
    usage: Usage,
    at_ms: u64,
) {
    let (run_id, step_id, attempt) = (run.run_id, step.step_id, step.attempt);
    decision.change(Change::EndAttempt {
        step_id,
        attempt,
        to: StepStatus::Completed,
        streamed_bytes: step.streamed_bytes,
        usage,
        error: None,
        at_ms,
    });
    decision.change(Change::MoveStep {
        step_id,
        from: StepStatus::Running,
        to: StepStatus::Completed,
        at_ms,
    });
    decision.change(Change::AddMessage {
        session_id: state.session_id,
        message: message.clone(),
    });
    let event = Event::StepCompleted {
        run_id,
        step_id,
        attempt,
        message,
        calls: Vec::new(),
        usage,
    };
    decision.event(state.session_id, at_ms, event);
    decision.change(Change::MoveRun {
        run_id,
        from: RunStatus::Running,
        to: RunStatus::Completed,
        reason: None,
        error: None,
        at_ms,
    });
    decision.event(state.session_id, at_ms, Event::RunCompleted { run_id });
}

fn whole_message(
    state: &SessionState,
    run: &RunState,
    step: &StepState,
    blocks: &[Block],
    message_id: MessageId,
    at_ms: u64,
) -> Message {
    Message {
        message_id,
        branch: 0,
        position: state.message_count + 1,
        role: Role::Agent,
        status: MessageStatus::Complete,
        blocks: blocks.to_vec(),
        run_id: Some(run.run_id),
        step_id: Some(step.step_id),
        attempt: Some(step.attempt),
        model: Some(run.model.clone()),
        created_at_ms: at_ms,
    }
}
