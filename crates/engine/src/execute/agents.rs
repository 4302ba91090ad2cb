//! Commands about agents.

use protocol::{AgentFields, AgentId, AgentView, CommandError, ErrorCode, Reply};
use store::{Change, DEFAULT_AGENT, Reader};

use crate::Engine;
use crate::command_error::not_found;
use crate::decide::Decision;

impl Engine {
    pub(super) async fn list_agents(&self) -> Result<Reply, CommandError> {
        let agents = self.read(|reader| reader.agents()).await?;
        Ok(Reply::Agents { agents })
    }

    pub(super) async fn create_agent(&self, fields: AgentFields) -> Result<Reply, CommandError> {
        self.check_agent(&fields)?;
        let agent = self.new_agent(tidy(fields));
        self.change_app(Change::CreateAgent(agent.clone())).await?;
        Ok(Reply::Agent(agent))
    }

    /// An edit of something else than what is there now is a conflict: nothing is overwritten.
    pub(super) async fn update_agent(
        &self,
        agent_id: AgentId,
        fields: AgentFields,
        revision: u32,
    ) -> Result<Reply, CommandError> {
        self.check_agent(&fields)?;
        let fields = tidy(fields);
        let at_ms = self.inner.now_ms();
        let read = move |reader: &Reader<'_>| reader.agent(agent_id);
        self.transact_on(read, |agent| {
            let agent = agent.as_ref().ok_or_else(|| not_found("agent"))?;
            if agent.revision != revision {
                return Err(CommandError::new(
                    ErrorCode::Conflict,
                    "This agent was changed meanwhile.",
                    "Look at it again and make your change once more.",
                ));
            }
            Ok((
                (),
                only(Change::UpdateAgent {
                    agent_id,
                    fields: fields.clone(),
                    revision,
                    at_ms,
                }),
            ))
        })
        .await?;
        let agent = self.read(move |reader| reader.agent(agent_id)).await?;
        agent.map(Reply::Agent).ok_or_else(|| not_found("agent"))
    }

    pub(super) async fn duplicate_agent(&self, agent_id: AgentId) -> Result<Reply, CommandError> {
        let (_, mut fields) = self.agent(Some(agent_id)).await?;
        let cap = protocol::limits::NAME_BYTES - " (copy)".len();
        fields.name.truncate(fields.name.floor_char_boundary(cap));
        fields.name.push_str(" (copy)");
        let agent = self.new_agent(fields);
        self.change_app(Change::CreateAgent(agent.clone())).await?;
        Ok(Reply::Agent(agent))
    }

    pub(super) async fn delete_agent(&self, agent_id: AgentId) -> Result<Reply, CommandError> {
        if agent_id == DEFAULT_AGENT {
            return Err(CommandError::new(
                ErrorCode::NotActionable,
                "The default agent cannot be deleted.",
                "Change it instead.",
            ));
        }
        let read = move |reader: &Reader<'_>| reader.agent(agent_id);
        self.transact_on(read, |agent| {
            agent.as_ref().ok_or_else(|| not_found("agent"))?;
            Ok(((), only(Change::DeleteAgent { agent_id })))
        })
        .await?;
        self.list_agents().await
    }

    fn new_agent(&self, fields: AgentFields) -> AgentView {
        let at_ms = self.inner.now_ms();
        AgentView {
            agent_id: AgentId::from_uuid(self.inner.new_id()),
            fields,
            is_default: false,
            revision: 1,
            created_at_ms: at_ms,
            updated_at_ms: at_ms,
        }
    }

    /// What an agent names must exist.
    fn check_agent(&self, fields: &AgentFields) -> Result<(), CommandError> {
        if let Some(model) = &fields.model {
            self.check_model(model)?;
        }
        for tool in fields.tools.iter().flatten() {
            if self.inner.tool(tool).is_none() {
                return Err(unknown("tool", tool));
            }
        }
        Ok(())
    }

    /// A model that is chosen must be one that can be used.
    pub(super) fn check_model(&self, model: &str) -> Result<(), CommandError> {
        match self.inner.model(model) {
            Some(_) => Ok(()),
            None => Err(unknown("model", model)),
        }
    }
}

fn unknown(what: &str, name: &str) -> CommandError {
    CommandError::new(
        ErrorCode::InvalidValue,
        format!("There is no {what} called {name}."),
        "Choose one of those that get_app lists.",
    )
}

/// "Not set" is absent, never empty.
fn tidy(mut fields: AgentFields) -> AgentFields {
    fields.name = fields.name.trim().to_owned();
    fields.instructions = fields
        .instructions
        .filter(|instructions| !instructions.trim().is_empty());
    fields
}

fn only(change: Change) -> Decision {
    let mut decision = Decision::nothing();
    decision.changes.push(change);
    decision
}
