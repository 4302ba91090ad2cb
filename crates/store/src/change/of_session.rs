//! Which session a change belongs to.

use protocol::SessionId;

use super::Change;

impl Change {
    /// The session whose list row or events change, where the change itself says so. Changes that
    /// say nothing come with an event that does.
    pub(crate) fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::CreateSession { session_id, .. }
            | Self::RenameSession { session_id, .. }
            | Self::ArchiveSession { session_id, .. }
            | Self::DeleteSession { session_id, .. }
            | Self::PurgeSession { session_id }
            | Self::SetSessionAgent { session_id, .. }
            | Self::SetSessionModel { session_id, .. }
            | Self::StartBranch { session_id, .. }
            | Self::SelectBranch { session_id, .. }
            | Self::NoteRequest { session_id, .. }
            | Self::Enqueue { session_id, .. }
            | Self::AddMessage { session_id, .. }
            | Self::AddSummary { session_id, .. }
            | Self::AppendDeltas { session_id, .. }
            | Self::MergeState { session_id, .. }
            | Self::AppendEvent { session_id, .. } => Some(*session_id),
            Self::CreateRun(run) => Some(run.session_id),
            Self::AddCall(call) | Self::SaveCall { call, .. } => Some(call.view.session_id),
            Self::NoteCause { .. }
            | Self::EditQueued { .. }
            | Self::Dequeue { .. }
            | Self::MoveRun { .. }
            | Self::RenewBudget { .. }
            | Self::SetRetry { .. }
            | Self::CountCrash { .. }
            | Self::DismissRun { .. }
            | Self::CreateStep { .. }
            | Self::MoveStep { .. }
            | Self::StartAttempt { .. }
            | Self::EndAttempt { .. }
            | Self::AddApproval { .. }
            | Self::DecideApproval { .. }
            | Self::ConsumeApproval { .. }
            | Self::AddCheckpoint { .. }
            | Self::MarkUndone { .. }
            | Self::StageState { .. }
            | Self::AddRule(_)
            | Self::RemoveRule { .. }
            | Self::CreateAgent(_)
            | Self::UpdateAgent { .. }
            | Self::DeleteAgent { .. }
            | Self::CreateProvider(_)
            | Self::UpdateProvider { .. }
            | Self::SaveProviderSecrets { .. }
            | Self::SaveProviderModels { .. }
            | Self::DeleteProvider { .. }
            | Self::Attachment(_)
            | Self::SaveSettings(_)
            | Self::NoteNotice { .. } => None,
        }
    }
}
