//! Carrying out commands: each is checked, decided, written, and only then answered.

mod agents;
mod approvals;
mod attachments;
mod branches;
mod messages;
mod providers;
mod rules;
mod runs;
mod serving;
mod sessions;
mod transfer;
mod undo;

pub(crate) use runs::say_tries;

use protocol::{
    AgentFields, AgentId, AppInfo, Command, CommandError, ErrorCode, Reply, ToolInfo, limits,
};

use crate::command_error::not_found;
use crate::summary::snapshot;
use crate::{Engine, cause};

impl Engine {
    /// Carries out one command. What the reply says is on disk; an error means that nothing
    /// was changed. Subscriptions need somewhere to send to: use [`Engine::subscribe`] and
    /// [`Engine::watch_sessions`] for those.
    pub async fn execute(&self, command: Command) -> Result<Reply, CommandError> {
        command.validate()?;
        let _admitted = self.inner.admit()?;
        cause::because_of(cause::of_command(&command), self.carry_out(command)).await
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one line per command: the whole list at a glance"
    )]
    async fn carry_out(&self, command: Command) -> Result<Reply, CommandError> {
        match command {
            Command::GetApp {} => Ok(Reply::App(self.app_info())),
            Command::ListSessions {
                limit,
                after,
                archived,
            } => {
                let limit = limit.unwrap_or(limits::PAGE);
                self.list_sessions(limit, after, archived).await
            }
            Command::ListAttention {} => self.list_attention().await,
            Command::CreateSession {
                session_id,
                title,
                agent_id,
            } => {
                self.create_session(session_id, title.as_deref(), agent_id)
                    .await
            }
            Command::RenameSession { session_id, title } => {
                self.rename_session(session_id, &title).await
            }
            Command::ArchiveSession {
                session_id,
                is_archived,
            } => self.archive_session(session_id, is_archived).await,
            Command::DeleteSession { session_id } => self.delete_session(session_id).await,
            Command::RestoreSession { session_id } => self.restore_session(session_id).await,
            Command::SetSessionAgent {
                session_id,
                agent_id,
            } => self.set_session_agent(session_id, agent_id).await,
            Command::SetSessionModel { session_id, model } => {
                self.set_session_model(session_id, model).await
            }
            Command::ForkSession {
                session_id,
                message_id,
            } => self.fork_session(session_id, message_id).await,
            Command::SelectBranch { session_id, branch } => {
                self.select_branch(session_id, branch).await
            }
            Command::ExportSession { session_id, format } => {
                self.export_session(session_id, format).await
            }
            Command::ImportSession { json } => self.import_session(&json).await,
            Command::GetSession { session_id, limit } => {
                let workspaces = std::sync::Arc::clone(&self.inner.workspaces);
                self.read(move |reader| snapshot(reader, &*workspaces, session_id, limit))
                    .await?
                    .map(|snapshot| Reply::Snapshot(Box::new(snapshot)))
                    .ok_or_else(|| not_found("session"))
            }
            Command::ListMessages {
                session_id,
                before,
                limit,
            } => self.list_messages(session_id, before, limit).await,
            Command::SendMessage {
                session_id,
                text,
                request_key,
                stop_first,
                agent_id,
                attachments,
            } => {
                let mut start = self
                    .start_input(session_id, text, request_key, agent_id)
                    .await?;
                start.attachments = self.attachable(&start, attachments, session_id).await?;
                self.send_message(start, session_id.is_some(), stop_first)
                    .await
            }
            Command::AddAttachment {
                attachment_id,
                name,
                data,
            } => self.add_attachment(attachment_id, name, data).await,
            Command::GetAttachment {
                attachment_id,
                offset,
                as_text,
            } => {
                self.get_attachment(attachment_id, offset.unwrap_or(0), as_text)
                    .await
            }
            Command::RemoveAttachment { attachment_id } => {
                self.remove_attachment(attachment_id).await
            }
            Command::EditQueued { message_id, text } => self.edit_queued(message_id, &text).await,
            Command::RemoveQueued { message_id } => self.remove_queued(message_id).await,
            Command::SendQueued { session_id } => self.send_queued(session_id).await,
            Command::EditMessage {
                message_id,
                text,
                request_key,
            } => self.edit_message(message_id, &text, request_key).await,
            Command::Regenerate {
                message_id,
                request_key,
            } => self.regenerate(message_id, request_key).await,
            Command::RetryRun {
                run_id,
                request_key,
            } => self.retry_run(run_id, request_key).await,
            Command::StartRun {
                session_id,
                text,
                request_key,
            } => {
                let start = self
                    .start_input(session_id, text, request_key, None)
                    .await?;
                self.start_run(start, session_id.is_some()).await
            }
            Command::GetRun { run_id } => self.run(run_id).await.map(Reply::Run),
            Command::StopRun { run_id } => self.stop_run(run_id).await,
            Command::ResumeRun { run_id } => self.resume_run(run_id).await,
            Command::CancelRun { run_id } => self.cancel_run(run_id).await,
            Command::ListApprovals { session_id } => self.list_approvals(session_id).await,
            Command::GetCall { call_id } => self.call(call_id).await,
            Command::GetResult { call_id, offset } => self.result(call_id, offset).await,
            Command::DecideCall {
                call_id,
                digest,
                decision,
                from,
            } => self.decide_one(call_id, digest, decision, from).await,
            Command::DecideCalls { decisions, from } => self.decide_many(decisions, from).await,
            Command::ResolveCall {
                call_id,
                resolution,
            } => self.resolve_call(call_id, resolution).await,
            Command::UndoCall { call_id } => self.undo_call(call_id).await,
            Command::UndoRun { run_id } => self.undo_run(run_id).await,
            Command::ListRules {} => self.list_rules().await,
            Command::AddRule {
                verdict,
                tool,
                pattern,
                scope,
            } => self.add_rule(verdict, tool, pattern, scope).await,
            Command::RevokeRule { rule_id } => self.revoke_rule(rule_id).await,
            Command::ListAgents {} => self.list_agents().await,
            Command::CreateAgent { fields } => self.create_agent(fields).await,
            Command::UpdateAgent {
                agent_id,
                fields,
                revision,
            } => self.update_agent(agent_id, fields, revision).await,
            Command::DuplicateAgent { agent_id } => self.duplicate_agent(agent_id).await,
            Command::DeleteAgent { agent_id } => self.delete_agent(agent_id).await,
            Command::ListProviders {} => self.list_providers().await,
            Command::CreateProvider { fields } => self.create_provider(fields).await,
            Command::UpdateProvider {
                provider_id,
                fields,
                revision,
            } => self.update_provider(provider_id, fields, revision).await,
            Command::DeleteProvider {
                provider_id,
                anyway,
            } => self.delete_provider(provider_id, anyway).await,
            Command::SetProviderKey {
                provider_id,
                header,
                key,
            } => self.set_provider_key(provider_id, header, key).await,
            Command::ForgetProviderKey {
                provider_id,
                header,
            } => self.forget_provider_key(provider_id, header).await,
            Command::TestProvider { provider_id } => self.test_provider(provider_id).await,
            Command::ResumeProvider { provider_id } => self.resume_provider(provider_id).await,
            Command::RefreshModels { provider_id } => self.refresh_models(provider_id).await,
            Command::FindLocalServers {} => self.find_local_servers().await,
            Command::ServeModelFile { path } => self.serve_model_file(path).await,
            Command::StopServing {} => self.stop_serving().await,
            Command::GetServedModel {} => self.served_model().await,
            Command::GetSettings {} => self
                .read(|reader| reader.settings())
                .await
                .map(Reply::Settings),
            Command::UpdateSettings { settings } => self.update_settings(settings).await,
            Command::Subscribe { .. } | Command::Unsubscribe { .. } | Command::WatchSessions {} => {
                Err(CommandError::new(
                    ErrorCode::InvalidCommand,
                    "A subscription needs a channel to send to.",
                    "Subscribe through the window or headless.",
                ))
            }
        }
    }

    /// The app: its version, its folder, who answers, what agents can do.
    pub fn app_info(&self) -> AppInfo {
        let tools = self.inner.tool_specs().iter().map(|spec| ToolInfo {
            name: spec.name.clone(),
            description: spec.description.clone(),
        });
        AppInfo {
            version: self.inner.app_version.clone(),
            data_dir: self.inner.store.folder().root().display().to_string(),
            model: self.inner.default_model(),
            models: self.inner.models.list(),
            tools: tools.collect(),
        }
    }

    /// An agent that exists; the default one when none is named.
    async fn agent(
        &self,
        agent_id: Option<AgentId>,
    ) -> Result<(AgentId, AgentFields), CommandError> {
        let agent_id = agent_id.unwrap_or(store::DEFAULT_AGENT);
        self.read(move |reader| reader.agent(agent_id))
            .await?
            .map(|agent| (agent_id, agent.fields))
            .ok_or_else(|| not_found("agent"))
    }
}
