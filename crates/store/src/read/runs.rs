//! Reading runs.

use protocol::{AgentId, ErrorClass, RunError, RunId, RunReason, RunStatus, RunView, SessionId};
use rusqlite::{OptionalExtension, Row, params};

use super::Reader;
use super::row::{agent_id, get, message_id, run_id, session_id, unreadable};
use crate::Error;

/// What was pinned to a run at its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// The run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The message that started it.
    pub message_id: protocol::MessageId,
    /// The agent.
    pub agent_id: AgentId,
    /// The model.
    pub model: String,
    /// The instructions.
    pub instructions: Option<String>,
}

/// The columns of `run_view`, in a query that calls the table `runs`.
pub(super) const VIEW_COLUMNS: &str = "
    runs.id AS run_id, runs.session_id AS run_session_id, runs.agent_id AS run_agent_id,
    runs.model AS run_model, runs.status AS run_status, runs.reason AS run_reason,
    runs.error_class, runs.error_message, runs.steps_completed,
    runs.created_at_ms AS run_created_at_ms, runs.updated_at_ms AS run_updated_at_ms";

pub(super) const BY_REQUEST_KEY: &str = "request_key = ?1";

pub(super) fn facts_sql(condition: &str) -> String {
    format!(
        "SELECT id, session_id, message_id, agent_id, model, instructions
         FROM runs WHERE {condition}"
    )
}

impl Reader<'_> {
    /// One run by its id.
    pub fn run(&self, id: RunId) -> Result<Option<RunView>, Error> {
        let sql = format!("SELECT {VIEW_COLUMNS} FROM runs WHERE runs.id = ?1");
        self.transaction
            .prepare_cached(&sql)?
            .query_row(params![id.uuid().as_bytes()], |row| Ok(run_view(row)))
            .optional()?
            .transpose()
    }

    /// What was pinned to a run.
    pub fn run_facts(&self, id: RunId) -> Result<Option<RunFacts>, Error> {
        self.facts(&facts_sql("id = ?1"), params![id.uuid().as_bytes()])
    }

    /// The run that a request key started, if it did.
    pub fn run_of_request_key(&self, request_key: &str) -> Result<Option<RunFacts>, Error> {
        self.facts(&facts_sql(BY_REQUEST_KEY), params![request_key])
    }

    fn facts(&self, sql: &str, values: impl rusqlite::Params) -> Result<Option<RunFacts>, Error> {
        self.transaction
            .prepare_cached(sql)?
            .query_row(values, |row| Ok(run_facts(row)))
            .optional()?
            .transpose()
    }
}

fn run_facts(row: &Row<'_>) -> Result<RunFacts, Error> {
    Ok(RunFacts {
        run_id: run_id(row, "id")?,
        session_id: session_id(row, "session_id")?,
        message_id: message_id(row, "message_id")?,
        agent_id: agent_id(row, "agent_id")?,
        model: get(row, "model")?,
        instructions: get(row, "instructions")?,
    })
}

pub(super) fn run_view(row: &Row<'_>) -> Result<RunView, Error> {
    let class: Option<String> = get(row, "error_class")?;
    let message: Option<String> = get(row, "error_message")?;
    Ok(RunView {
        retry_of: None,
        retry: None,
        crashes: 0,
        usage: protocol::UsageTotal::default(),
        run_id: run_id(row, "run_id")?,
        session_id: session_id(row, "run_session_id")?,
        agent_id: agent_id(row, "run_agent_id")?,
        model: get(row, "run_model")?,
        status: run_status(row, "run_status")?,
        reason: get::<Option<String>>(row, "run_reason")?.and_then(|text| RunReason::parse(&text)),
        error: class.map(|class| RunError {
            class: ErrorClass::parse(&class),
            message: message.unwrap_or_default(),
        }),
        steps_completed: get(row, "steps_completed")?,
        created_at_ms: get(row, "run_created_at_ms")?,
        updated_at_ms: get(row, "run_updated_at_ms")?,
    })
}

pub(super) fn run_status(row: &Row<'_>, column: &str) -> Result<RunStatus, Error> {
    RunStatus::parse(&get::<String>(row, column)?).map_err(|error| unreadable("run", &error))
}
