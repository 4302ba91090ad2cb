//! Which model answers: of a session, and of one that does not exist yet.

use leptos::prelude::{GetUntracked, Set};
use protocol::{Command, CommandError, Reply, SessionId};

use super::Actions;
use crate::state::{AppStateStoreFields, SessionStateStoreFields};

impl Actions {
    /// Gives the open session a model of its own; its agent's again when absent.
    pub(crate) async fn choose_model(self, model: Option<String>) {
        match self.store.session().session_id().get_untracked() {
            Some(session_id) => {
                self.take_session(Command::SetSessionModel { session_id, model })
                    .await;
            }
            None => self.store.new_model().set(model),
        }
    }

    /// A session that is begun with a model of its own exists before its first message.
    pub(super) async fn begin_session(
        self,
        model: String,
    ) -> Result<Option<SessionId>, CommandError> {
        let create = Command::CreateSession {
            session_id: None,
            title: None,
            agent_id: self.store.new_agent().get_untracked(),
        };
        let Some(Reply::Session(summary)) = self.ask(create).await? else {
            return Ok(None);
        };
        let session_id = summary.session_id;
        let model = Some(model);
        self.act(Command::SetSessionModel { session_id, model })
            .await?;
        Ok(Some(session_id))
    }
}
