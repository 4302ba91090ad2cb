//! The person stops a run. Stopping what is not live changes nothing: the answer says where the
//! run stands, so that a stop that comes too late is no error.

use protocol::{MessageId, RunId, RunReason};
use store::SessionState;

use super::Decision;
use super::halt::{HaltedRun, halt};

pub(crate) fn stop_run(
    state: &SessionState,
    run_id: RunId,
    message_id: MessageId,
    at_ms: u64,
) -> Decision {
    let live = state
        .run
        .as_ref()
        .filter(|run| run.run_id == run_id && run.status.is_live());
    let Some(run) = live else {
        return Decision::nothing();
    };
    halt(
        state,
        run,
        HaltedRun::Stopped,
        RunReason::StoppedByUser,
        message_id,
        at_ms,
    )
}
