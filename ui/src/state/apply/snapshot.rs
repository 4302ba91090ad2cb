//! Whole answers: a snapshot of the open session, a page of its older messages.

use leptos::prelude::{Set, Update};
use protocol::{Message, MessageStatus, SessionId, SessionSnapshot, ToolCallView, UsageTotal};
use reactive_stores::Store;

use super::super::live::{LiveHead, texts_of};
use super::super::session::{MessageRow, RunState, SessionStateStoreFields, SyncState};
use super::super::{AppState, AppStateStoreFields, list};
use super::event::end_live;
use super::{calls, is_open};

/// Opens a session that nothing is known of yet; `None` is a new one.
pub(crate) fn clear_session(store: Store<AppState>, session_id: Option<SessionId>) {
    let session = store.session();
    session.session_id().set(session_id);
    session.is_loaded().set(session_id.is_none());
    session.seq().set(0);
    session.messages().set(Vec::new());
    session.calls().set(Vec::new());
    session.has_earlier().set(false);
    session.queue().set(Vec::new());
    session.branch().set(0);
    session.branches().set(Vec::new());
    session.workspace().set(String::new());
    session.usage().set(UsageTotal::default());
    session.fill().set(None);
    session.summaries().set(Vec::new());
    session.agent_id().set(None);
    session.run().set(None);
    session.sync().set(SyncState::Current);
    end_live(session);
}

/// Takes a snapshot of the open session; one of another session comes too late and is dropped.
pub(crate) fn apply_snapshot(store: Store<AppState>, snapshot: SessionSnapshot) {
    let session = store.session();
    if !is_open(session, snapshot.session.session_id) {
        return;
    }
    let run = snapshot.session.run.clone().map(RunState::from_view);
    let messages = rows(snapshot.messages, run.as_ref());
    session.seq().set(snapshot.seq);
    // Calls first: a message finds its cards there.
    session.calls().set(snapshot.calls);
    session.messages().set(messages);
    session.has_earlier().set(snapshot.has_earlier);
    session.queue().set(snapshot.queue);
    session.branch().set(snapshot.branch);
    session.branches().set(snapshot.branches);
    session.workspace().set(snapshot.workspace);
    session.usage().set(snapshot.usage);
    session.fill().set(snapshot.fill);
    session.summaries().set(snapshot.summaries);
    session.agent_id().set(Some(snapshot.session.agent_id));
    session.run().set(run);
    session
        .live_texts()
        .set(snapshot.live.as_ref().map(texts_of).unwrap_or_default());
    session
        .live()
        .set(snapshot.live.as_ref().map(LiveHead::from_step));
    session.sync().set(SyncState::Current);
    session.is_loaded().set(true);
    list::take_summary(store, snapshot.session);
}

/// Takes a page of older messages.
pub(crate) fn apply_earlier(
    store: Store<AppState>,
    session_id: SessionId,
    messages: Vec<Message>,
    calls: Vec<ToolCallView>,
    has_earlier: bool,
) {
    let session = store.session();
    if !is_open(session, session_id) {
        return;
    }
    calls::take_earlier(session, calls);
    let mut earlier = rows(messages, None);
    session.messages().update(|rows| {
        let first = rows.first().map_or(u64::MAX, |row| row.message.position);
        earlier.retain(|row| row.message.position < first);
        rows.splice(0..0, earlier);
    });
    session.has_earlier().set(has_earlier);
}

/// A run says why it was last cut off; what it left behind before that may have ended otherwise.
fn rows(messages: Vec<Message>, run: Option<&RunState>) -> Vec<MessageRow> {
    let last_partial = messages
        .iter()
        .rposition(|message| message.status == MessageStatus::Partial);
    messages
        .into_iter()
        .enumerate()
        .map(|(index, message)| {
            let run = run.filter(|_| Some(index) == last_partial);
            MessageRow::new(message, run)
        })
        .collect()
}
