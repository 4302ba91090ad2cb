//! Follows the open session: snapshot, subscription, and again when something is missing.

use leptos::prelude::{GetUntracked, Set, UpdateValue, WithValue};
use leptos::task::spawn_local;
use protocol::{Command, ErrorCode, Reply, SessionId};

use super::Connection;
use crate::browser;
use crate::ipc::{self, Failure};
use crate::state::{
    AppStateStoreFields, Reach, SessionStateStoreFields, SyncState, apply_snapshot, clear_session,
};

/// Messages in one page: what a window shows at once and then some, and few enough to paint fast.
pub(crate) const PAGE_MESSAGES: u32 = 40;

const FIRST_RESYNC_MS: i32 = 50;
const LONGEST_RESYNC_DOUBLINGS: u32 = 7;

impl Connection {
    /// Shows another session.
    pub(crate) fn open(self, session_id: SessionId) {
        clear_session(self.store, Some(session_id));
        self.load(session_id);
    }

    /// Shows a new session, which exists once something is sent to it.
    pub(crate) fn open_new(self) {
        self.next_turn();
        clear_session(self.store, None);
    }

    fn load(self, session_id: SessionId) {
        let turn = self.next_turn();
        spawn_local(async move {
            let command = Command::GetSession {
                session_id,
                limit: Some(PAGE_MESSAGES),
            };
            let answer = ipc::execute(&command).await;
            if !self.is_turn(turn) {
                return;
            }
            match answer {
                Ok(Reply::Snapshot(snapshot)) => {
                    apply_snapshot(self.store, *snapshot);
                    self.follow(session_id, turn).await;
                }
                Ok(_) => {}
                Err(Failure::Refused(error)) if error.code == ErrorCode::NotFound => {
                    self.open_new();
                    self.store.notice().set(Some(error.message));
                }
                Err(failure) => self.take_failure(failure),
            }
        });
    }

    async fn follow(self, session_id: SessionId, turn: u64) {
        let after_seq = self.store.session().seq().get_untracked();
        let on_arrival = move |arrival| self.take_session_arrival(arrival, turn);
        let answer = ipc::subscribe(session_id, after_seq, on_arrival).await;
        if !self.is_turn(turn) {
            // Dropping the answer unsubscribes.
            return;
        }
        match answer {
            Ok(subscription) => {
                self.inner
                    .update_value(|inner| inner.session = Some(subscription));
            }
            // The seq was lost in a power cut: what is shown here never got to the disk.
            Err(Failure::Refused(error))
                if matches!(error.code, ErrorCode::InvalidCursor | ErrorCode::Truncated) =>
            {
                self.store.session().sync().set(SyncState::Snapshot);
            }
            Err(failure) => self.take_failure(failure),
        }
    }

    /// Follows again what is behind, a little later and ever later if that does not help.
    pub(super) fn resync_soon(self) {
        let mut wait_ms = None;
        self.inner.update_value(|inner| {
            if !inner.is_resync_due {
                inner.is_resync_due = true;
                wait_ms = Some(FIRST_RESYNC_MS << inner.resyncs.min(LONGEST_RESYNC_DOUBLINGS));
                inner.resyncs += 1;
            }
        });
        let Some(wait_ms) = wait_ms else {
            return;
        };
        spawn_local(async move {
            browser::sleep(wait_ms, |_| {}).await;
            self.inner.update_value(|inner| inner.is_resync_due = false);
            self.resync().await;
        });
    }

    async fn resync(self) {
        if self.store.reach().get_untracked() == Reach::Lost {
            // Everything is followed again once the engine answers.
            return;
        }
        let session = self.store.session();
        let sync = session.sync().get_untracked();
        session.sync().set(SyncState::Current);
        match (session.session_id().get_untracked(), sync) {
            (Some(session_id), SyncState::Snapshot) => self.load(session_id),
            (Some(session_id), SyncState::Resubscribe) => {
                let turn = self.next_turn();
                self.follow(session_id, turn).await;
            }
            (_, SyncState::Current) | (None, _) => {}
        }
        if self.store.list_sync().get_untracked() != SyncState::Current
            && let Err(failure) = self.follow_list().await
        {
            self.take_failure(failure);
        }
    }

    /// Lets go of what was followed; every answer that is still under way comes too late.
    fn next_turn(self) -> u64 {
        let mut turn = 0;
        let mut previous = None;
        self.inner.update_value(|inner| {
            inner.turn += 1;
            turn = inner.turn;
            previous = inner.session.take();
        });
        drop(previous);
        turn
    }

    pub(super) fn is_turn(self, turn: u64) -> bool {
        self.inner.with_value(|inner| inner.turn == turn)
    }
}
