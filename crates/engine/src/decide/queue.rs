//! Messages that wait for their turn.

use protocol::{
    CommandError, ErrorCode, Event, MessageId, QueuedMessage, RunId, RunStatus, SessionId,
};
use store::{Change, SessionState};

use super::start_run::{StartRun, has_running_call, make_room, refuse_doubt, refuse_ending, send};
use super::{Decision, Given};
use crate::command_error::not_found;

/// Another text for a message that waits.
pub(crate) fn edit_queued(
    state: &SessionState,
    message_id: MessageId,
    text: &str,
    given: &Given<'_>,
) -> Result<(Vec<QueuedMessage>, Decision), CommandError> {
    let mut queue = state.queue.clone();
    let found = queue.iter_mut().find(|one| one.message_id == message_id);
    let message = found.ok_or_else(|| not_found("queued message"))?;
    let mut decision = Decision::nothing();
    if message.text != text {
        text.clone_into(&mut message.text);
        decision.change(Change::EditQueued {
            message_id,
            text: text.to_owned(),
        });
        queue_changed(&mut decision, state.session_id, queue.clone(), given);
    }
    Ok((queue, decision))
}

/// Takes a message that waits away.
pub(crate) fn remove_queued(
    state: &SessionState,
    message_id: MessageId,
    given: &Given<'_>,
) -> Result<(Vec<QueuedMessage>, Decision), CommandError> {
    let mut queue = state.queue.clone();
    queue.retain(|one| one.message_id != message_id);
    if queue.len() == state.queue.len() {
        return Err(not_found("queued message"));
    }
    let mut decision = Decision::nothing();
    decision.change(Change::Dequeue { message_id });
    queue_changed(&mut decision, state.session_id, queue.clone(), given);
    Ok((queue, decision))
}

/// The person lets messages go that were held.
pub(crate) fn send_queued(
    state: &SessionState,
    given: &Given<'_>,
) -> Result<(Vec<QueuedMessage>, Decision), CommandError> {
    if let Some(run) = state.run.as_ref().filter(|run| run.status.is_live()) {
        return Err(CommandError::new(
            ErrorCode::AlreadyRunning,
            "This session has a run that is still going.",
            "The messages follow when it ends.",
        )
        .about_run(run.run_id));
    }
    refuse_doubt(state)?;
    refuse_ending(state)?;
    let mut decision = Decision::nothing();
    let mut state = match state.queue.first() {
        Some(_) => make_room(&mut decision, state, given),
        None => state.clone(),
    };
    send_next(&mut decision, &mut state, given);
    Ok((state.queue, decision))
}

/// The last doubt is settled: a message that was sent into the halted session meanwhile has its
/// turn, behind those that were held. What was held alone stays so.
pub(super) fn send_what_waited(decision: &mut Decision, state: &SessionState, given: &Given<'_>) {
    let Some(run) = state.run.as_ref() else {
        return;
    };
    let is_in_the_way = run.status.is_live() || !state.doubts.is_empty() || has_running_call(state);
    let was_sent_since = state
        .queue
        .iter()
        .any(|message| message.created_at_ms >= run.updated_at_ms);
    if !is_in_the_way && (was_sent_since || run.status == RunStatus::Completed) {
        let mut state = make_room(decision, state, given);
        send_next(decision, &mut state, given);
    }
}

/// Sends the first message that waits, if one does.
pub(super) fn send_next(decision: &mut Decision, state: &mut SessionState, given: &Given<'_>) {
    if state.queue.is_empty() {
        return;
    }
    let message = state.queue.remove(0);
    decision.change(Change::Dequeue {
        message_id: message.message_id,
    });
    queue_changed(decision, state.session_id, state.queue.clone(), given);
    let input = StartRun {
        session_id: state.session_id,
        message_id: message.message_id,
        run_id: RunId::from_uuid(given.new_id()),
        agent: (state.agent_id, state.agent.clone()),
        text: message.text,
        attachments: message.attachments,
        request_key: None,
    };
    send(decision, state, &input, given);
}

pub(super) fn queue_changed(
    decision: &mut Decision,
    session_id: SessionId,
    queue: Vec<QueuedMessage>,
    given: &Given<'_>,
) {
    decision.event(session_id, given.at_ms, Event::QueueChanged { queue });
}
