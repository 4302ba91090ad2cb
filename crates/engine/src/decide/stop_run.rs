//! The person stops a run. Stopping what is not live changes nothing: the answer says where the
//! run stands, so that a stop that comes too late is no error.

use protocol::{Event, MessageId, RunId, RunReason, RunStatus};
use store::{Change, SessionState};

use super::halt::{Halt, end_attempt};
use super::{Decision, Effect};

pub(crate) fn stop_run(
    state: &SessionState,
    run_id: RunId,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let mut decision = Decision::nothing();
    let live = state
        .run
        .as_ref()
        .filter(|run| run.run_id == run_id && run.status.is_live());
    let Some(run) = live else { return decision };
    let reason = RunReason::StoppedByUser;
    end_attempt(
        &mut decision,
        state,
        run,
        Halt::Interrupted,
        message_id,
        at_ms,
    );
    decision.change(Change::MoveRun {
        run_id,
        from: run.status,
        to: RunStatus::Stopped,
        reason: Some(reason),
        error: None,
        at_ms,
    });
    decision.event(
        state.session_id,
        at_ms,
        Event::RunStopped { run_id, reason },
    );
    let session_id = state.session_id;
    decision
        .effects
        .push(Effect::HaltModel { session_id, run_id });
    decision
}
