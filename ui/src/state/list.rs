//! The session list: rows in, rows out.

use leptos::prelude::{Get, Read, ReadUntracked, Set, Write};
use protocol::{Attention, CallId, SessionId, SessionSummary};
use reactive_stores::Store;

use super::{AppState, AppStateStoreFields};

/// Takes one row. A row that is known is written in place, so that only its readers wake.
pub(super) fn take_summary(store: Store<AppState>, summary: SessionSummary) {
    let row = store.sessions().at_key(summary.session_id);
    let known_at = row.try_read_untracked().map(|row| row.updated_at_ms);
    match known_at {
        Some(known_at) if known_at > summary.updated_at_ms => {}
        Some(_) => row.set(summary),
        None => store.sessions().write().push(summary),
    }
}

/// Takes a row away.
pub(super) fn remove(store: Store<AppState>, session_id: SessionId) {
    let is_known = store
        .sessions()
        .at_key(session_id)
        .try_read_untracked()
        .is_some();
    if is_known {
        store
            .sessions()
            .write()
            .retain(|row| row.session_id != session_id);
    }
}

/// Takes the whole list; a row that is newer here than there stays, and so does what was put away:
/// that is read apart.
pub(super) fn take_all(store: Store<AppState>, mut sessions: Vec<SessionSummary>) {
    let known = store.sessions().read_untracked();
    for row in &mut sessions {
        let newer = known.iter().find(|known| {
            known.session_id == row.session_id && known.updated_at_ms > row.updated_at_ms
        });
        if let Some(newer) = newer {
            row.clone_from(newer);
        }
    }
    let away = known.iter().filter(|row| {
        row.is_archived && !sessions.iter().any(|new| new.session_id == row.session_id)
    });
    let away: Vec<SessionSummary> = away.cloned().collect();
    drop(known);
    sessions.extend(away);
    store.sessions().set(sessions);
}

/// One row, reactively.
pub(crate) fn summary_of(store: Store<AppState>, session_id: SessionId) -> Option<SessionSummary> {
    store.sessions().at_key(session_id).try_get()
}

/// The card to open a session at.
pub(crate) fn waiting_call(attention: &Attention) -> Option<CallId> {
    let waiting = attention.not_started.iter().filter(|call| call.is_waiting);
    let mut calls = attention.unknown.iter().chain(waiting);
    calls.next().map(|call| call.call_id)
}

/// The sessions that need a person, the longest waiting first.
pub(crate) fn attention_ids(store: Store<AppState>) -> Vec<SessionId> {
    let sessions = store.sessions().read();
    let mut waiting: Vec<(u64, SessionId)> = sessions
        .iter()
        .filter(|row| !row.is_archived)
        .filter_map(|row| Some((row.attention.as_ref()?.since_ms, row.session_id)))
        .collect();
    waiting.sort_unstable();
    waiting
        .into_iter()
        .map(|(_, session_id)| session_id)
        .collect()
}
