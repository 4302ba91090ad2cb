//! The body of a tool call ended: outcome and result are written together.

use protocol::{
    CallStatus, DoubtView, EffectClass, ErrorClass, RunStatus, StepId, StepStatus, ToolResult,
    Usage,
};
use store::{CallRow, Change, SessionState};

use super::draft::{Draft, error_result, save};
use super::{Decision, Given};
use crate::tool::{Output, ToolError};

/// Bytes of a result that are shown and told to the model at once. The rest is read on demand.
pub(crate) const RESULT_BYTES: usize = 64 * 1024;
/// Bytes of a result that are kept. What a tool prints beyond that is not.
const WHOLE_BYTES: usize = 8 * 1024 * 1024;

/// How the body of a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallEnd {
    Completed(Output),
    /// It failed, and its end was seen.
    Failed(ToolError),
    /// It was told to stop, and did.
    Stopped,
    /// It was told to end because the app closes, and may be run again.
    Interrupted,
    /// Nobody saw its end.
    Unseen {
        class: ErrorClass,
        reason: String,
    },
}

/// An outcome of an attempt that is over already changes nothing. `call` is the call as it is
/// stored, whatever has become of its run.
pub(crate) fn call_outcome(
    state: &SessionState,
    call: &CallRow,
    attempt: (StepId, u32),
    end: &CallEnd,
    can_check: bool,
    given: &Given<'_>,
) -> Decision {
    let is_current = call.view.status == CallStatus::Running
        && (call.step_id, call.attempt) == (Some(attempt.0), attempt.1);
    if !is_current {
        return Decision::nothing();
    }
    let draft = Draft::of_run(state, call.view.run_id, given);
    let Some((mut draft, index)) = draft.and_then(|draft| {
        let index = draft.index_of(call.view.call_id)?;
        Some((draft, index))
    }) else {
        // The session has moved on; the outcome is kept all the same.
        let mut decision = Decision::nothing();
        let mut call = call.clone();
        let (written, whole) = ended(&call, end, false, can_check, given);
        end_step(&mut decision, &call, step_end(written.view.status), given);
        stage(&mut decision, &call, end);
        save(&mut decision, &mut call, whole, given, |call| {
            *call = written
        });
        merge_alone(&mut decision, &call);
        return decision;
    };
    let call = draft.run.calls[index].clone();
    let is_over = draft.run.status.is_terminal();
    let (written, whole) = ended(&call, end, is_over, can_check, given);
    end_step(
        &mut draft.decision,
        &call,
        step_end(written.view.status),
        given,
    );
    stage(&mut draft.decision, &call, end);
    let (effect, status) = (written.view.effect, written.view.status);
    draft.run.used.steps += u32::from(status == CallStatus::Completed);
    let started_at_ms = call.view.started_at_ms.unwrap_or(given.at_ms);
    draft.run.used.ms += given.at_ms.saturating_sub(started_at_ms);
    if status == CallStatus::InDoubt {
        draft.state.doubts.push(call.view.call_id);
    }
    draft.save_call_with(index, whole, |call| *call = written);
    draft.proceed();
    // What is read can be read again. A run that now waits has been told to the person.
    draft.decision.is_relaxed = effect == EffectClass::Read
        && status != CallStatus::InDoubt
        && draft.run.status == RunStatus::Running;
    draft.decision
}

const fn step_end(status: CallStatus) -> StepStatus {
    match status {
        CallStatus::Completed => StepStatus::Completed,
        CallStatus::InDoubt | CallStatus::Ready => StepStatus::Interrupted,
        CallStatus::Cancelled | CallStatus::Skipped => StepStatus::Cancelled,
        CallStatus::Failed
        | CallStatus::Denied
        | CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Running => StepStatus::Failed,
    }
}

