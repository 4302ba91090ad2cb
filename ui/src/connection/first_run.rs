//! Whether anything was ever chosen: if not, the window asks who is to answer.

use leptos::prelude::GetUntracked;
use protocol::{Command, Reply};

use super::Connection;
use crate::ipc;
use crate::state::AppStateStoreFields;

impl Connection {
    /// No provider, no default model, and no model from the command line. What cannot be read is no
    /// reason to ask.
    pub(super) async fn is_first_run(self) -> bool {
        let app = self.store.app().get_untracked();
        if !app.is_some_and(|app| app.model.is_scripted) {
            return false;
        }
        let settings = ipc::execute(&Command::GetSettings {}).await;
        let Ok(Reply::Settings(settings)) = settings else {
            return false;
        };
        if settings.default_model.is_some() {
            return false;
        }
        let providers = ipc::execute(&Command::ListProviders {}).await;
        matches!(providers, Ok(Reply::Providers { providers }) if providers.is_empty())
    }
}
