//! What every halt of a run has in common: the attempt ends, and what had arrived is kept.

use protocol::{
    Event, Message, MessageId, MessageStatus, Role, RunError, RunReason, RunStatus, StepStatus,
    Usage,
};
use store::{Change, RunState, SessionState, StepState};

use super::{Decision, Effect};

/// How a running attempt is ended before its time.
pub(super) enum Halt {
    /// Cut off; another attempt may follow.
    Interrupted,
    /// Cut off, and given up.
    Cancelled,
    /// Ended with an error.
    Failed(RunError),
}

/// Ends the running attempt of a run, if there is one, and keeps its text as a partial message.
pub(super) fn end_attempt(
    decision: &mut Decision,
    state: &SessionState,
    run: &RunState,
    halt: Halt,
    message_id: MessageId,
    at_ms: u64,
) {
    let Some(step) = run
        .step
        .as_ref()
        .filter(|step| step.status == StepStatus::Running)
    else {
        return;
    };
    let message = partial_message(state, run, step, message_id, at_ms);
    let (to, error) = match &halt {
        Halt::Interrupted => (StepStatus::Interrupted, None),
        Halt::Cancelled => (StepStatus::Cancelled, None),
        Halt::Failed(error) => (StepStatus::Failed, Some(error.clone())),
    };
    decision.change(Change::EndAttempt {
        step_id: step.step_id,
        attempt: step.attempt,
        to,
        streamed_bytes: step.streamed_bytes,
        usage: Usage::default(),
        error,
        at_ms,
    });
    decision.change(Change::MoveStep {
        step_id: step.step_id,
        from: StepStatus::Running,
        to,
        at_ms,
    });
    if let Some(message) = &message {
        let message = message.clone();
        decision.change(Change::AddMessage {
            session_id: state.session_id,
            message,
        });
    }
    let (run_id, step_id, attempt) = (run.run_id, step.step_id, step.attempt);
    let event = match halt {
        Halt::Interrupted | Halt::Cancelled => Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message,
        },
        Halt::Failed(error) => Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error,
            message,
        },
    };
    decision.event(state.session_id, at_ms, event);
}

/// Halts a run for whatever reason: its attempt ends, the run moves, and then its model call is
/// ended.
pub(super) fn halt(
    state: &SessionState,
    run: &RunState,
    halted: HaltedRun,
    reason: RunReason,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let mut decision = Decision::nothing();
    let attempt = match halted {
        HaltedRun::Stopped | HaltedRun::Interrupted => Halt::Interrupted,
        HaltedRun::Cancelled => Halt::Cancelled,
    };
    end_attempt(&mut decision, state, run, attempt, message_id, at_ms);
    if let HaltedRun::Cancelled = halted {
        cancel_interrupted_step(&mut decision, state, run, at_ms);
    }
    halt_run(&mut decision, state, run, halted, reason, at_ms);
    decision.effects.push(Effect::HaltModel {
        session_id: state.session_id,
        run_id: run.run_id,
    });
    decision
}

/// Where a halt takes a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum HaltedRun {
    Stopped,
    Interrupted,
    Cancelled,
}

/// Moves a run that is halted, and says so.
pub(super) fn halt_run(
    decision: &mut Decision,
    state: &SessionState,
    run: &RunState,
    halted: HaltedRun,
    reason: RunReason,
    at_ms: u64,
) {
    let run_id = run.run_id;
    let (to, event) = match halted {
        HaltedRun::Stopped => (RunStatus::Stopped, Event::RunStopped { run_id, reason }),
        HaltedRun::Interrupted => (
            RunStatus::Interrupted,
            Event::RunInterrupted { run_id, reason },
        ),
        HaltedRun::Cancelled => (RunStatus::Cancelled, Event::RunCancelled { run_id, reason }),
    };
    decision.change(Change::MoveRun {
        run_id,
        from: run.status,
        to,
        reason: Some(reason),
        error: None,
        at_ms,
    });
    decision.event(state.session_id, at_ms, event);
}

/// Gives up a step that was cut off earlier.
pub(super) fn cancel_interrupted_step(
    decision: &mut Decision,
    state: &SessionState,
    run: &RunState,
    at_ms: u64,
) {
    let Some(step) = run
        .step
        .as_ref()
        .filter(|step| step.status == StepStatus::Interrupted)
    else {
        return;
    };
    decision.change(Change::MoveStep {
        step_id: step.step_id,
        from: StepStatus::Interrupted,
        to: StepStatus::Cancelled,
        at_ms,
    });
    let event = Event::StepCancelled {
        run_id: run.run_id,
        step_id: step.step_id,
    };
    decision.event(state.session_id, at_ms, event);
}

fn partial_message(
    state: &SessionState,
    run: &RunState,
    step: &StepState,
    message_id: MessageId,
    at_ms: u64,
) -> Option<Message> {
    (!step.blocks.is_empty()).then(|| Message {
        message_id,
        branch: 0,
        position: state.message_count + 1,
        role: Role::Agent,
        status: MessageStatus::Partial,
        blocks: step.blocks.clone(),
        run_id: Some(run.run_id),
        step_id: Some(step.step_id),
        attempt: Some(step.attempt),
        model: Some(run.model.clone()),
        created_at_ms: at_ms,
    })
}
