//! Stored columns to values: what cannot be read is an error that says so, never a guess.

use protocol::{AgentId, MessageId, RunId, SessionId, StepId};
use rusqlite::Row;
use rusqlite::types::FromSql;
use uuid::Uuid;

use crate::Error;

pub(super) fn get<T: FromSql>(row: &Row<'_>, column: &str) -> Result<T, Error> {
    Ok(row.get(column)?)
}

pub(super) fn unreadable(what: &'static str, detail: &impl ToString) -> Error {
    Error::Unreadable {
        what,
        detail: detail.to_string(),
    }
}

fn uuid(row: &Row<'_>, column: &str) -> Result<Uuid, Error> {
    Ok(Uuid::from_bytes(get::<[u8; 16]>(row, column)?))
}

pub(super) fn optional_uuid(row: &Row<'_>, column: &str) -> Result<Option<Uuid>, Error> {
    Ok(get::<Option<[u8; 16]>>(row, column)?.map(Uuid::from_bytes))
}

pub(super) fn session_id(row: &Row<'_>, column: &str) -> Result<SessionId, Error> {
    uuid(row, column).map(SessionId::from_uuid)
}

pub(super) fn run_id(row: &Row<'_>, column: &str) -> Result<RunId, Error> {
    uuid(row, column).map(RunId::from_uuid)
}

pub(super) fn step_id(row: &Row<'_>, column: &str) -> Result<StepId, Error> {
    uuid(row, column).map(StepId::from_uuid)
}

pub(super) fn message_id(row: &Row<'_>, column: &str) -> Result<MessageId, Error> {
    uuid(row, column).map(MessageId::from_uuid)
}

pub(super) fn agent_id(row: &Row<'_>, column: &str) -> Result<AgentId, Error> {
    uuid(row, column).map(AgentId::from_uuid)
}
