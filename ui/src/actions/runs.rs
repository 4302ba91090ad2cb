//! Runs: stop, resume, retry, discard.

use leptos::prelude::{GetUntracked, ReadUntracked};
use protocol::{AttentionAction, AttentionKind, Command, CommandError, RunId, SessionId};

use super::Actions;
use crate::browser;
use crate::state::{AppStateStoreFields, Panel, SessionStateStoreFields};

impl Actions {
    /// Halts the run of the open session, if it has a live one.
    pub(crate) async fn stop(self) {
        let run = self.store.session().run().get_untracked();
        let Some(run) = run.filter(|run| run.status.is_live()) else {
            return;
        };
        if let Err(error) = self.act(Command::StopRun { run_id: run.run_id }).await {
            self.say_problem(&error);
        }
    }

    /// Continues a run.
    pub(crate) async fn resume(self, run_id: RunId) -> Result<(), CommandError> {
        self.act(Command::ResumeRun { run_id }).await
    }

    /// Tries a run again, as a new one.
    pub(crate) async fn retry(self, run_id: RunId) -> Result<(), CommandError> {
        let request_key = Some(browser::fresh_key());
        self.act(Command::RetryRun {
            run_id,
            request_key,
        })
        .await
    }

    /// Ends a run for good.
    pub(crate) async fn discard(self, run_id: RunId) -> Result<(), CommandError> {
        self.act(Command::CancelRun { run_id }).await
    }

    /// Continues every run that was interrupted and may be continued.
    pub(crate) async fn resume_all(self) {
        let runs: Vec<RunId> = self
            .store
            .sessions()
            .read_untracked()
            .iter()
            .filter_map(|row| row.attention.as_ref())
            .filter(|attention| attention.kind == AttentionKind::Interrupted)
            .filter(|attention| attention.actions.contains(&AttentionAction::Resume))
            .map(|attention| attention.run_id)
            .collect();
        for run_id in runs {
            if let Err(error) = self.resume(run_id).await {
                self.say_problem(&error);
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
}
