//! A run is halted: stopped or given up by the person, or interrupted because the app closes.

use protocol::{
    ApprovalStatus, CallStatus, CommandError, ErrorCode, Event, RunId, RunReason, RunStatus,
    StepStatus,
};
use store::{Change, SessionState};

use super::draft::Draft;
use super::{Decision, Effect, Given};

/// The person stops a run; it can be resumed. A stop for a run that is over, or for another one
/// than the newest, changes nothing.
pub(crate) fn stop_run(state: &SessionState, run_id: RunId, given: &Given<'_>) -> Decision {
    let Some(mut draft) =
        Draft::of_run(state, run_id, given).filter(|draft| draft.run.status.is_live())
    else {
        return Decision::nothing();
    };
    end_open_calls(
        &mut draft,
        ApprovalStatus::Closed,
        "Not run: the person stopped.",
    );
    halt(&mut draft, RunStatus::Stopped, RunReason::StoppedByUser);
    draft.decision
}

/// The person ends a run for good. What had arrived is kept.
pub(crate) fn cancel_run(
    state: &SessionState,
    run_id: RunId,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    let Some(mut draft) = Draft::of_run(state, run_id, given) else {
        return Err(over(run_id));
    };
    match draft.run.status {
        RunStatus::Cancelled => return Ok(Decision::nothing()),
        RunStatus::Completed | RunStatus::Failed => return Err(over(run_id)),
        RunStatus::Queued
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Stopped
        | RunStatus::Interrupted => {}
    }
    super::start_run::refuse_doubt(state)?;
    give_up(&mut draft, RunReason::Discarded);
    Ok(draft.decision)
}

/// The person has seen that a run failed: it needs nobody any more.
pub(crate) fn dismiss_run(
    state: &SessionState,
    run_id: RunId,
    given: &Given<'_>,
) -> Option<Decision> {
    let mut draft = Draft::of_run(state, run_id, given)
        .filter(|draft| draft.run.status == RunStatus::Failed)?;
    if !draft.run.is_dismissed {
        let at_ms = given.at_ms;
        draft.change(Change::DismissRun { run_id, at_ms });
    }
    Some(draft.decision)
}

/// Ends a run that is live or halted, for good.
pub(super) fn give_up(draft: &mut Draft<'_>, reason: RunReason) {
    end_open_calls(
        draft,
        ApprovalStatus::Closed,
        "Not run: the run was given up.",
    );
    draft.end_model_call(StepStatus::Cancelled, None);
    cancel_interrupted_step(draft);
    halt(draft, RunStatus::Cancelled, reason);
}

/// The app closes while a run is going. Questions stay open, calls that may start stay so; only a
/// running run is interrupted, and one that waits for its next try goes on after the next start.
pub(crate) fn interrupt(state: &SessionState, reason: RunReason, given: &Given<'_>) -> Decision {
    let is_running =
        |draft: &Draft<'_>| draft.run.status == RunStatus::Running && draft.run.retry.is_none();
    let Some(mut draft) = Draft::of(state, given).filter(is_running) else {
        return Decision::nothing();
    };
    halt(&mut draft, RunStatus::Interrupted, reason);
    draft.decision
}

/// Calls that have not started end with a result that says so.
pub(super) fn end_open_calls(draft: &mut Draft<'_>, to: ApprovalStatus, text: &str) {
    let unstarted = |status| {
        matches!(
            status,
            CallStatus::Proposed | CallStatus::Waiting | CallStatus::Ready
        )
    };
    let open = draft.calls_that(unstarted);
    let had_open = !open.is_empty();
    for index in open {
        draft.answer(index, to, None);
        draft.end_unstarted(index, CallStatus::Cancelled, text);
    }
    if had_open {
        draft.merge_if_over();
    }
}

/// Moves the run, says so, and has whatever is going end.
pub(super) fn halt(draft: &mut Draft<'_>, to: RunStatus, reason: RunReason) {
    draft.end_model_call(StepStatus::Interrupted, None);
    draft.clear_retry();
    draft.move_run(to, Some(reason), None);
    let (session_id, run_id) = (draft.session_id(), draft.run.run_id);
    draft.event(match to {
        RunStatus::Stopped => Event::RunStopped { run_id, reason },
        RunStatus::Cancelled => Event::RunCancelled { run_id, reason },
        RunStatus::Interrupted
        | RunStatus::Queued
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Completed
        | RunStatus::Failed => Event::RunInterrupted { run_id, reason },
    });
    draft.effect(Effect::HaltModel { session_id, run_id });
    draft.effect(Effect::HaltCalls { run_id });
}

/// Gives up a step that was cut off earlier.
fn cancel_interrupted_step(draft: &mut Draft<'_>) {
    let Some(step) = draft
        .run
        .step
        .as_mut()
        .filter(|step| step.status == StepStatus::Interrupted)
    else {
        return;
    };
    step.status = StepStatus::Cancelled;
    let step_id = step.step_id;
    draft.change(Change::MoveStep {
        step_id,
        from: StepStatus::Interrupted,
        to: StepStatus::Cancelled,
        at_ms: draft.given.at_ms,
    });
    let run_id = draft.run.run_id;
    draft.event(Event::StepCancelled { run_id, step_id });
}

fn over(run_id: RunId) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        "This run is over.",
        "There is nothing left to discard.",
    )
    .about_run(run_id)
}
