//! The lifecycle of agents.

use protocol::{AgentFields, AgentId, AgentView};
use rusqlite::{Connection, params};

use super::statement::{check_text, execute, insert, json, set, update_one};
use crate::Error;
use crate::schema::DEFAULT_AGENT;

pub(super) fn create(connection: &Connection, agent: &AgentView) -> Result<(), Error> {
    let fields = &agent.fields;
    let tools = check(fields)?;
    insert(
        connection,
        "INSERT INTO agents
             (id, name, instructions, model, tools, limit_steps, limit_seconds, limit_tokens,
              limit_cost_microusd, revision, created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            agent.agent_id.uuid().as_bytes(),
            fields.name,
            set(fields.instructions.as_deref()),
            set(fields.model.as_deref()),
            tools,
            fields.limits.steps,
            fields.limits.seconds,
            fields.limits.tokens,
            fields.limits.cost_microusd,
            agent.revision,
            agent.created_at_ms,
            agent.updated_at_ms
        ],
        "the agent exists",
    )
}

pub(super) fn update(
    connection: &Connection,
    agent_id: AgentId,
    fields: &AgentFields,
    revision: u32,
    at_ms: u64,
) -> Result<(), Error> {
    let tools = check(fields)?;
    update_one(
        connection,
        "UPDATE agents
         SET name = ?3, instructions = ?4, model = ?5, tools = ?6, limit_steps = ?7,
             limit_seconds = ?8, limit_tokens = ?9, limit_cost_microusd = ?10,
             revision = revision + 1, updated_at_ms = ?11
         WHERE id = ?1 AND revision = ?2",
        params![
            agent_id.uuid().as_bytes(),
            revision,
            fields.name,
            set(fields.instructions.as_deref()),
            set(fields.model.as_deref()),
            tools,
            fields.limits.steps,
            fields.limits.seconds,
            fields.limits.tokens,
            fields.limits.cost_microusd,
            at_ms
        ],
        "the agent is gone, or was edited meanwhile",
    )
}

pub(super) fn delete(connection: &Connection, agent_id: AgentId) -> Result<(), Error> {
    if agent_id == DEFAULT_AGENT {
        return Err(Error::Conflict("the default agent stays"));
    }
    execute(
        connection,
        "UPDATE sessions SET agent_id = ?2 WHERE agent_id = ?1",
        params![agent_id.uuid().as_bytes(), DEFAULT_AGENT.uuid().as_bytes()],
        "the default agent is gone",
    )?;
    update_one(
        connection,
        "DELETE FROM agents WHERE id = ?1",
        params![agent_id.uuid().as_bytes()],
        "the agent is gone",
    )
}

/// Holds everything against its cap; gives the stored form of the tools.
fn check(fields: &AgentFields) -> Result<Option<String>, Error> {
    check_text("the name", Some(&fields.name))?;
    check_text("the instructions", fields.instructions.as_deref())?;
    check_text("the name of the model", fields.model.as_deref())?;
    let tools = fields.tools.as_ref();
    let tools = tools.map(|tools| json("agent", tools)).transpose()?;
    check_text("the names of the tools", tools.as_deref())?;
    Ok(tools)
}
