//! The app ends, or has ended, while a run was going.

use protocol::{MessageId, RunReason, RunStatus};
use store::SessionState;

use super::Decision;
use super::halt::{HaltedRun, halt};

/// Only a running run is interrupted: one that waits or is queued holds nothing and just stays.
pub(crate) fn interrupt(
    state: &SessionState,
    reason: RunReason,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let running = state
        .run
        .as_ref()
        .filter(|run| run.status == RunStatus::Running);
    let Some(run) = running else {
        return Decision::nothing();
    };
    halt(
        state,
        run,
        HaltedRun::Interrupted,
        reason,
        message_id,
        at_ms,
    )
}
