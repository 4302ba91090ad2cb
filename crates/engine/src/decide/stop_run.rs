//! The person stops a run. Stopping what is not live changes nothing: the answer says where the
//! run stands, so that a stop that comes too late is no error.

use protocol::{MessageId, RunId, RunReason};
use store::SessionState;

use super::halt::{Halt, HaltedRun, end_attempt, halt_run};
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
    halt_run(&mut decision, state, run, HaltedRun::Stopped, reason, at_ms);
    let session_id = state.session_id;
    decision
        .effects
        .push(Effect::HaltModel { session_id, run_id });
    decision
}
