//! A session is created; one that exists already is left as it is.

use protocol::{AgentFields, AgentId, SessionId};
use store::SessionState;

use super::start_run::new_session;
use super::{Decision, Given};

pub(crate) fn create_session(
    state: Option<&SessionState>,
    session_id: SessionId,
    agent: (AgentId, AgentFields),
    title: Option<&str>,
    given: &Given<'_>,
) -> Decision {
    let mut decision = Decision::nothing();
    if state.is_none() {
        let title = title.map(str::to_owned);
        let (agent_id, fields) = agent;
        new_session(&mut decision, session_id, agent_id, fields, title, given);
    }
    decision
}
