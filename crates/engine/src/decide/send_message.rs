//! A message is sent, whatever the session is doing at that moment.

use protocol::{
    ApprovalStatus, CommandError, ErrorCode, QueuedMessage, RunStatus, SentOutcome, limits,
};
use store::{Change, SessionState};

use super::draft::Draft;
use super::halt::end_open_calls;
use super::queue::{queue_changed, send_next};
use super::start_run::{
    StartRun, Written, add_user_message, has_running_call, make_room, open_session, send,
    user_message,
};
use super::{Decision, Given};

/// A message and what to do when a run is going.
#[derive(Debug, Clone)]
pub(crate) struct SendMessage {
    pub(crate) start: StartRun,
    /// Give the run that is going up instead of waiting for it.
    pub(crate) stop_first: bool,
}

/// The closed table of what a new message does:
///
/// | the newest run is | the message |
/// |---|---|
/// | none, or over | starts a run, behind messages that were held |
/// | queued, running | waits, or gives that run up when asked to |
/// | waiting for decisions | takes their place; the same run goes on |
/// | stopped, interrupted | gives that run up and starts a new one |
///
/// While a call is in doubt, running or still ending, it waits in every case.
pub(crate) fn send_message(
    state: Option<&SessionState>,
    input: &SendMessage,
    given: &Given<'_>,
) -> Result<(SentOutcome, Decision), CommandError> {
    let started = SentOutcome::Started {
        run_id: input.start.run_id,
    };
    let mut decision = Decision::nothing();
    let Some(state) = state else {
        let mut state = open_session(&mut decision, &input.start, given);
        send(&mut decision, &mut state, &input.start, given);
        return Ok((started, decision));
    };
    let must_wait = !state.doubts.is_empty() || has_running_call(state);
    match state.run.as_ref().map(|run| run.status) {
        _ if must_wait => enqueue(state, input, given),
        Some(RunStatus::Waiting) => Ok(join(state, input, given)),
        Some(RunStatus::Queued | RunStatus::Running) if !input.stop_first => {
            enqueue(state, input, given)
        }
        None
        | Some(
            RunStatus::Queued
            | RunStatus::Running
            | RunStatus::Stopped
            | RunStatus::Interrupted
            | RunStatus::Completed
            | RunStatus::Failed
            | RunStatus::Cancelled,
        ) => {
            let mut state = make_room(&mut decision, state, given);
            if state.queue.is_empty() {
                send(&mut decision, &mut state, &input.start, given);
                return Ok((started, decision));
            }
            // Messages that were held go first.
            let (outcome, mut queued) = enqueue(&state, input, given)?;
            decision.changes.append(&mut queued.changes);
            state.queue.push(waiting(input, given));
            send_next(&mut decision, &mut state, given);
            Ok((outcome, decision))
        }
    }
}

fn waiting(input: &SendMessage, given: &Given<'_>) -> QueuedMessage {
    QueuedMessage {
        message_id: input.start.message_id,
        text: input.start.text.clone(),
        attachments: input.start.attachments.clone(),
        created_at_ms: given.at_ms,
    }
}

fn enqueue(
    state: &SessionState,
    input: &SendMessage,
    given: &Given<'_>,
) -> Result<(SentOutcome, Decision), CommandError> {
    if state.queue.len() >= limits::QUEUE {
        return Err(CommandError::new(
            ErrorCode::TooLarge,
            format!("{} messages wait already.", limits::QUEUE),
            "Wait for the run to end, or remove one of them.",
        ));
    }
    let mut decision = Decision::nothing();
    let message = waiting(input, given);
    decision.change(Change::Enqueue {
        session_id: state.session_id,
        message: message.clone(),
    });
    note_request(&mut decision, input);
    let mut queue = state.queue.clone();
    queue.push(message);
    queue_changed(&mut decision, state.session_id, queue, given);
    Ok((SentOutcome::Queued {}, decision))
}

fn note_request(decision: &mut Decision, input: &SendMessage) {
    if let Some(request_key) = input.start.request_key.clone() {
        decision.change(Change::NoteRequest {
            request_key,
            session_id: input.start.session_id,
            message_id: input.start.message_id,
        });
    }
}

/// The pending questions are superseded, each call gets its result, and the message follows them.
fn join(state: &SessionState, input: &SendMessage, given: &Given<'_>) -> (SentOutcome, Decision) {
    let Some(mut draft) = Draft::of(state, given) else {
        return (SentOutcome::Queued {}, Decision::nothing());
    };
    let text = "Not run: the person wrote a new message instead of answering.";
    end_open_calls(&mut draft, ApprovalStatus::Superseded, text);
    let run_id = draft.run.run_id;
    let start = &input.start;
    let written = Written {
        text: &start.text,
        attachments: &start.attachments,
    };
    let message = user_message(&draft.state, start.message_id, run_id, written, given);
    add_user_message(&mut draft.decision, &mut draft.state, message, given);
    note_request(&mut draft.decision, input);
    draft.ask_model();
    (SentOutcome::Joined { run_id }, draft.decision)
}
