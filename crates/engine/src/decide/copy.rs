//! A new session with the history of another one: a fork, or an import.

use std::collections::HashMap;

use protocol::{
    AgentId, CallId, CallStatus, ErrorClass, Event, Message, MessageId, RunId, RunStatus,
    SessionId, SummaryView, ToolCallView,
};
use store::{AttachmentChange, CallRow, Change, MessageRow, NewAttachment, NewRun};

use super::draft::error_result;
use super::{Decision, Given};

/// What is copied.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    pub(crate) session_id: SessionId,
    pub(crate) agent_id: AgentId,
    /// The model that was chosen for the session.
    pub(crate) model: Option<String>,
    pub(crate) title: Option<String>,
    /// The workspace that the new session shares; one of its own when absent.
    pub(crate) workspace: Option<String>,
    pub(crate) forked_from: Option<SessionId>,
    /// The history, oldest first.
    pub(crate) messages: Vec<MessageRow>,
    /// The tool calls of those messages, each with the provider's id.
    pub(crate) calls: Vec<(String, ToolCallView)>,
    /// What models are told in the place of older messages; those of messages that are not copied
    /// are not either.
    pub(crate) summaries: Vec<SummaryView>,
    /// What messages name that is not there yet.
    pub(crate) attachments: Vec<NewAttachment>,
}

/// Everything gets new ids. The copied history belongs to one run that is over: nothing in it is
/// run again.
pub(crate) fn copy_session(copied: &Copied, given: &Given<'_>) -> Decision {
    let mut decision = Decision::nothing();
    let (session_id, at_ms) = (copied.session_id, given.at_ms);
    let own = session_id.uuid().simple().to_string();
    decision.change(Change::CreateSession {
        session_id,
        agent_id: copied.agent_id,
        title: copied.title.clone(),
        workspace: copied.workspace.clone().unwrap_or(own),
        forked_from: copied.forked_from,
        at_ms,
    });
    let event = Event::SessionCreated {
        agent_id: copied.agent_id,
        title: copied.title.clone(),
    };
    decision.event(session_id, at_ms, event);
    if let Some(model) = copied.model.clone() {
        decision.change(Change::SetSessionModel {
            session_id,
            model: Some(model.clone()),
        });
        let event = Event::ModelChanged { model: Some(model) };
        decision.event(session_id, at_ms, event);
    }
    for attachment in &copied.attachments {
        // The messages that have it follow in the same transition.
        decision.change(Change::Attachment(AttachmentChange::Add(NewAttachment {
            at_ms,
            expires_at_ms: at_ms,
            ..attachment.clone()
        })));
    }
    let run_id = RunId::from_uuid(given.new_id());
    let new_ids = add_messages(&mut decision, copied, run_id, given);
    if let Some(first) = copied
        .messages
        .first()
        .and_then(|row| new_ids.get(&row.message.message_id))
    {
        add_run(&mut decision, copied, run_id, *first, given);
        add_calls(&mut decision, copied, run_id, &new_ids, given);
        add_summaries(&mut decision, copied, run_id, given);
    }
    decision
}

fn add_messages(
    decision: &mut Decision,
    copied: &Copied,
    run_id: RunId,
    given: &Given<'_>,
) -> HashMap<MessageId, MessageId> {
    let mut new_ids = HashMap::new();
    for (row, position) in copied.messages.iter().zip(1..) {
        let before = &row.message;
        let message = Message {
            message_id: MessageId::from_uuid(given.new_id()),
            position,
            branch: 0,
            run_id: Some(run_id),
            step_id: None,
            attempt: None,
            ..before.clone()
        };
        new_ids.insert(before.message_id, message.message_id);
        decision.change(Change::AddMessage {
            session_id: copied.session_id,
            message: message.clone(),
            native: row.native.clone(),
        });
        let event = Event::MessageAdded { message };
        decision.event(copied.session_id, given.at_ms, event);
    }
    new_ids
}

fn add_run(
    decision: &mut Decision,
    copied: &Copied,
    run_id: RunId,
    message_id: MessageId,
    given: &Given<'_>,
) {
    let model = copied
        .messages
        .iter()
        .rev()
        .find_map(|row| row.message.model.clone())
        .unwrap_or_else(|| given.default_model.to_string());
    decision.change(Change::CreateRun(NewRun {
        run_id,
        session_id: copied.session_id,
        agent_id: copied.agent_id,
        branch: 0,
        message_id,
        retry_of: None,
        request_key: None,
        model,
        pin: None,
        at_ms: given.at_ms,
    }));
    decision.change(Change::MoveRun {
        run_id,
        from: RunStatus::Running,
        to: RunStatus::Completed,
        reason: None,
        error: None,
        at_ms: given.at_ms,
    });
}

/// Each stands for the same messages, which have other places now.
fn add_summaries(decision: &mut Decision, copied: &Copied, run_id: RunId, given: &Given<'_>) {
    let places: HashMap<u64, u64> = copied
        .messages
        .iter()
        .zip(1..)
        .map(|(row, place)| (row.message.position, place))
        .collect();
    for before in &copied.summaries {
        let Some(position) = places.get(&before.position) else {
            continue;
        };
        let summary = SummaryView {
            position: *position,
            branch: 0,
            kept: before.kept.and_then(|kept| places.get(&kept).copied()),
            ..before.clone()
        };
        decision.change(Change::AddSummary {
            session_id: copied.session_id,
            summary: summary.clone(),
        });
        let event = Event::HistorySummarised {
            run_id,
            step_id: None,
            attempt: None,
            summary,
            usage: None,
        };
        decision.event(copied.session_id, given.at_ms, event);
    }
}

fn add_calls(
    decision: &mut Decision,
    copied: &Copied,
    run_id: RunId,
    new_ids: &HashMap<MessageId, MessageId>,
    given: &Given<'_>,
) {
    for (provider_id, before) in &copied.calls {
        let Some(message_id) = new_ids.get(&before.message_id) else {
            continue;
        };
        let mut view = ToolCallView {
            call_id: CallId::from_uuid(given.new_id()),
            session_id: copied.session_id,
            run_id,
            message_id: *message_id,
            approval: None,
            doubt: None,
            // The way back belongs to the session that made the change.
            files: Vec::new(),
            ..before.clone()
        };
        if !view.status.is_terminal() {
            view.status = CallStatus::Cancelled;
            let text = "Not known here: the history was copied before this call was over.";
            view.result = Some(error_result(ErrorClass::Cancelled, text));
        }
        let call = CallRow {
            view: view.clone(),
            revision: 0,
            provider_id: provider_id.clone(),
            tool_hash: None,
            resources: Vec::new(),
            digest: None,
            detail: None,
            step_id: None,
            attempt: 0,
        };
        decision.change(Change::AddCall(Box::new(call)));
        let event = Event::ToolCallChanged {
            call: Box::new(view),
        };
        decision.event(copied.session_id, given.at_ms, event);
    }
}
