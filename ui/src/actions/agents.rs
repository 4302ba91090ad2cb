//! Agents: list, create, edit, duplicate, delete.

use leptos::prelude::{Set, Update};
use protocol::{AgentFields, AgentId, AgentView, Command, CommandError, Reply};

use super::Actions;
use crate::state::AppStateStoreFields;

impl Actions {
    /// Reads every agent.
    pub(crate) async fn load_agents(self) {
        if let Some(reply) = self.ask_or_say(Command::ListAgents {}).await {
            self.take_agents(reply);
        }
    }

    /// Makes an agent, or changes the one with this id at this revision.
    pub(crate) async fn save_agent(
        self,
        edited: Option<(AgentId, u32)>,
        fields: AgentFields,
    ) -> Result<Option<AgentView>, CommandError> {
        let command = match edited {
            None => Command::CreateAgent { fields },
            Some((agent_id, revision)) => Command::UpdateAgent {
                agent_id,
                fields,
                revision,
            },
        };
        let saved = match self.ask(command).await? {
            Some(Reply::Agent(agent)) => agent,
            Some(_) | None => return Ok(None),
        };
        self.take_agent(&saved);
        Ok(Some(saved))
    }

    /// Copies an agent.
    pub(crate) async fn duplicate_agent(self, agent_id: AgentId) -> Option<AgentView> {
        let command = Command::DuplicateAgent { agent_id };
        match self.ask_or_say(command).await {
            Some(Reply::Agent(agent)) => {
                self.take_agent(&agent);
                Some(agent)
            }
            Some(_) | None => None,
        }
    }

    /// Deletes an agent.
    pub(crate) async fn delete_agent(self, agent_id: AgentId) -> bool {
        match self.ask_or_say(Command::DeleteAgent { agent_id }).await {
            Some(reply) => {
                self.take_agents(reply);
                true
            }
            None => false,
        }
    }

    /// The agent that the next new session is with.
    pub(crate) fn set_new_agent(self, agent_id: Option<AgentId>) {
        self.store.new_agent().set(agent_id);
    }

    fn take_agents(self, reply: Reply) {
        if let Reply::Agents { agents } = reply {
            self.store.agents().set(agents);
        }
    }

    fn take_agent(self, agent: &AgentView) {
        self.store.agents().update(|agents| {
            match agents
                .iter_mut()
                .find(|known| known.agent_id == agent.agent_id)
            {
                Some(known) => known.clone_from(agent),
                None => agents.push(agent.clone()),
            }
            agents.sort_by_key(|agent| (!agent.is_default, agent.fields.name.to_lowercase()));
        });
    }
}
