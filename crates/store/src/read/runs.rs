//! Reading runs.

use protocol::{
    AgentId, ErrorClass, RetryView, RunError, RunId, RunReason, RunStatus, RunView, SessionId,
    UsageTotal,
};
use rusqlite::params;

use super::Reader;
use super::row::{
    Row, agent_id, get, get_or_drop, message_id, run_id, session_id, unreadable, uuid_or_drop,
};
use crate::{Error, Retry};

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
    /// What else was pinned, as the engine's JSON text.
    pub pin: Option<String>,
}

/// The columns of `run_view`, in a query that calls the table `runs`.
pub(super) const VIEW_COLUMNS: &str = "
    runs.id AS run_id, runs.session_id AS run_session_id, runs.agent_id AS run_agent_id,
    runs.model AS run_model, runs.status AS run_status, runs.reason AS run_reason,
    runs.error_class, runs.error_message, runs.steps_completed, runs.retry_of,
    runs.retry_at_ms, runs.retry_failed, runs.retry_class, runs.retry_message,
    runs.crashes_total, runs.created_at_ms AS run_created_at_ms,
    runs.updated_at_ms AS run_updated_at_ms";

pub(super) const BY_REQUEST_KEY: &str = "runs.request_key = ?1";

pub(super) fn facts_sql(condition: &str) -> String {
    format!(
        "SELECT runs.id, runs.session_id, runs.message_id, runs.agent_id, runs.model,
                pins.body AS pin
         FROM runs LEFT JOIN pins ON pins.hash = runs.pin
         WHERE {condition}"
    )
}

impl Reader<'_> {
    /// One run by its id.
    pub fn run(&self, id: RunId) -> Result<Option<RunView>, Error> {
        let sql = format!("SELECT {VIEW_COLUMNS} FROM runs WHERE runs.id = ?1");
        let found = self.one(&sql, params![id.uuid().as_bytes()], run_view)?;
        found.map(|run| self.with_usage(run)).transpose()
    }

    pub(super) fn with_usage(&self, run: RunView) -> Result<RunView, Error> {
        let usage = self.usage_of_run(run.run_id)?;
        Ok(RunView { usage, ..run })
    }

    /// What was pinned to a run.
    pub fn run_facts(&self, id: RunId) -> Result<Option<RunFacts>, Error> {
        let sql = facts_sql("runs.id = ?1");
        self.one(&sql, params![id.uuid().as_bytes()], run_facts)
    }

    /// The run that a request key started, if it did.
    pub fn run_of_request_key(&self, request_key: &str) -> Result<Option<RunFacts>, Error> {
        self.one(&facts_sql(BY_REQUEST_KEY), params![request_key], run_facts)
    }
}

fn run_facts(row: &Row<'_>) -> Result<RunFacts, Error> {
    Ok(RunFacts {
        run_id: run_id(row, "id")?,
        session_id: session_id(row, "session_id")?,
        message_id: message_id(row, "message_id")?,
        agent_id: agent_id(row, "agent_id")?,
        model: get(row, "model")?,
        pin: get(row, "pin")?,
    })
}

/// Everything but its usage, which is summed up apart.
pub(super) fn run_view(row: &Row<'_>) -> Result<RunView, Error> {
    let retry = retry(row)?.map(|retry| RetryView {
        error: retry.error,
        failed: retry.failed,
        // How many tries there can be is the engine's to say.
        of: 0,
        at_ms: retry.at_ms,
    });
    Ok(RunView {
        run_id: run_id(row, "run_id")?,
        session_id: session_id(row, "run_session_id")?,
        agent_id: agent_id(row, "run_agent_id")?,
        model: get(row, "run_model")?,
        status: run_status(row, "run_status")?,
        reason: run_reason(row, "run_reason"),
        error: error(row, "error_class", "error_message"),
        steps_completed: get(row, "steps_completed")?,
        retry_of: uuid_or_drop(row, "retry_of").map(RunId::from_uuid),
        retry,
        crashes: get(row, "crashes_total")?,
        usage: UsageTotal::default(),
        created_at_ms: get(row, "run_created_at_ms")?,
        updated_at_ms: get(row, "run_updated_at_ms")?,
    })
}

pub(super) fn run_status(row: &Row<'_>, column: &str) -> Result<RunStatus, Error> {
    RunStatus::parse(&get::<String>(row, column)?).map_err(|error| unreadable("run", &error))
}

/// A reason that is not known is dropped: it only says why.
pub(super) fn run_reason(row: &Row<'_>, column: &str) -> Option<RunReason> {
    let text: String = get_or_drop(row, column)?;
    let reason = RunReason::parse(&text);
    if reason.is_none() {
        tracing::warn!(name: "store.row.field_dropped", column, text);
    }
    reason
}

/// The try that a run waits for, from columns that are called as in the table.
pub(super) fn retry(row: &Row<'_>) -> Result<Option<Retry>, Error> {
    let Some(at_ms) = get(row, "retry_at_ms")? else {
        return Ok(None);
    };
    let error = error(row, "retry_class", "retry_message").unwrap_or(RunError {
        class: ErrorClass::Internal,
        message: String::new(),
    });
    Ok(Some(Retry {
        at_ms,
        failed: get(row, "retry_failed")?,
        error,
    }))
}

fn error(row: &Row<'_>, class: &str, message: &str) -> Option<RunError> {
    let class: String = get_or_drop(row, class)?;
    Some(RunError {
        class: ErrorClass::parse(&class),
        message: get_or_drop(row, message).unwrap_or_default(),
    })
}
