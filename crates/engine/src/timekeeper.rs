//! What happens when its time comes: questions expire, failed model calls are made again, calls in
//! doubt are looked at, deleted sessions go. Every time is stored; this only waits for the next.

use std::sync::{Arc, Weak};

use protocol::{CommandError, SessionId};
use store::{Change, Due, Transition};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::engine::Inner;
use crate::{Engine, cause, decide};

/// How long a deleted session can be taken back.
pub(crate) const UNDO_MS: u64 = 60_000;
/// When something that is due could not be done, it is tried again after so long.
const AGAIN_MS: u64 = 5_000;

/// Waits for the next time that is stored, for as long as its engine is there.
pub(crate) fn start(engine: &Engine, runtime: &Handle) {
    let (inner, wake) = (Arc::downgrade(&engine.inner), engine.inner.wake.clone());
    let closing = engine.inner.closing.clone();
    runtime.spawn(async move {
        tokio::select! {
            () = closing.cancelled() => {}
            () = keep_time(inner, wake) => {}
        }
    });
}

/// Whether a transition may change what is due next.
pub(crate) fn concerns(transition: &Transition) -> bool {
    transition.changes.iter().any(|change| match change {
        Change::AddApproval { .. }
        | Change::SetRetry { .. }
        | Change::DeleteSession { .. }
        | Change::Dequeue { .. }
        | Change::Attachment(_) => true,
        Change::SaveCall { call, .. } => call.view.doubt.is_some(),
        Change::NoteCause { .. }
        | Change::CreateSession { .. }
        | Change::ArchiveSession { .. }
        | Change::PurgeSession { .. }
        | Change::SetSessionAgent { .. }
        | Change::SetSessionModel { .. }
        | Change::StartBranch { .. }
        | Change::SelectBranch { .. }
        | Change::NoteRequest { .. }
        | Change::Enqueue { .. }
        | Change::EditQueued { .. }
        | Change::RenameSession { .. }
        | Change::AddMessage { .. }
        | Change::AddSummary { .. }
        | Change::CreateRun(_)
        | Change::MoveRun { .. }
        | Change::RenewBudget { .. }
        | Change::CountCrash { .. }
        | Change::DismissRun { .. }
        | Change::CreateStep { .. }
        | Change::MoveStep { .. }
        | Change::StartAttempt { .. }
        | Change::AppendDeltas { .. }
        | Change::EndAttempt { .. }
        | Change::AddCall(_)
        | Change::DecideApproval { .. }
        | Change::ConsumeApproval { .. }
        | Change::AddCheckpoint { .. }
        | Change::MarkUndone { .. }
        | Change::StageState { .. }
        | Change::MergeState { .. }
        | Change::AddRule(_)
        | Change::RemoveRule { .. }
        | Change::CreateAgent(_)
        | Change::UpdateAgent { .. }
        | Change::DeleteAgent { .. }
        | Change::CreateProvider(_)
        | Change::UpdateProvider { .. }
        | Change::SaveProviderSecrets { .. }
        | Change::SaveProviderModels { .. }
        | Change::DeleteProvider { .. }
        | Change::SaveSettings(_)
        | Change::NoteNotice { .. }
        | Change::AppendEvent { .. } => false,
    })
}

const fn due_name(due: Due) -> &'static str {
    match due {
        Due::Approval { .. } => "expire_approval",
        Due::Retry { .. } => "retry_model_call",
        Due::Check { .. } => "check_call",
        Due::Attachments => "purge_attachments",
        Due::Purge { .. } => "purge_session",
    }
}

