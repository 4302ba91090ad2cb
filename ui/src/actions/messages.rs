//! Messages: earlier ones, other versions, other branches.

use leptos::prelude::{GetUntracked, ReadUntracked};
use protocol::{Command, CommandError, MessageId, Push, Reply, SessionId};

use super::Actions;
use crate::browser;
use crate::connection::PAGE_MESSAGES;
use crate::state::{AppStateStoreFields, SessionStateStoreFields, apply, apply_earlier};

impl Actions {
    /// Asks for the rest of the last reply. What is being written stays where it is.
    pub(crate) async fn ask_for_more(self) {
        let Some(session_id) = self.store.session().session_id().get_untracked() else {
            return;
        };
        let command = Command::SendMessage {
            session_id: Some(session_id),
            text: "Continue where you stopped.".to_owned(),
            request_key: Some(browser::fresh_key()),
            stop_first: false,
            agent_id: None,
            attachments: Vec::new(),
        };
        self.ask_or_say(command).await;
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
        if let Some(Reply::Messages {
            messages,
            has_earlier,
            calls,
        }) = self.ask_or_say(command).await
        {
            apply_earlier(self.store, session_id, messages, calls, has_earlier);
        }
    }

    /// Writes a message anew, in a new branch.
    pub(crate) async fn edit_message(
        self,
        message_id: MessageId,
        text: String,
    ) -> Result<(), CommandError> {
        self.act(Command::EditMessage {
            message_id,
            text,
            request_key: Some(browser::fresh_key()),
        })
        .await
    }

    /// Has a message answered again, in a new branch.
    pub(crate) async fn regenerate(self, message_id: MessageId) {
        let command = Command::Regenerate {
            message_id,
            request_key: Some(browser::fresh_key()),
        };
        self.ask_or_say(command).await;
    }

    /// Makes a new session with the history up to here, and shows it.
    pub(crate) async fn fork(self, message_id: MessageId) {
        let Some(session_id) = self.open_session() else {
            return;
        };
        let command = Command::ForkSession {
            session_id,
            message_id,
        };
        if let Some(Reply::Session(summary)) = self.ask_or_say(command).await {
            let forked = summary.session_id;
            apply(self.store, Push::Session(summary));
            self.open(forked);
        }
    }

    /// Shows another branch.
    pub(crate) async fn select_branch(self, branch: u32) {
        if let Some(session_id) = self.open_session() {
            self.ask_or_say(Command::SelectBranch { session_id, branch })
                .await;
        }
    }

    fn open_session(self) -> Option<SessionId> {
        self.store.session().session_id().get_untracked()
    }
}
