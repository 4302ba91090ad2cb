//! The only place where session state changes: what the engine says in, state out.

mod branch;
mod calls;
mod delta;
mod event;
mod snapshot;

use leptos::prelude::{GetUntracked, Set};
use protocol::{Envelope, Push, SessionId, SessionSummary};
use reactive_stores::{Store, Subfield};

use super::session::{SessionState, SessionStateStoreFields, SyncState};
use super::{AppState, AppStateStoreFields, list};

pub(crate) use snapshot::{apply_earlier, apply_snapshot, clear_session};

type Session = Subfield<Store<AppState>, AppState, SessionState>;

/// Takes one thing that a subscription sent.
pub(crate) fn apply(store: Store<AppState>, push: Push) {
    match push {
        Push::Event(envelope) => take_envelope(store.session(), envelope),
        Push::Delta(delta) => delta::take_delta(store.session(), &delta),
        Push::Session(summary) => list::take_summary(store, *summary),
        Push::Gone { session_id } => {
            list::remove(store, session_id);
            if is_open(store.session(), session_id) {
                clear_session(store, None);
            }
        }
        Push::Show { session_id } => store.wanted_session().set(Some(session_id)),
        Push::Ended {
            session_id: None, ..
        } => store.list_sync().set(SyncState::Resubscribe),
        Push::Ended {
            session_id: Some(session_id),
            error,
        } => {
            if is_open(store.session(), session_id) {
                store.session().sync().set(SyncState::after(error.code));
            }
        }
    }
}

/// Takes the whole session list.
pub(crate) fn apply_sessions(store: Store<AppState>, sessions: Vec<SessionSummary>) {
    list::take_all(store, sessions);
}

fn is_open(session: Session, session_id: SessionId) -> bool {
    session.session_id().get_untracked() == Some(session_id)
}

fn take_envelope(session: Session, envelope: Envelope) {
    if !is_open(session, envelope.session_id) {
        return;
    }
    let seq = session.seq().get_untracked();
    if envelope.seq <= seq {
        return;
    }
    if envelope.seq > seq + 1 {
        session.sync().set(SyncState::Resubscribe);
        return;
    }
    session.seq().set(envelope.seq);
    event::take_event(session, envelope.event, envelope.at_ms);
}
