//! The app ends, or has ended, while a run was going.

use protocol::{Event, MessageId, RunReason, RunStatus};
use store::{Change, SessionState};

use super::halt::{Halt, end_attempt};
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
    decision.change(Change::MoveRun {
        run_id,
        from: RunStatus::Running,
        to: RunStatus::Interrupted,
        reason: Some(reason),
        error: None,
        at_ms,
    });
    decision.event(
        state.session_id,
        at_ms,
        Event::RunInterrupted { run_id, reason },
    );
    let session_id = state.session_id;
    decision
        .effects
        .push(Effect::HaltModel { session_id, run_id });
    decision
}
