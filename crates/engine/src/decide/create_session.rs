//! A session is created; the same id again changes nothing.

use protocol::{AgentId, Event, SessionId};
use store::{Change, SessionState};

use super::Decision;

pub(crate) fn create_session(
    state: Option<&SessionState>,
    session_id: SessionId,
    agent_id: AgentId,
    title: Option<&str>,
    at_ms: u64,
) -> Decision {
    let mut decision = Decision::nothing();
    if state.is_none() {
        let title = title.map(str::to_owned);
        decision.change(Change::CreateSession {
            session_id,
            agent_id,
            title: title.clone(),
            at_ms,
        });
        decision.event(session_id, at_ms, Event::SessionCreated { agent_id, title });
    }
    decision
}
