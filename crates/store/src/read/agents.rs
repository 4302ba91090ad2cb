//! Reading agents.

use protocol::{AgentFields, AgentId, AgentView, RunLimits};
use rusqlite::params;

use super::Reader;
use super::row::{Row, agent_id, get, get_or_drop, json_or_drop};
use crate::Error;
use crate::schema::DEFAULT_AGENT;

/// The columns of `agent_fields`, in a query that calls the table `agents`.
pub(super) const FIELD_COLUMNS: &str = "
    agents.name, agents.instructions, agents.model, agents.tools, agents.limit_steps,
    agents.limit_seconds, agents.limit_tokens, agents.limit_cost_microusd";

impl Reader<'_> {
    /// Every agent: the default one first, then by name.
    pub fn agents(&self) -> Result<Vec<AgentView>, Error> {
        let sql = format!(
            "SELECT id, {FIELD_COLUMNS}, revision, created_at_ms, updated_at_ms
             FROM agents
             ORDER BY id <> ?1, name COLLATE NOCASE, id"
        );
        self.all(&sql, params![DEFAULT_AGENT.uuid().as_bytes()], agent_view)
    }

    /// One agent by its id.
    pub fn agent(&self, id: AgentId) -> Result<Option<AgentView>, Error> {
        let sql = format!(
            "SELECT id, {FIELD_COLUMNS}, revision, created_at_ms, updated_at_ms
             FROM agents
             WHERE id = ?1"
        );
        self.one(&sql, params![id.uuid().as_bytes()], agent_view)
    }
}

fn agent_view(row: &Row<'_>) -> Result<AgentView, Error> {
    let agent_id = agent_id(row, "id")?;
    Ok(AgentView {
        agent_id,
        fields: agent_fields(row)?,
        is_default: agent_id == DEFAULT_AGENT,
        revision: get(row, "revision")?,
        created_at_ms: get(row, "created_at_ms")?,
        updated_at_ms: get(row, "updated_at_ms")?,
    })
}

/// Tools that cannot be read are none: absent would mean all of them.
pub(super) fn agent_fields(row: &Row<'_>) -> Result<AgentFields, Error> {
    let has_tools = !row.is_null("tools")?;
    Ok(AgentFields {
        name: get(row, "name")?,
        instructions: get_or_drop(row, "instructions"),
        model: get_or_drop(row, "model"),
        tools: has_tools.then(|| json_or_drop(row, "tools").unwrap_or_default()),
        limits: RunLimits {
            steps: get(row, "limit_steps")?,
            seconds: get(row, "limit_seconds")?,
            tokens: get(row, "limit_tokens")?,
            cost_microusd: get(row, "limit_cost_microusd")?,
        },
    })
}
