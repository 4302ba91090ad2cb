//! What a person can ask for: intents to commands, failures to where they are shown.

mod send;

use leptos::prelude::{GetUntracked, ReadUntracked, Set, use_context};
use leptos::task::spawn_local;
use protocol::{AttentionKind, Command, CommandError, Reply, RunId, SessionId};
use reactive_stores::Store;

use crate::connection::{Connection, PAGE_MESSAGES};
use crate::ipc::{self, Failure};
use crate::state::{
    AppState, AppStateStoreFields, Panel, SessionStateStoreFields, apply, apply_earlier,
};

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

    /// Begins to write the title of a session; `None` ends it.
    pub(crate) fn set_renaming(self, session_id: Option<SessionId>) {
        self.store.renaming().set(session_id);
    }

    /// Gives a session another title.
    pub(crate) fn rename(self, session_id: SessionId, title: String) {
        spawn_local(async move {
            match ipc::execute(&Command::RenameSession { session_id, title }).await {
                Ok(Reply::Session(summary)) => {
                    apply(self.store, protocol::Push::Session(summary));
                }
                Ok(_) => {}
                Err(failure) => self.connection.take_failure(failure),
            }
        });
    }

    /// Halts the run of the open session, if it has a live one.
    pub(crate) async fn stop(self) {
        let run = self.store.session().run().get_untracked();
        let Some(run) = run.filter(|run| run.status.is_live()) else {
            return;
        };
        if let Err(error) = self.move_run(Command::StopRun { run_id: run.run_id }).await {
            self.store.notice().set(Some(error.message));
        }
    }

    /// Continues a run.
    pub(crate) async fn resume(self, run_id: RunId) -> Result<(), CommandError> {
        self.move_run(Command::ResumeRun { run_id }).await
    }

    /// Continues every run that was interrupted.
    pub(crate) async fn resume_all(self) {
        let runs: Vec<RunId> = self
            .store
            .sessions()
            .read_untracked()
            .iter()
            .filter_map(|row| row.attention.as_ref())
            .filter(|attention| attention.kind == AttentionKind::Interrupted)
            .map(|attention| attention.run_id)
            .collect();
        for run_id in runs {
            if let Err(error) = self.resume(run_id).await {
                self.store.notice().set(Some(error.message));
            }
        }
    }

    /// A resumed session is what one wants to see, unless more is left to decide.
    pub(crate) fn open_if_last(self, session_id: SessionId) {
        let sessions = self.store.sessions().read_untracked();
        let is_last = !sessions
            .iter()
            .any(|row| row.attention.is_some() && row.session_id != session_id);
        drop(sessions);
        if is_last && self.store.panel().get_untracked() == Panel::Resume {
            self.open(session_id);
        }
    }

    /// Ends a run for good.
    pub(crate) async fn discard(self, run_id: RunId) -> Result<(), CommandError> {
        self.move_run(Command::CancelRun { run_id }).await
    }

    /// Reads the messages before the first one that is shown.
    pub(crate) async fn load_earlier(self) {
        let session = self.store.session();
        let first = session
            .messages()
            .read_untracked()
            .first()
            .map(|row| row.message.position);
        let (Some(session_id), Some(before)) = (session.session_id().get_untracked(), first) else {
            return;
        };
        let command = Command::ListMessages {
            session_id,
            before,
            limit: Some(PAGE_MESSAGES),
        };
        match ipc::execute(&command).await {
            Ok(Reply::Messages {
                messages,
                has_earlier,
            }) => {
                apply_earlier(self.store, session_id, messages, has_earlier);
            }
            Ok(_) => {}
            Err(failure) => self.connection.take_failure(failure),
        }
    }

    /// Asks the engine again at once.
    pub(crate) fn try_now(self) {
        self.connection.try_now();
    }

    /// Restores the newest backup and starts.
    pub(crate) async fn restore_backup(self) -> Result<(), CommandError> {
        self.answer(self.connection.restore_backup().await)
    }

    async fn move_run(self, command: Command) -> Result<(), CommandError> {
        self.answer(ipc::execute(&command).await.map(|_| ()))
    }

    /// A lost connection has a place of its own on screen; a refusal is for the caller to show.
    fn answer(self, answer: Result<(), Failure>) -> Result<(), CommandError> {
        match answer {
            Ok(()) => Ok(()),
            Err(Failure::Refused(error)) => Err(error),
            Err(Failure::Lost) => {
                self.connection.take_failure(Failure::Lost);
                Ok(())
            }
        }
    }
}
