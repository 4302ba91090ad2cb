//! The person ends a run for good. What had arrived is kept.

use protocol::{CommandError, ErrorCode, MessageId, RunId, RunReason, RunStatus};
use store::SessionState;

use super::halt::{Halt, HaltedRun, cancel_interrupted_step, end_attempt, halt_run};
use super::{Decision, Effect};

pub(crate) fn cancel_run(
    state: &SessionState,
    run_id: RunId,
    message_id: MessageId,
    at_ms: u64,
) -> Result<Decision, CommandError> {
    let mut decision = Decision::nothing();
    let Some(run) = state.run.as_ref().filter(|run| run.run_id == run_id) else {
        return Err(over(run_id));
    };
    match run.status {
        RunStatus::Cancelled => return Ok(decision),
        RunStatus::Completed | RunStatus::Failed => return Err(over(run_id)),
        RunStatus::Queued
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Stopped
        | RunStatus::Interrupted => {}
    }
    let reason = RunReason::Discarded;
    end_attempt(
        &mut decision,
        state,
        run,
        Halt::Cancelled,
        message_id,
        at_ms,
    );
    cancel_interrupted_step(&mut decision, state, run, at_ms);
    halt_run(
        &mut decision,
        state,
        run,
        HaltedRun::Cancelled,
        reason,
        at_ms,
    );
    let session_id = state.session_id;
    decision
        .effects
        .push(Effect::HaltModel { session_id, run_id });
    Ok(decision)
}

fn over(run_id: RunId) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "This run is over.",
        "There is nothing left to discard.",
    )
    .about_run(run_id)
}
