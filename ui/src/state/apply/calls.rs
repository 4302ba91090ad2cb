//! Tool calls: each is replaced whole, in its place.

use std::collections::HashSet;

use leptos::prelude::{ReadUntracked, Set, Update, Write};
use protocol::{MessageId, ToolCallView};

use super::super::session::SessionStateStoreFields;
use super::Session;

/// Takes a call as it is now. One whose message is not shown is of another branch, or earlier than
/// what was read: it comes with its message.
pub(super) fn take_call(session: Session, call: ToolCallView) {
    let row = session.calls().at_key(call.call_id);
    if row.try_read_untracked().is_some() {
        row.set(call);
        return;
    }
    let is_shown = session
        .messages()
        .read_untracked()
        .iter()
        .any(|row| row.message.message_id == call.message_id);
    if is_shown {
        session.calls().write().push(call);
    }
}

/// Takes the calls of older messages; those that are known are at least as new.
pub(super) fn take_earlier(session: Session, calls: Vec<ToolCallView>) {
    if calls.is_empty() {
        return;
    }
    session.calls().update(|known| {
        let ids: HashSet<_> = known.iter().map(|call| call.call_id).collect();
        let earlier = calls
            .into_iter()
            .filter(|call| !ids.contains(&call.call_id));
        known.splice(0..0, earlier);
    });
}

/// Lets go of the calls whose messages are no longer shown.
pub(super) fn keep_shown(session: Session) {
    let shown: HashSet<MessageId> = session
        .messages()
        .read_untracked()
        .iter()
        .map(|row| row.message.message_id)
        .collect();
    let is_stale = |call: &ToolCallView| !shown.contains(&call.message_id);
    let has_stale = session.calls().read_untracked().iter().any(is_stale);
    if has_stale {
        session
            .calls()
            .update(|calls| calls.retain(|call| !is_stale(call)));
    }
}
