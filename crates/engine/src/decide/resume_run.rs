//! The person resumes a halted run: the step that was cut off gets a new attempt.

use protocol::{CommandError, ErrorCode, Event, RunId, RunStatus, StepStatus};
use store::{Change, RunState, SessionState, StepState};

use super::{Decision, Effect};

pub(crate) fn resume_run(
    state: &SessionState,
    run_id: RunId,
    at_ms: u64,
) -> Result<Decision, CommandError> {
    let (run, step) = resumable(state, run_id)?;
    let session_id = state.session_id;
    let (step_id, attempt) = (step.step_id, step.attempt + 1);
    let mut decision = Decision::nothing();
    decision.change(Change::MoveRun {
        run_id,
        from: run.status,
        to: RunStatus::Running,
        reason: None,
        error: None,
        at_ms,
    });
    decision.event(session_id, at_ms, Event::RunResumed { run_id });
    decision.change(Change::MoveStep {
        step_id,
        from: StepStatus::Interrupted,
        to: StepStatus::Running,
        at_ms,
    });
    decision.change(Change::StartAttempt {
        step_id,
        attempt,
        at_ms,
    });
    let model = run.model.clone();
    decision.event(
        session_id,
        at_ms,
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model,
        },
    );
    decision.effects.push(Effect::CallModel {
        session_id,
        run_id,
        step_id,
        attempt,
    });
    Ok(decision)
}

fn resumable(state: &SessionState, run_id: RunId) -> Result<(&RunState, &StepState), CommandError> {
    let refused = |message: &str, hint: &str| {
        CommandError::new(ErrorCode::NotActionable, message, hint).about_run(run_id)
    };
    let Some(run) = state.run.as_ref().filter(|run| run.run_id == run_id) else {
        return Err(refused(
            "The session has moved on since this run.",
            "Send a new message to go on from here.",
        ));
    };
    if run.status.is_live() {
        return Err(refused(
            "This run is going already.",
            "There is nothing to resume.",
        ));
    }
    if run.status.is_terminal() {
        return Err(refused(
            "This run is over.",
            "Send a new message to go on from here.",
        ));
    }
    match run.step.as_ref() {
        Some(step) if step.status == StepStatus::Interrupted => Ok((run, step)),
        Some(_) | None => Err(CommandError::new(
            ErrorCode::Internal,
            "This run has no step to resume.",
            "Discard it, and send the message again.",
        )),
    }
}