async fn keep_time(inner: Weak<Inner>, wake: Arc<Notify>) {
    loop {
        // Held only while something is done: an engine that nobody holds must be able to go.
        let Some(engine) = inner.upgrade().map(|inner| Engine { inner }) else {
            return;
        };
        let next = engine.read(|reader| reader.next_due(UNDO_MS)).await;
        let now_ms = engine.inner.now_ms();
        let at_ms = match next {
            Ok(Some(at_ms)) if at_ms <= now_ms => {
                if engine.do_due().await {
                    continue;
                }
                now_ms + AGAIN_MS
            }
            Ok(Some(at_ms)) => at_ms,
            Ok(None) => u64::MAX,
            Err(error) => {
                tracing::warn!(name: "engine.timer.unread", code = ?error.code);
                now_ms + AGAIN_MS
            }
        };
        let timer = engine.inner.clock.wait_until(at_ms);
        drop(engine);
        tokio::select! {
            () = wake.notified() => {}
            () = timer => {}
        }
    }
}

impl Engine {
    /// Does what is due. Whether all of it was done: one that cannot be done keeps nothing else.
    async fn do_due(&self) -> bool {
        let now_ms = self.inner.now_ms();
        let due = match self.read(move |reader| reader.due(now_ms, UNDO_MS)).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(name: "engine.timer.unread", code = ?error.code);
                return false;
            }
        };
        let mut is_done = true;
        for due in due {
            let cause = cause::app(due_name(due));
            if let Err(error) = cause::because_of(cause, self.do_one(due)).await {
                tracing::warn!(name: "engine.timer.failed", ?due, code = ?error.code, message = error.message);
                is_done = false;
            }
        }
        is_done
    }

    async fn do_one(&self, due: Due) -> Result<(), CommandError> {
        match due {
            Due::Approval {
                session_id,
                call_id,
            } => {
                let read = move |reader: &store::Reader<'_>| {
                    Ok((reader.session_state(session_id)?, reader.call(call_id)?))
                };
                self.transact_in(session_id, read, |(state, call)| {
                    let decision = match (state, call) {
                        (Some(state), Some(call)) => {
                            decide::expire(state, call, &self.inner.given())
                        }
                        (_, None) | (None, _) => decide::Decision::nothing(),
                    };
                    Ok(((), decision))
                })
                .await
            }
            Due::Retry { session_id, run_id } => {
                self.transact(session_id, |state| {
                    let decision = state.map_or_else(decide::Decision::nothing, |state| {
                        decide::retry_model(state, run_id, &self.inner.given())
                    });
                    Ok(((), decision))
                })
                .await
            }
            Due::Check { call_id, .. } => self.check_call(call_id).await.map(drop),
            Due::Attachments => self.purge_attachments().await,
            Due::Purge { session_id } => self.purge(session_id).await,
        }
    }

    /// Nothing of a deleted session is left: its rows go, then its folder if nobody shares it.
    async fn purge(&self, session_id: SessionId) -> Result<(), CommandError> {
        let found = self
            .read(move |reader| {
                let Some(state) = reader.session_state(session_id)? else {
                    return Ok(None);
                };
                let users = reader.workspace_users(&state.workspace)?;
                Ok(Some((state.workspace, users)))
            })
            .await?;
        let Some((workspace, users)) = found else {
            return Ok(());
        };
        let transition = Transition {
            sync: store::Sync::Barrier,
            changes: vec![Change::PurgeSession { session_id }],
        };
        match self.commit(transition, Vec::new()).await {
            Ok(()) => {}
            // It was taken back, and then its folder is in use; or it is gone already, and then a
            // folder that is left is found at the next start.
            Err(store::Error::Conflict(_)) => return Ok(()),
            Err(error) => return Err(crate::command_error::from_store(&error)),
        }
        if users <= 1 {
            self.remove_workspace(workspace).await;
        }
        tracing::info!(name: "engine.session.purged", %session_id);
        Ok(())
    }

    /// One that cannot be removed now is found at the next start.
    pub(crate) async fn remove_workspace(&self, workspace: String) {
        let workspaces = Arc::clone(&self.inner.workspaces);
        let removed = tokio::task::spawn_blocking(move || workspaces.remove(&workspace)).await;
        if let Ok(Err(error)) = removed {
            tracing::warn!(name: "engine.workspace.not_removed", %error);
        }
    }
}
