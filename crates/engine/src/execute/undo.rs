//! Taking file changes back.

use std::sync::Arc;

use protocol::{CallId, CallStatus, CommandError, ErrorCode, Event, Reply, RunId, ToolCallView};
use store::{CallRow, Change, Checkpoint};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::Decision;
use crate::workspaces::RestoreError;

impl Engine {
    /// Takes the file changes of one call back. Restoring is done before it is noted: it compares
    /// hashes, so that doing it again after a crash changes nothing.
    pub(super) async fn undo_call(&self, call_id: CallId) -> Result<Reply, CommandError> {
        self.undo(call_id).await?;
        self.call(call_id).await
    }

    /// The newest change first, so that a file that was changed twice goes all the way back.
    pub(super) async fn undo_run(&self, run_id: RunId) -> Result<Reply, CommandError> {
        self.run(run_id).await?;
        let found = self
            .read(move |reader| reader.checkpoints_of_run(run_id))
            .await?;
        let mut calls: Vec<CallId> = Vec::new();
        for (call_id, _) in found {
            if !calls.contains(&call_id) {
                calls.push(call_id);
            }
        }
        let mut paths = Vec::new();
        for call_id in calls {
            for path in self.undo(call_id).await? {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        Ok(Reply::Undone { paths })
    }

    async fn undo(&self, call_id: CallId) -> Result<Vec<String>, CommandError> {
        let (call, checkpoints, workspace) = self
            .read(move |reader| {
                let Some(call) = reader.call(call_id)? else {
                    return Ok(None);
                };
                let state = reader.session_state(call.view.session_id)?;
                let workspace = state.map(|state| state.workspace).unwrap_or_default();
                Ok(Some((
                    call,
                    reader.checkpoints_of_call(call_id)?,
                    workspace,
                )))
            })
            .await?
            .ok_or_else(|| not_found("tool call"))?;
        if call.view.status == CallStatus::Running {
            return Err(refused(&call, "This call is still running."));
        }
        let mut paths = Vec::new();
        for checkpoint in checkpoints {
            if checkpoint.undone_at_ms.is_none() {
                paths.push(self.undo_one(&call, checkpoint, &workspace).await?);
            }
        }
        Ok(paths)
    }

    async fn undo_one(
        &self,
        call: &CallRow,
        checkpoint: Checkpoint,
        workspace: &str,
    ) -> Result<String, CommandError> {
        let workspaces = Arc::clone(&self.inner.workspaces);
        let (name, path) = (workspace.to_owned(), checkpoint.path.clone());
        let restored = tokio::task::spawn_blocking(move || {
            let before = checkpoint.before.as_deref();
            workspaces.restore(&name, &checkpoint.path, checkpoint.after, before)
        })
        .await
        .map_err(|_| CommandError::internal("The file could not be put back."))?;
        match restored {
            Ok(()) => {}
            Err(RestoreError::Changed(path)) => {
                let message = format!("{path} was changed since, so it was left as it is.");
                return Err(refused(call, &message));
            }
            Err(error @ RestoreError::Failed { .. }) => {
                return Err(CommandError::new(
                    ErrorCode::StorageFailed,
                    format!("The file could not be put back: {error}."),
                    "Mend what is in the way and try again.",
                ));
            }
        }
        self.note_undone(&call.view, &path).await?;
        Ok(path)
    }

    async fn note_undone(&self, call: &ToolCallView, path: &str) -> Result<(), CommandError> {
        let (session_id, call_id) = (call.session_id, call.call_id);
        let at_ms = self.inner.now_ms();
        let read = move |reader: &store::Reader<'_>| reader.call(call_id);
        self.transact_in(session_id, read, |call| {
            let call = call.as_ref().ok_or_else(|| not_found("tool call"))?;
            let mut decision = Decision::nothing();
            let mut view = call.view.clone();
            let file = view.files.iter_mut().find(|file| file.path == path);
            if let Some(file) = file.filter(|file| file.undone_at_ms.is_none()) {
                file.undone_at_ms = Some(at_ms);
                decision.changes.push(Change::MarkUndone {
                    call_id,
                    path: path.to_owned(),
                    at_ms,
                });
                decision.changes.push(Change::AppendEvent {
                    session_id: view.session_id,
                    at_ms,
                    event: Event::ToolCallChanged {
                        call: Box::new(view),
                    },
                });
            }
            Ok(((), decision))
        })
        .await
    }
}

fn refused(call: &CallRow, message: &str) -> CommandError {
    CommandError::new(
        ErrorCode::NotActionable,
        message,
        "Look at the file, and change it by hand where needed.",
    )
    .about_run(call.view.run_id)
}
