//! The one check that every command passes.

use super::check::{
    check_agent, check_batch, check_decision, check_from, check_import, check_integer, check_limit,
    check_model, check_path, check_request_key, check_resolution, check_rule, check_settings,
    check_text, check_title,
};
use super::check_attachment::{check_attachment, check_attachments};
use super::check_provider::{check_key, check_provider, check_secret_name};
use crate::{Command, CommandError};

impl Command {
    /// Checks every value against its cap. The engine calls this for each command it is given.
    #[expect(
        clippy::too_many_lines,
        reason = "one place for every command, and no command forgotten"
    )]
    pub fn validate(&self) -> Result<(), CommandError> {
        match self {
            Self::ListSessions { limit, .. } | Self::GetSession { limit, .. } => {
                check_limit(*limit)
            }
            Self::ListMessages { limit, before, .. } => {
                check_integer("before", *before)?;
                check_limit(*limit)
            }
            Self::CreateSession {
                title: Some(title), ..
            }
            | Self::RenameSession { title, .. } => check_title(title),
            Self::SendMessage {
                text,
                request_key,
                attachments,
                ..
            } => {
                check_text(text)?;
                check_attachments(attachments)?;
                check_request_key(request_key.as_deref())
            }
            Self::AddAttachment { name, data, .. } => check_attachment(name, data),
            Self::GetAttachment { offset, .. } => check_integer("offset", offset.unwrap_or(0)),
            Self::StartRun {
                text, request_key, ..
            }
            | Self::EditMessage {
                text, request_key, ..
            } => {
                check_text(text)?;
                check_request_key(request_key.as_deref())
            }
            Self::Regenerate { request_key, .. } | Self::RetryRun { request_key, .. } => {
                check_request_key(request_key.as_deref())
            }
            Self::EditQueued { text, .. } => check_text(text),
            Self::ImportSession { json } => check_import(json),
            Self::GetResult { offset, .. } => check_integer("offset", *offset),
            Self::DecideCall {
                digest,
                decision,
                from,
                ..
            } => {
                check_from(from.as_deref())?;
                check_decision(digest, decision)
            }
            Self::DecideCalls { decisions, from } => {
                check_from(from.as_deref())?;
                check_batch(decisions)
            }
            Self::ResolveCall { resolution, .. } => check_resolution(resolution),
            Self::AddRule {
                tool,
                pattern,
                scope,
                ..
            } => check_rule(tool, pattern.as_deref(), scope),
            Self::CreateAgent { fields } | Self::UpdateAgent { fields, .. } => check_agent(fields),
            Self::SetSessionModel {
                model: Some(model), ..
            } => check_model(model),
            Self::CreateProvider { fields } | Self::UpdateProvider { fields, .. } => {
                check_provider(fields)
            }
            Self::SetProviderKey { header, key, .. } => {
                check_secret_name(header.as_deref())?;
                check_key(key)
            }
            Self::ForgetProviderKey { header, .. } => check_secret_name(header.as_deref()),
            Self::ServeModelFile { path } => check_path(path),
            Self::UpdateSettings { settings } => check_settings(settings),
            Self::Subscribe { after_seq, .. } => check_integer("after_seq", *after_seq),
            Self::GetApp {}
            | Self::ListAttention {}
            | Self::CreateSession { title: None, .. }
            | Self::ArchiveSession { .. }
            | Self::DeleteSession { .. }
            | Self::RestoreSession { .. }
            | Self::SetSessionAgent { .. }
            | Self::SetSessionModel { model: None, .. }
            | Self::ForkSession { .. }
            | Self::SelectBranch { .. }
            | Self::ExportSession { .. }
            | Self::RemoveAttachment { .. }
            | Self::RemoveQueued { .. }
            | Self::SendQueued { .. }
            | Self::GetRun { .. }
            | Self::StopRun { .. }
            | Self::ResumeRun { .. }
            | Self::CancelRun { .. }
            | Self::ListApprovals { .. }
            | Self::GetCall { .. }
            | Self::UndoCall { .. }
            | Self::UndoRun { .. }
            | Self::ListRules {}
            | Self::RevokeRule { .. }
            | Self::ListAgents {}
            | Self::DuplicateAgent { .. }
            | Self::DeleteAgent { .. }
            | Self::ListProviders {}
            | Self::DeleteProvider { .. }
            | Self::TestProvider { .. }
            | Self::ResumeProvider { .. }
            | Self::RefreshModels { .. }
            | Self::FindLocalServers {}
            | Self::StopServing {}
            | Self::GetServedModel {}
            | Self::GetSettings {}
            | Self::Unsubscribe { .. }
            | Self::WatchSessions {} => Ok(()),
        }
    }
}
