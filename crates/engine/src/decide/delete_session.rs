//! Putting sessions away, deleting them, giving them another agent.

use protocol::{AgentId, Event, RunReason};
use store::{Change, SessionState};

use super::draft::Draft;
use super::halt::give_up;
use super::{Decision, Given};

/// Puts a session away, or takes it back.
pub(crate) fn archive_session(
    state: &SessionState,
    is_archived: bool,
    given: &Given<'_>,
) -> Decision {
    let mut decision = Decision::nothing();
    if state.is_archived == is_archived {
        return decision;
    }
    decision.change(Change::ArchiveSession {
        session_id: state.session_id,
        is_archived,
        at_ms: given.at_ms,
    });
    let event = Event::SessionArchived { is_archived };
    decision.event(state.session_id, given.at_ms, event);
    decision
}

/// Marks a session as deleted. Whatever is going in it ends for good.
pub(crate) fn delete_session(state: &SessionState, given: &Given<'_>) -> Decision {
    let mut decision = match Draft::of(state, given) {
        Some(mut draft) if !draft.run.status.is_terminal() => {
            give_up(&mut draft, RunReason::Discarded);
            draft.decision
        }
        Some(_) | None => Decision::nothing(),
    };
    decision.change(Change::DeleteSession {
        session_id: state.session_id,
        deleted_at_ms: Some(given.at_ms),
    });
    decision
}

/// Takes a deleted session back.
pub(crate) fn restore_session(state: &SessionState) -> Decision {
    let mut decision = Decision::nothing();
    if state.deleted_at_ms.is_some() {
        decision.change(Change::DeleteSession {
            session_id: state.session_id,
            deleted_at_ms: None,
        });
    }
    decision
}

/// Gives a session another agent. A run that is going keeps what it began with.
pub(crate) fn set_model(state: &SessionState, model: Option<&str>, given: &Given<'_>) -> Decision {
    let mut decision = Decision::nothing();
    if state.model.as_deref() == model {
        return decision;
    }
    let model = model.map(str::to_owned);
    decision.change(Change::SetSessionModel {
        session_id: state.session_id,
        model: model.clone(),
    });
    decision.event(state.session_id, given.at_ms, Event::ModelChanged { model });
    decision
}

pub(crate) fn set_agent(state: &SessionState, agent_id: AgentId, given: &Given<'_>) -> Decision {
    let mut decision = Decision::nothing();
    if state.agent_id == agent_id {
        return decision;
    }
    decision.change(Change::SetSessionAgent {
        session_id: state.session_id,
        agent_id,
    });
    decision.event(
        state.session_id,
        given.at_ms,
        Event::AgentChanged { agent_id },
    );
    decision
}
