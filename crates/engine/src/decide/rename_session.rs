//! A session gets another title; the same one again changes nothing.

use protocol::Event;
use store::{Change, SessionState};

use super::Decision;

pub(crate) fn rename_session(state: &SessionState, title: &str, at_ms: u64) -> Decision {
    let mut decision = Decision::nothing();
    let title = title.trim();
    if state.title.as_deref() != Some(title) {
        let (session_id, title) = (state.session_id, title.to_owned());
        decision.change(Change::RenameSession {
            session_id,
            title: title.clone(),
            at_ms,
        });
        decision.event(session_id, at_ms, Event::SessionRenamed { title });
    }
    decision
}
