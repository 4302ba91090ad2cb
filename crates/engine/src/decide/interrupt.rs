//! The app ends, or has ended, while a run was going.

use protocol::{MessageId, RunReason, RunStatus};
use store::SessionState;

use super::halt::{Halt, HaltedRun, end_attempt, halt_run};
use super::{Decision, Effect};

/// Only a running run is interrupted: one that waits or is queued holds nothing and just stays.
pub(crate) fn interrupt(
    state: &SessionState,
    reason: RunReason,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let mut decision = Decision::nothing();
    let running = state
        .run
        .as_ref()
        .filter(|run| run.status == RunStatus::Running);
    let Some(run) = running else { return decision };
    let run_id = run.run_id;
    end_attempt(
        &mut decision,
        state,
        run,
        Halt::Interrupted,
        message_id,
        at_ms,
    );
    halt_run(
        &mut decision,
        state,
        run,
        HaltedRun::Interrupted,
        reason,
        at_ms,
    );
    let session_id = state.session_id;
    decision
        .effects
        .push(Effect::HaltModel { session_id, run_id });
    decision
}
