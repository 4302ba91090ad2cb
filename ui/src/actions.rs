//! What a person can ask for: intents to commands, failures to where they are shown.

mod agents;
mod attachments;
mod calls;
mod local;
mod messages;
mod models;
mod providers;
mod queue;
mod runs;
mod send;
mod sessions;
mod set_up;
mod settings;

use leptos::prelude::{GetUntracked, Set, untrack, use_context};
use protocol::{CallId, Command, CommandError, Reply, SessionId};
use reactive_stores::Store;

use crate::connection::Connection;
use crate::ipc::{self, Failure};
use crate::state::{
    AppState, AppStateStoreFields, Panel, SessionStateStoreFields, summary_of, waiting_call,
};

pub(crate) use calls::DecisionProblem;
pub(crate) use local::{Serving, order_of};
pub(crate) use set_up::{Flaw, Order, Progress};

/// The intents of the person, with what they need. A cheap handle.
#[derive(Clone, Copy)]
pub(crate) struct Actions {
    store: Store<AppState>,
    connection: Connection,
}

/// The actions of the app that this component is part of.
///
/// # Panics
/// When called outside of [`crate::App`], which provides them: a fault of ours.
pub(crate) fn use_actions() -> Actions {
    use_context().unwrap_or_else(|| unreachable!("App provides the actions"))
}

/// The state of the app that this component is part of.
///
/// # Panics
/// When called outside of [`crate::App`], which provides it: a fault of ours.
pub(crate) fn use_store() -> Store<AppState> {
    use_context().unwrap_or_else(|| unreachable!("App provides the state"))
}

/// Puts text on the clipboard; says whether that worked.
pub(crate) async fn copy(text: String) -> bool {
    ipc::copy_text(&text).await
}

impl Actions {
    pub(crate) const fn new(store: Store<AppState>, connection: Connection) -> Self {
        Self { store, connection }
    }

    /// Shows a session.
    pub(crate) fn open(self, session_id: SessionId) {
        self.store.panel().set(Panel::None);
        if self.store.session().session_id().get_untracked() != Some(session_id) {
            self.connection.open(session_id);
        }
    }

    /// Shows a session at the card of this call.
    pub(crate) fn open_at(self, session_id: SessionId, call_id: Option<CallId>) {
        self.open(session_id);
        self.store.wanted_call().set(call_id);
    }

    /// Shows a session at the first of its cards that waits for the person.
    pub(crate) fn open_at_need(self, session_id: SessionId) {
        let summary = untrack(|| summary_of(self.store, session_id));
        let attention = summary.and_then(|summary| summary.attention);
        self.open_at(session_id, attention.as_ref().and_then(waiting_call));
    }

    /// Shows a new session. It is created together with its first message.
    pub(crate) fn new_session(self) {
        self.store.panel().set(Panel::None);
        self.connection.open_new();
    }

    /// Opens or closes what can be laid over the session view.
    pub(crate) fn toggle_panel(self, panel: Panel) {
        let is_open = self.store.panel().get_untracked() == panel;
        self.store
            .panel()
            .set(if is_open { Panel::None } else { panel });
    }

    /// Closes whatever is laid over the session view.
    pub(crate) fn close_panel(self) {
        self.store.panel().set(Panel::None);
    }

    /// Asks the engine again at once.
    pub(crate) fn try_now(self) {
        self.connection.try_now();
    }

    /// Restores the newest backup and starts.
    pub(crate) async fn restore_backup(self) -> Result<(), CommandError> {
        let answer = self.connection.restore_backup().await;
        self.answer(answer).map(|_| ())
    }

    /// Asks for something whose answer matters only when it is a refusal.
    async fn act(self, command: Command) -> Result<(), CommandError> {
        self.ask(command).await.map(|_| ())
    }

    /// Asks for something whose refusal has no better place than the top of the window.
    async fn ask_or_say(self, command: Command) -> Option<Reply> {
        match self.ask(command).await {
            Ok(reply) => reply,
            Err(error) => {
                self.say_problem(&error);
                None
            }
        }
    }

    /// Asks the engine. No reply means that the connection is lost.
    async fn ask(self, command: Command) -> Result<Option<Reply>, CommandError> {
        self.answer(ipc::execute(&command).await)
    }

    pub(crate) fn say_problem(self, error: &CommandError) {
        let words = format!("{} {}", error.message, error.hint);
        self.store.notice().set(Some(words.trim().to_owned()));
    }

    /// A lost connection has a place of its own on screen; a refusal is for the caller to show.
    fn answer<T>(self, answer: Result<T, Failure>) -> Result<Option<T>, CommandError> {
        match answer {
            Ok(reply) => Ok(Some(reply)),
            Err(Failure::Refused(error)) => Err(error),
            Err(Failure::Lost) => {
                self.connection.take_failure(Failure::Lost);
                Ok(None)
            }
        }
    }
}
