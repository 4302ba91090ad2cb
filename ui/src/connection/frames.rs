//! Applies what arrives once per frame, and acknowledges what was applied.

use leptos::prelude::{GetUntracked, Set, UpdateValue};
use protocol::Push;

use super::Connection;
use crate::browser;
use crate::ipc::{Arrival, Failure, Receipt};
use crate::state::{AppStateStoreFields, SessionStateStoreFields, SyncState, apply};

/// Pushes that wait for the next frame.
pub(super) struct Queued {
    pushes: Vec<Push>,
    receipt: Receipt,
    /// For which turn they were sent; `None` for the session list.
    turn: Option<u64>,
}

impl Connection {
    pub(super) fn take_list_arrival(self, arrival: Arrival) {
        match arrival {
            Arrival::Pushes(pushes, receipt) => self.queue(Queued {
                pushes,
                receipt,
                turn: None,
            }),
            Arrival::End => self.store.list_sync().set(SyncState::Resubscribe),
        }
    }

    pub(super) fn take_session_arrival(self, arrival: Arrival, turn: u64) {
        match arrival {
            Arrival::Pushes(pushes, receipt) => {
                self.queue(Queued {
                    pushes,
                    receipt,
                    turn: Some(turn),
                });
            }
            Arrival::End if self.is_turn(turn) => {
                self.store.session().sync().set(SyncState::Resubscribe);
            }
            Arrival::End => {}
        }
    }

    fn queue(self, queued: Queued) {
        let mut is_first = false;
        self.inner.update_value(|inner| {
            inner.queue.push(queued);
            is_first = !std::mem::replace(&mut inner.is_frame_due, true);
        });
        if is_first {
            browser::on_next_frame(move || self.apply_queue());
        }
    }

    fn apply_queue(self) {
        let mut queue = Vec::new();
        self.inner.update_value(|inner| {
            inner.is_frame_due = false;
            queue = std::mem::take(&mut inner.queue);
        });
        for queued in queue {
            if queued.turn.is_none_or(|turn| self.is_turn(turn)) {
                for push in queued.pushes {
                    apply(self.store, push);
                }
            }
            queued
                .receipt
                .acknowledge(move |failure| self.take_lost(&failure));
        }
        if self.store.session().sync().get_untracked() == SyncState::Current {
            self.inner.update_value(|inner| inner.resyncs = 0);
        }
    }

    /// A receipt that is refused belongs to a subscription that is over: nothing to say.
    fn take_lost(self, failure: &Failure) {
        if *failure == Failure::Lost {
            self.take_failure(Failure::Lost);
        }
    }
}
