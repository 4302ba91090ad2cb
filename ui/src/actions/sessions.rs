//! Sessions: title, archive, delete and take back, export and import.

use leptos::prelude::{GetUntracked, ReadUntracked, Set, Update};
use leptos::task::spawn_local;
use protocol::{AgentId, Command, ExportFormat, Push, Reply, SessionId, limits};

use super::Actions;
use crate::browser;
use crate::ipc;
use crate::state::{AppStateStoreFields, DeletedSession, SessionStateStoreFields, apply};

impl Actions {
    /// Begins to write the title of a session; `None` ends it.
    pub(crate) fn set_renaming(self, session_id: Option<SessionId>) {
        self.store.renaming().set(session_id);
    }

    /// Gives a session another title.
    pub(crate) fn rename(self, session_id: SessionId, title: String) {
        spawn_local(self.take_session(Command::RenameSession { session_id, title }));
    }

    /// Puts a session away, or takes it back.
    pub(crate) async fn archive(self, session_id: SessionId, is_archived: bool) {
        self.take_session(Command::ArchiveSession {
            session_id,
            is_archived,
        })
        .await;
        if is_archived && self.is_shown(session_id) {
            self.new_session();
        }
    }

    /// Gives the open session another agent.
    pub(crate) async fn set_agent(self, session_id: SessionId, agent_id: AgentId) {
        self.take_session(Command::SetSessionAgent {
            session_id,
            agent_id,
        })
        .await;
    }

    /// Shows what was put away, or the rest again.
    pub(crate) fn set_shows_archived(self, shows_archived: bool) {
        self.store.shows_archived().set(shows_archived);
        if shows_archived {
            spawn_local(self.load_archived());
        }
    }

    async fn load_archived(self) {
        let mut after = None;
        loop {
            let list = Command::ListSessions {
                limit: None,
                after,
                archived: true,
            };
            let Some(Reply::Sessions { sessions, has_more }) = self.ask_or_say(list).await else {
                return;
            };
            after = sessions.last().map(|last| last.session_id);
            for summary in sessions {
                apply(self.store, Push::Session(Box::new(summary)));
            }
            if !has_more {
                return;
            }
        }
    }

    /// Deletes a session. For a while it can be taken back.
    pub(crate) async fn delete(self, session_id: SessionId) {
        let title = {
            let sessions = self.store.sessions().read_untracked();
            let row = sessions.iter().find(|row| row.session_id == session_id);
            row.and_then(|row| row.title.clone())
        };
        let reply = self.ask_or_say(Command::DeleteSession { session_id }).await;
        if let Some(Reply::Deleted {
            restorable_until_ms,
            ..
        }) = reply
        {
            if self.is_shown(session_id) {
                self.connection.open_new();
            }
            apply(self.store, Push::Gone { session_id });
            self.store.deleted().update(|deleted| {
                deleted.retain(|known| known.session_id != session_id);
                deleted.push(DeletedSession {
                    session_id,
                    title,
                    until_ms: restorable_until_ms,
                });
            });
        }
    }

    /// Takes a deleted session back.
    pub(crate) async fn restore(self, session_id: SessionId) {
        self.forget_deleted(session_id);
        // The list says when it is back: the news that it had gone may still be on its way here,
        // and would close what the person opens meanwhile.
        self.ask_or_say(Command::RestoreSession { session_id })
            .await;
    }

    /// No longer offers to take a session back.
    pub(crate) fn forget_deleted(self, session_id: SessionId) {
        self.store
            .deleted()
            .update(|deleted| deleted.retain(|known| known.session_id != session_id));
    }

    /// Puts a session on the clipboard.
    pub(crate) async fn copy_export(self, session_id: SessionId, format: ExportFormat) {
        let command = Command::ExportSession { session_id, format };
        if let Some(Reply::Exported { text, .. }) = self.ask_or_say(command).await {
            if ipc::copy_text(&text).await {
                self.say("The session is on the clipboard.".to_owned());
            } else {
                let words = "The session could not be put on the clipboard.";
                self.store.notice().set(Some(words.to_owned()));
            }
        }
    }

    /// Writes a session to a file that the person chooses.
    pub(crate) async fn save_export(self, session_id: SessionId, format: ExportFormat) {
        match self.answer(ipc::save_export(session_id, format).await) {
            Ok(Some(Some(path))) => self.say(format!("Saved as {path}.")),
            Ok(Some(None) | None) => {}
            Err(error) => self.say_problem(&error),
        }
    }

    /// Makes a new session of the exported one in this file, and shows it.
    pub(crate) async fn import_file(self, file: web_sys::File) {
        // A file is looked at before it is read.
        if file.size() > limits::IMPORT_BYTES as f64 {
            let megabytes = limits::IMPORT_BYTES / (1024 * 1024);
            let words = format!("{} is larger than {megabytes} MB.", file.name());
            self.store.notice().set(Some(words));
            return;
        }
        match browser::read_text(&file).await {
            Some(json) => self.import(json).await,
            None => {
                let words = format!("{} could not be read.", file.name());
                self.store.notice().set(Some(words));
            }
        }
    }

    async fn import(self, json: String) {
        let reply = self.ask_or_say(Command::ImportSession { json }).await;
        if let Some(Reply::Session(summary)) = reply {
            let session_id = summary.session_id;
            apply(self.store, Push::Session(summary));
            self.open(session_id);
        }
    }

    /// Says something that went well.
    pub(crate) fn say(self, words: String) {
        self.store.said().set(Some(words));
    }

    pub(super) async fn take_session(self, command: Command) {
        if let Some(Reply::Session(summary)) = self.ask_or_say(command).await {
            apply(self.store, Push::Session(summary));
        }
    }

    fn is_shown(self, session_id: SessionId) -> bool {
        self.store.session().session_id().get_untracked() == Some(session_id)
    }
}
