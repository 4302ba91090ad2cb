//! Messages that wait for their turn.

use protocol::{CommandError, ErrorCode, Event, MessageId, QueuedMessage, RunId, SessionId};
use store::{Change, SessionState};

use super::start_run::{StartRun, make_room, refuse_doubt, refuse_ending, send};
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
