//! Applying a transition: one module per lifecycle, every move a compare-and-set.

mod attempts;
mod events;
mod messages;
mod runs;
mod sessions;
mod steps;

use protocol::RunError;
use rusqlite::{Connection, ErrorCode};

use crate::{Change, Error, Transition};

/// What a title, a key, a name, instructions or the text of an error may hold.
const TEXT_BYTES: usize = 1024 * 1024;

/// Applies all changes of a transition inside the caller's savepoint.
pub(crate) fn apply(connection: &Connection, transition: &Transition) -> Result<(), Error> {
    for change in &transition.changes {
        apply_change(connection, change)?;
    }
    // A message may name a run that a later change creates. Whether one did is found out here and
    // not by the commit, where it would be the failure of everyone who shares it.
    for change in &transition.changes {
        if let Change::AddMessage { message, .. } = change {
            messages::check_run(connection, message)?;
        }
    }
    Ok(())
}

fn apply_change(connection: &Connection, change: &Change) -> Result<(), Error> {
    match change {
        Change::CreateSession {
            session_id,
            agent_id,
            title,
            at_ms,
        } => sessions::create(connection, *session_id, *agent_id, title.as_deref(), *at_ms),
        Change::RenameSession {
            session_id,
            title,
            at_ms,
        } => sessions::rename(connection, *session_id, title, *at_ms),
        Change::AddMessage {
            session_id,
            message,
        } => messages::add(connection, *session_id, message),
        Change::CreateRun(run) => runs::create(connection, run),
        Change::MoveRun {
            run_id,
            from,
            to,
            reason,
            error,
            at_ms,
        } => {
            let moved = runs::Move {
                from: *from,
                to: *to,
                reason: *reason,
                at_ms: *at_ms,
            };
            runs::move_to(connection, *run_id, &moved, error.as_ref())
        }
        Change::CreateStep {
            step_id,
            run_id,
            position,
            at_ms,
        } => steps::create(connection, *step_id, *run_id, *position, *at_ms),
        Change::MoveStep {
            step_id,
            from,
            to,
            at_ms,
        } => steps::move_to(connection, *step_id, *from, *to, *at_ms),
        Change::StartAttempt {
            step_id,
            attempt,
            at_ms,
        } => attempts::start(connection, *step_id, *attempt, *at_ms),
        Change::AppendDeltas {
            session_id: _,
            step_id,
            attempt,
            streamed_bytes,
            pieces,
        } => attempts::append_deltas(connection, *step_id, *attempt, *streamed_bytes, pieces),
        Change::EndAttempt {
            step_id,
            attempt,
            to,
            streamed_bytes,
            usage,
            error,
            at_ms,
        } => {
            let end = attempts::End {
                to: *to,
                streamed_bytes: *streamed_bytes,
                usage: *usage,
                error: error.as_ref(),
                at_ms: *at_ms,
            };
            attempts::end(connection, *step_id, *attempt, &end)
        }
        Change::AppendEvent {
            session_id,
            at_ms,
            event,
        } => events::append(connection, *session_id, *at_ms, event),
    }
}

fn check_size(what: &'static str, bytes: usize, cap_bytes: usize) -> Result<(), Error> {
    if bytes > cap_bytes {
        return Err(Error::TooLarge { what, cap_bytes });
    }
    Ok(())
}

fn check_text(what: &'static str, text: Option<&str>) -> Result<(), Error> {
    check_size(what, text.map_or(0, str::len), TEXT_BYTES)
}

fn check_error(error: Option<&RunError>) -> Result<(), Error> {
    check_text(
        "the text of the error",
        error.map(|error| error.message.as_str()),
    )
}

/// A unique or primary key that is taken means that somebody else was first.
fn insert(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> Result<(), Error> {
    match connection.prepare_cached(sql)?.execute(values) {
        Ok(_) => Ok(()),
        Err(error) if is_taken(&error) => Err(Error::Conflict(what)),
        Err(error) => Err(error.into()),
    }
}

/// An update that must find its row as the decision saw it.
fn update_one(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> Result<(), Error> {
    match connection.prepare_cached(sql)?.execute(values)? {
        1 => Ok(()),
        _ => Err(Error::Conflict(what)),
    }
}

fn is_taken(error: &rusqlite::Error) -> bool {
    const TAKEN: [i32; 2] = [
        rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE,
        rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
    ];
    error.sqlite_error().is_some_and(|found| {
        found.code == ErrorCode::ConstraintViolation && TAKEN.contains(&found.extended_code)
    })
}
