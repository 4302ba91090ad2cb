//! The person ends a run for good. What had arrived is kept.

use protocol::{CommandError, ErrorCode, MessageId, RunId, RunReason, RunStatus};
use store::SessionState;

use super::Decision;
use super::halt::{HaltedRun, halt};

pub(crate) fn cancel_run(
    state: &SessionState,
    run_id: RunId,
    message_id: MessageId,
    at_ms: u64,
) -> Result<Decision, CommandError> {
    let Some(run) = state.run.as_ref().filter(|run| run.run_id == run_id) else {
        return Err(over(run_id));
    };
    match run.status {
        RunStatus::Cancelled => return Ok(Decision::nothing()),
        RunStatus::Completed | RunStatus::Failed => return Err(over(run_id)),
        RunStatus::Queued
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Stopped
        | RunStatus::Interrupted => {}
    }
    Ok(halt(
        state,
        run,
        HaltedRun::Cancelled,
        RunReason::Discarded,
        message_id,
        at_ms,
    ))
}

fn over(run_id: RunId) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "This run is over.",
        "There is nothing left to discard.",
    )
    .about_run(run_id)
}
