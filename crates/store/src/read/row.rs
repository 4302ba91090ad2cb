//! Stored columns to values: what cannot be read is an error that says so, never a guess.

use std::cell::Cell;
use std::error::Error as _;

use protocol::{
    AgentId, AttachmentId, CallId, MessageId, ProviderId, RuleId, RunId, SessionId, StepId,
};
use rusqlite::types::{FromSql, ValueRef};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::Error;

/// A row whose columns are asked for by name. They are asked for nearly in the order of the query, so
/// the search for one begins behind the last: from the first it would take longer than the query.
#[derive(Debug)]
pub(super) struct Row<'a> {
    stored: &'a rusqlite::Row<'a>,
    next: Cell<usize>,
}

impl<'a> Row<'a> {
    pub(super) const fn of(stored: &'a rusqlite::Row<'a>) -> Self {
        let next = Cell::new(0);
        Self { stored, next }
    }

    fn get<T: FromSql>(&self, column: &str) -> rusqlite::Result<T> {
        self.stored.get(self.index(column)?)
    }

    pub(super) fn is_null(&self, column: &str) -> rusqlite::Result<bool> {
        let value = self.stored.get_ref(self.index(column)?)?;
        Ok(matches!(value, ValueRef::Null))
    }

    fn index(&self, column: &str) -> rusqlite::Result<usize> {
        let statement = self.stored.as_ref();
        let (count, next) = (statement.column_count(), self.next.get());
        for index in (next..count).chain(0..next) {
            if statement.column_name(index)? == column {
                self.next.set(index + 1);
                return Ok(index);
            }
        }
        Err(rusqlite::Error::InvalidColumnName(column.to_owned()))
    }
}

pub(super) fn get<T: FromSql>(row: &Row<'_>, column: &str) -> Result<T, Error> {
    row.get(column).map_err(|error| {
        if error.sqlite_error().is_some() {
            return error.into();
        }
        let reason = error
            .source()
            .map_or_else(|| "of another type".to_owned(), ToString::to_string);
        unreadable("value", &format!("damaged {column} ({reason})"))
    })
}

/// Why something cannot be read, for a sentence that says what.
pub(super) fn why(error: &Error) -> String {
    if let Error::Unreadable { detail, .. } = error {
        detail.clone()
    } else {
        error.to_string()
    }
}

/// An optional column: one that cannot be read is dropped, and said so.
pub(super) fn get_or_drop<T: FromSql>(row: &Row<'_>, column: &str) -> Option<T> {
    row.get(column).unwrap_or_else(|error| {
        tracing::warn!(name: "store.row.field_dropped", column, %error);
        None
    })
}

/// The same for a column that holds JSON. The parser quotes what it met, which is not for the log.
pub(super) fn json_or_drop<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> Option<T> {
    let text: String = get_or_drop(row, column)?;
    serde_json::from_str(&text)
        .map_err(|error| {
            let error = error.classify();
            tracing::warn!(name: "store.row.field_dropped", column, ?error);
        })
        .ok()
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

pub(super) fn uuid_or_drop(row: &Row<'_>, column: &str) -> Option<Uuid> {
    get_or_drop(row, column).map(Uuid::from_bytes)
}

/// A hash in hexadecimal.
pub(super) fn hex(hash: [u8; 32]) -> String {
    blake3::Hash::from_bytes(hash).to_hex().to_string()
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

pub(super) fn call_id(row: &Row<'_>, column: &str) -> Result<CallId, Error> {
    uuid(row, column).map(CallId::from_uuid)
}

pub(super) fn rule_id(row: &Row<'_>, column: &str) -> Result<RuleId, Error> {
    uuid(row, column).map(RuleId::from_uuid)
}

pub(super) fn provider_id(row: &Row<'_>, column: &str) -> Result<ProviderId, Error> {
    uuid(row, column).map(ProviderId::from_uuid)
}

pub(super) fn attachment_id(row: &Row<'_>, column: &str) -> Result<AttachmentId, Error> {
    uuid(row, column).map(AttachmentId::from_uuid)
}
