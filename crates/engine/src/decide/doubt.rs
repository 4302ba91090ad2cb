//! A tool call in doubt is settled by the person, or looked at by its tool.

use protocol::{CallStatus, CommandError, ErrorClass, ErrorCode};
use store::{CallRow, SessionState};

use super::call_outcome::{merge_alone, result_of};
use super::draft::{Draft, error_result, save};
use super::queue::send_what_waited;
use super::{Decision, Given};

/// Checks of one call in doubt.
const MAX_CHECKS: u32 = 5;
const FIRST_CHECK_MS: u64 = 10_000;
const LONGEST_CHECK_MS: u64 = 600_000;

/// How a doubt is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settle {
    /// It happened, with this result.
    Happened(String),
    /// It did not happen, or the person wants it once more.
    RunAgain,
    /// The person goes on without it.
    Skip,
}

pub(crate) fn settle_doubt(
    state: &SessionState,
    call: &CallRow,
    settle: &Settle,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    if call.view.status != CallStatus::InDoubt {
        return Err(no_doubt(call));
    }
    let draft = Draft::of_run(state, call.view.run_id, given);
    let Some((index, mut draft)) =
        draft.and_then(|draft| Some((draft.index_of(call.view.call_id)?, draft)))
    else {
        return settle_alone(state, call, settle, given);
    };
    if *settle == Settle::RunAgain && draft.run.status.is_terminal() {
        return settle_alone(state, call, settle, given);
    }
    let whole = whole_of(settle);
    draft.save_call_with(index, whole, |call| settled(call, settle, given));
    draft.state.doubts.retain(|id| *id != call.view.call_id);
    draft.proceed();
    if !draft.run.status.is_live() && *settle != Settle::RunAgain {
        // What is to run again does so when its run is resumed, and nothing gets ahead of it.
        let (mut decision, mut state) = (draft.decision, draft.state);
        state.run = Some(draft.run);
        send_what_waited(&mut decision, &state, given);
        return Ok(decision);
    }
    Ok(draft.decision)
}

/// The run of this call is over: only what is known of it can still be said.
fn settle_alone(
    state: &SessionState,
    call: &CallRow,
    settle: &Settle,
    given: &Given<'_>,
) -> Result<Decision, CommandError> {
    if *settle == Settle::RunAgain {
        return Err(CommandError::new(
            ErrorCode::NotActionable,
            "The run of this call is over, so it cannot be run again.",
            "Say that it happened, or skip it.",
        )
        .about_run(call.view.run_id));
    }
    let mut decision = Decision::nothing();
    let mut call = call.clone();
    let whole = whole_of(settle);
    save(&mut decision, &mut call, whole, given, |call| {
        settled(call, settle, given);
    });
    merge_alone(&mut decision, &call);
    let mut state = state.clone();
    state.doubts.retain(|id| *id != call.view.call_id);
    send_what_waited(&mut decision, &state, given);
    Ok(decision)
}

fn whole_of(settle: &Settle) -> Option<String> {
    match settle {
        Settle::Happened(text) => result_of(text, None).1,
        Settle::RunAgain | Settle::Skip => None,
    }
}

fn settled(call: &mut CallRow, settle: &Settle, given: &Given<'_>) {
    call.view.doubt = None;
    match settle {
        Settle::Happened(text) => {
            call.view.status = CallStatus::Completed;
            call.view.result = Some(result_of(text, None).0);
            call.view.ended_at_ms = Some(given.at_ms);
        }
        Settle::RunAgain => call.view.status = CallStatus::Ready,
        Settle::Skip => {
            call.view.status = CallStatus::Skipped;
            let text = "Skipped by the person: it is not known whether this happened.";
            call.view.result = Some(error_result(ErrorClass::InDoubt, text));
            call.view.ended_at_ms = Some(given.at_ms);
        }
    }
}

fn no_doubt(call: &CallRow) -> CommandError {
    let error = CommandError::new(
        ErrorCode::NotActionable,
        "The outcome of this call is not in doubt.",
        "There is nothing to settle.",
    )
    .about_run(call.view.run_id);
    match &call.view.approval {
        Some(approval) => error.with_approval(approval.clone()),
        None => error,
    }
}

/// The tool looked and found nothing out: it looks again later, a few times.
pub(crate) fn checked_in_vain(call: &CallRow, reason: &str, given: &Given<'_>) -> Decision {
    let mut decision = Decision::nothing();
    if call.view.status != CallStatus::InDoubt {
        return decision;
    }
    let mut call = call.clone();
    save(&mut decision, &mut call, None, given, |call| {
        let Some(doubt) = &mut call.view.doubt else {
            return;
        };
        doubt.checks += 1;
        reason.clone_into(&mut doubt.reason);
        let wait = FIRST_CHECK_MS << (2 * (doubt.checks - 1)).min(16);
        doubt.next_check_at_ms =
            (doubt.checks < MAX_CHECKS).then(|| given.at_ms + wait.min(LONGEST_CHECK_MS));
    });
    decision
}