/// The attempt and the step of a running call end.
pub(super) fn end_step(decision: &mut Decision, call: &CallRow, to: StepStatus, given: &Given<'_>) {
    let Some(step_id) = call.step_id else { return };
    decision.change(Change::EndAttempt {
        step_id,
        attempt: call.attempt,
        to,
        streamed_bytes: 0,
        usage: Usage::default(),
        fill: None,
        error: None,
        at_ms: given.at_ms,
    });
    decision.change(Change::MoveStep {
        step_id,
        from: StepStatus::Running,
        to,
        at_ms: given.at_ms,
    });
}

fn stage(decision: &mut Decision, call: &CallRow, end: &CallEnd) {
    if let CallEnd::Completed(output) = end
        && !output.state.is_empty()
    {
        decision.change(Change::StageState {
            call_id: call.view.call_id,
            changes: output.state.clone(),
        });
    }
}

/// The session has left the run of this call behind: what is staged there waits for nobody.
pub(super) fn merge_alone(decision: &mut Decision, call: &CallRow) {
    decision.change(Change::MergeState {
        session_id: call.view.session_id,
        message_id: call.view.message_id,
    });
}

/// The call as it is after this end, and the whole of its result where that is cut.
fn ended(
    call: &CallRow,
    end: &CallEnd,
    is_over: bool,
    can_check: bool,
    given: &Given<'_>,
) -> (CallRow, Option<String>) {
    let mut call = call.clone();
    call.view.ended_at_ms = Some(given.at_ms);
    match end {
        CallEnd::Completed(output) => {
            call.view.status = CallStatus::Completed;
            let (result, whole) = result_of(&output.text, None);
            call.view.result = Some(result);
            return (call, whole);
        }
        CallEnd::Failed(error) => {
            call.view.status = CallStatus::Failed;
            let (result, whole) = result_of(&error.message, Some(error.class));
            call.view.result = Some(result);
            return (call, whole);
        }
        CallEnd::Stopped => {
            call.view.status = CallStatus::Cancelled;
            let text = "Stopped by the person before it ended.";
            call.view.result = Some(error_result(ErrorClass::Cancelled, text));
        }
        CallEnd::Interrupted => cut_off(
            &mut call,
            "The app closed while this was running.",
            is_over,
            can_check,
        ),
        CallEnd::Unseen { reason, .. } if call.view.effect == EffectClass::Once => {
            doubt(&mut call, reason, can_check);
        }
        CallEnd::Unseen { class, reason } => {
            call.view.status = CallStatus::Failed;
            call.view.result = Some(error_result(*class, reason));
        }
    }
    (call, None)
}

/// Its process went away under it. A call that may be run again may start again, unless its run is
/// over and nobody would start it; of one that must not, nobody knows.
pub(super) fn cut_off(call: &mut CallRow, reason: &str, is_over: bool, can_check: bool) {
    match call.view.effect {
        EffectClass::Once => doubt(call, reason, can_check),
        EffectClass::Read | EffectClass::Idempotent if is_over => {
            call.view.status = CallStatus::Cancelled;
            let text = format!("{reason} It may have happened, and is not run again.");
            call.view.result = Some(error_result(ErrorClass::Cancelled, &text));
        }
        EffectClass::Read | EffectClass::Idempotent => {
            call.view.status = CallStatus::Ready;
            call.view.ended_at_ms = None;
        }
    }
}

/// Nobody knows whether it happened.
pub(super) fn doubt(call: &mut CallRow, reason: &str, can_check: bool) {
    call.view.status = CallStatus::InDoubt;
    call.view.ended_at_ms = None;
    call.view.doubt = Some(DoubtView {
        reason: reason.to_owned(),
        can_check,
        checks: 0,
        next_check_at_ms: None,
    });
}

/// A result, and the whole of it where it is cut: on a character boundary, with what is left out
/// said by the total.
pub(super) fn result_of(text: &str, error: Option<ErrorClass>) -> (ToolResult, Option<String>) {
    let shown = cut(text, RESULT_BYTES);
    let result = ToolResult {
        text: shown.to_owned(),
        is_error: error.is_some(),
        class: error,
        total_bytes: text.len() as u64,
    };
    let whole = (shown.len() < text.len()).then(|| cut(text, WHOLE_BYTES).to_owned());
    (result, whole)
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
