//! The person resumes a halted run: it goes on exactly where it was. One that waits for its next try tries now.

use protocol::{CommandError, ErrorCode, Event, RunId, RunStatus, StepStatus};
use store::{Change, SessionState};

use super::draft::Draft;
use super::retry::try_now;
use super::start_run::refuse_doubt;
use super::{Decision, Given};

pub(crate) fn resume_run(
    state: &SessionState,
    run_id: RunId,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    if let Some(decision) = try_now(state, run_id, given) {
        return Ok(decision);
    }
    let mut draft = resumable(state, run_id, given)?;
    refuse_doubt(state)?;
    if draft.run.reason.is_some_and(protocol::RunReason::is_limit) {
        draft.change(Change::RenewBudget { run_id });
        draft.run.used = store::Used::default();
    }
    draft.move_run(RunStatus::Running, None, None);
    draft.event(Event::RunResumed { run_id });
    let is_cut_off = draft
        .run
        .step
        .as_ref()
        .is_some_and(|step| step.status == StepStatus::Interrupted);
    if is_cut_off {
        draft.start_model_attempt();
    } else {
        draft.advance();
    }
    Ok(draft.decision)
}

fn resumable<'a>(
    state: &SessionState,
    run_id: RunId,
    given: &'a Given<'a>,
) -> Result<Draft<'a>, CommandError> {
    let refused = |message: &str, hint: &str| {
        CommandError::new(ErrorCode::NotActionable, message, hint).about_run(run_id)
    };
    let Some(draft) = Draft::of_run(state, run_id, given) else {
        return Err(refused(
            "The session has moved on since this run.",
            "Send a new message to go on from here.",
        ));
    };
    if draft.run.status.is_live() {
        return Err(refused(
            "This run is going already.",
            "There is nothing to resume.",
        ));
    }
    if draft.run.status.is_terminal() {
        return Err(refused(
            "This run is over.",
            "Send a new message to go on from here.",
        ));
    }
    Ok(draft)
}
