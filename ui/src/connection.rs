//! Keeps the state in step with the engine: starts, follows, and finds back after a break.

mod first_run;
mod follow;
mod frames;

use js_sys::Function;
use leptos::prelude::{
    Effect, Get, GetUntracked, LocalStorage, ReadUntracked, Set, StoredValue, UpdateValue,
    WithValue, untrack,
};
use leptos::task::spawn_local;
use protocol::{Command, Push, Reply, SessionId, StartState};
use reactive_stores::Store;

use crate::browser;
use crate::ipc::{self, Failure, Subscription};
use crate::state::{
    AppState, AppStateStoreFields, Panel, Phase, Reach, SessionStateStoreFields, SyncState, apply,
    apply_sessions, attention_ids, clear_session,
};
pub(crate) use follow::PAGE_MESSAGES;
use frames::Queued;

const FIRST_WAIT_MS: i32 = 500;
const LONGEST_WAIT_MS: i32 = 10_000;

/// The one connection of the window. A cheap handle.
#[derive(Clone, Copy)]
pub(crate) struct Connection {
    store: Store<AppState>,
    inner: StoredValue<Inner, LocalStorage>,
}

#[derive(Default)]
struct Inner {
    watch: Option<Subscription>,
    session: Option<Subscription>,
    /// Counts what was asked for: an answer to anything but the newest comes too late.
    turn: u64,
    queue: Vec<Queued>,
    is_frame_due: bool,
    is_resync_due: bool,
    resyncs: u32,
    /// Ends the wait before the next try.
    waker: Option<Function>,
}

impl Connection {
    pub(crate) fn new(store: Store<AppState>) -> Self {
        Self {
            store,
            inner: StoredValue::new_local(Inner::default()),
        }
    }

    /// Starts, and watches for what has to be followed again.
    pub(crate) fn start(self) {
        Effect::new(move || {
            let is_behind = self.store.session().sync().get() != SyncState::Current
                || self.store.list_sync().get() != SyncState::Current;
            if is_behind {
                self.resync_soon();
            }
        });
        spawn_local(async move {
            if let Err(failure) = self.connect().await {
                self.take_failure(failure);
            }
        });
    }

    /// Takes the outcome of a start that was asked for by the person.
    pub(crate) async fn restore_backup(self) -> Result<(), Failure> {
        let state = ipc::restore_backup().await?;
        self.take_start(state).await
    }

    /// Does not wait for the next try.
    pub(crate) fn try_now(self) {
        self.inner.with_value(|inner| {
            if let Some(waker) = &inner.waker {
                browser::call(waker);
            }
        });
    }

    /// What a failed command means for the connection; the command's own message is the caller's.
    pub(crate) fn take_failure(self, failure: Failure) {
        match failure {
            Failure::Lost => self.lose(),
            Failure::Refused(error) if self.is_starting() => {
                self.store.phase().set(Phase::Failed {
                    error,
                    backup: None,
                });
            }
            Failure::Refused(error) => self.store.notice().set(Some(error.message)),
        }
    }

    fn is_starting(self) -> bool {
        *self.store.phase().read_untracked() == Phase::Starting
    }

    async fn connect(self) -> Result<(), Failure> {
        let state = ipc::start_state().await?;
        self.take_start(state).await
    }

    async fn take_start(self, state: StartState) -> Result<(), Failure> {
        match state {
            StartState::Ready { app } => {
                self.store.app().set(Some(app));
                self.follow_list().await?;
                let is_first_run = self.is_starting() && self.is_first_run().await;
                self.enter(is_first_run);
            }
            StartState::Failed { error, backup } => {
                self.store.phase().set(Phase::Failed { error, backup });
            }
        }
        Ok(())
    }

    /// Watches first and lists then: what changes in between is in both.
    async fn follow_list(self) -> Result<(), Failure> {
        let watch = ipc::watch_sessions(move |arrival| self.take_list_arrival(arrival)).await?;
        self.inner.update_value(|inner| inner.watch = Some(watch));
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let list = Command::ListSessions {
                limit: None,
                after,
                archived: false,
            };
            let Reply::Sessions { sessions, has_more } = ipc::execute(&list).await? else {
                break;
            };
            all.extend(sessions);
            after = all.last().map(|last| last.session_id);
            if !has_more {
                break;
            }
        }
        apply_sessions(self.store, all);
        // What needs a person is asked for by itself: it must not depend on the length of the list.
        match ipc::execute(&Command::ListAttention {}).await {
            Ok(Reply::Sessions { sessions, .. }) => {
                for summary in sessions {
                    apply(self.store, Push::Session(Box::new(summary)));
                }
            }
            Ok(_) => {}
            Err(Failure::Lost) => return Err(Failure::Lost),
            // The list is there: the window opens without it.
            Err(Failure::Refused(error)) => self.store.notice().set(Some(error.message)),
        }
        self.store.list_sync().set(SyncState::Current);
        Ok(())
    }

    /// The list is there: shows the window for the first time, or goes on after a break.
    fn enter(self, is_first_run: bool) {
        self.store.reach().set(Reach::Up);
        if self.store.phase().get_untracked() == Phase::Ready {
            if self.store.session().session_id().get_untracked().is_some() {
                self.store.session().sync().set(SyncState::Resubscribe);
            }
            return;
        }
        match self.newest_session() {
            Some(session_id) => self.open(session_id),
            None => clear_session(self.store, None),
        }
        if !untrack(|| attention_ids(self.store)).is_empty() {
            self.store.panel().set(Panel::Resume);
        } else if is_first_run {
            self.store.panel().set(Panel::FirstRun);
        }
        self.store.phase().set(Phase::Ready);
        // The frame after next: by then the list has been painted.
        browser::on_next_frame(|| {
            browser::on_next_frame(|| spawn_local(ipc::report_ready()));
        });
    }

    fn newest_session(self) -> Option<SessionId> {
        let sessions = self.store.sessions().read_untracked();
        sessions
            .iter()
            .filter(|row| !row.is_archived)
            .max_by_key(|row| (row.updated_at_ms, row.session_id))
            .map(|row| row.session_id)
    }

    /// The engine does not answer: says so, and tries again by itself.
    fn lose(self) {
        if self.store.reach().get_untracked() == Reach::Lost {
            return;
        }
        self.store.reach().set(Reach::Lost);
        self.inner.update_value(|inner| {
            inner.watch = None;
            inner.session = None;
        });
        spawn_local(self.try_again());
    }

    async fn try_again(self) {
        let mut wait_ms = FIRST_WAIT_MS;
        loop {
            browser::sleep(wait_ms, |waker| {
                self.inner.update_value(|inner| inner.waker = Some(waker));
            })
            .await;
            match self.connect().await {
                Ok(()) => return,
                Err(Failure::Lost) => wait_ms = (wait_ms * 2).min(LONGEST_WAIT_MS),
                Err(refused @ Failure::Refused(_)) => {
                    self.store.reach().set(Reach::Up);
                    self.take_failure(refused);
                    return;
                }
            }
        }
    }
}
