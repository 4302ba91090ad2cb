//! Taking up what a dead process left. Doing it twice changes nothing the second time.

use std::collections::HashMap;

use protocol::{ApprovalStatus, CallStatus, RunReason, RunStatus, Settings, StepStatus};
use store::{CallRow, Change, SessionState};

use super::call_outcome::{cut_off, end_step};
use super::draft::{Draft, save};
use super::halt::{end_open_calls, halt};
use super::queue::send_next;
use super::{Decision, Given};

/// Which tools can look what happened, by their names.
pub(crate) type Checkable = HashMap<String, bool>;

const UNANSWERED: &str = "Not run: the app was closed before this was answered.";

/// `stray` are calls that run, of other runs than the session's newest.
pub(crate) fn sweep(
    state: &SessionState,
    stray: &[CallRow],
    settings: &Settings,
    can_check: &Checkable,
    given: &Given<'_>,
) -> Decision {
    let mut decision = match Draft::of(state, given) {
        Some(mut draft) => {
            sweep_run(&mut draft, settings, can_check);
            draft.decision
        }
        None => Decision::nothing(),
    };
    for call in stray {
        let mut call = call.clone();
        sweep_call(&mut decision, &mut call, false, can_check, given);
    }
    // There is nothing in this process yet that could be told to end.
    decision.effects.clear();
    decision
}

fn sweep_run(draft: &mut Draft<'_>, settings: &Settings, can_check: &Checkable) {
    let running = draft.calls_that(|status| status == CallStatus::Running);
    let had_call = !running.is_empty();
    let is_over = draft.run.status.is_terminal();
    for index in running {
        let given = draft.given;
        sweep_call(
            &mut draft.decision,
            &mut draft.run.calls[index],
            is_over,
            can_check,
            given,
        );
    }
    if had_call {
        draft.merge_if_over();
    }
    let has_closed = !settings.keep_approvals && close_questions(draft);
    let had_model_call = draft
        .run
        .step
        .as_ref()
        .is_some_and(|step| step.status == StepStatus::Running);
    match draft.run.status {
        RunStatus::Running if had_model_call || had_call || draft.run.retry.is_none() => {
            let run_id = draft.run.run_id;
            draft.change(Change::CountCrash { run_id });
            halt(draft, RunStatus::Interrupted, RunReason::AppEnded);
        }
        RunStatus::Waiting if has_closed => {
            end_open_calls(draft, ApprovalStatus::Closed, UNANSWERED);
            halt(draft, RunStatus::Stopped, RunReason::AppEnded);
        }
        RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::Queued
        | RunStatus::Stopped
        | RunStatus::Interrupted
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled => {}
    }
}

/// Whether there were any. Calls that were answered stay as they are.
fn close_questions(draft: &mut Draft<'_>) -> bool {
    let asked = draft.calls_that(|status| status == CallStatus::Waiting);
    let has_asked = !asked.is_empty();
    for index in asked {
        draft.answer(index, ApprovalStatus::Closed, None);
        draft.end_unstarted(index, CallStatus::Cancelled, UNANSWERED);
    }
    if has_asked {
        draft.merge_if_over();
    }
    has_asked
}

fn sweep_call(
    decision: &mut Decision,
    call: &mut CallRow,
    is_over: bool,
    can_check: &Checkable,
    given: &Given<'_>,
) {
    end_step(decision, call, StepStatus::Interrupted, given);
    let can_check = can_check.get(&call.view.tool).copied().unwrap_or(false);
    save(decision, call, None, given, |call| {
        call.view.ended_at_ms = Some(given.at_ms);
        let reason = "The app ended while this was running.";
        cut_off(call, reason, is_over, can_check);
    });
    tracing::info!(
        name: "engine.call.swept",
        call_id = %call.view.call_id,
        status = call.view.status.as_str(),
    );
}

/// What a run's end left to do: the next message that waits is sent.
pub(crate) fn follow_up(state: &SessionState, given: &Given<'_>) -> Decision {
    let mut decision = Decision::nothing();
    let is_over = state
        .run
        .as_ref()
        .is_some_and(|run| run.status == RunStatus::Completed);
    if is_over && state.doubts.is_empty() && state.deleted_at_ms.is_none() {
        let mut state = state.clone();
        send_next(&mut decision, &mut state, given);
    }
    decision
}
