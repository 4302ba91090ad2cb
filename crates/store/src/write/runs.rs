//! The lifecycle of runs.

use protocol::{RunError, RunId, RunReason, RunStatus};
use rusqlite::{Connection, params};

use super::{check_error, check_text, insert, update_one};
use crate::{Error, NewRun};

pub(super) fn create(connection: &Connection, run: &NewRun) -> Result<(), Error> {
    check_text("the request key", run.request_key.as_deref())?;
    check_text("the name of the model", Some(&run.model))?;
    check_text("the instructions", run.instructions.as_deref())?;
    insert(
        connection,
        "INSERT INTO runs
             (id, session_id, agent_id, message_id, request_key, model, instructions, status,
              created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'running', ?8, ?8)",
        params![
            run.run_id.uuid().as_bytes(),
            run.session_id.uuid().as_bytes(),
            run.agent_id.uuid().as_bytes(),
            run.message_id.uuid().as_bytes(),
            run.request_key,
            run.model,
            run.instructions,
            run.at_ms,
        ],
        "the session has a live run, or the request was made before",
    )?;
    update_one(
        connection,
        "UPDATE sessions SET newest_run_id = ?2 WHERE id = ?1",
        params![
            run.session_id.uuid().as_bytes(),
            run.run_id.uuid().as_bytes()
        ],
        "the session is gone",
    )
}

pub(super) struct Move {
    pub(super) from: RunStatus,
    pub(super) to: RunStatus,
    pub(super) reason: Option<RunReason>,
    pub(super) at_ms: u64,
}

pub(super) fn move_to(
    connection: &Connection,
    run_id: RunId,
    moved: &Move,
    error: Option<&RunError>,
) -> Result<(), Error> {
    if !moved.from.may_become(moved.to) {
        return Err(illegal(run_id, moved));
    }
    check_error(error)?;
    update_one(
        connection,
        "UPDATE runs
         SET status = ?3, reason = ?4, error_class = ?5, error_message = ?6, updated_at_ms = ?7
         WHERE id = ?1 AND status = ?2",
        params![
            run_id.uuid().as_bytes(),
            moved.from.as_str(),
            moved.to.as_str(),
            moved.reason.map(RunReason::as_str),
            error.map(|error| error.class.as_str()),
            error
                .map(|error| error.message.as_str())
                .filter(|text| !text.is_empty()),
            moved.at_ms,
        ],
        "the run moved on",
    )
}

fn illegal(run_id: RunId, moved: &Move) -> Error {
    let text = format!(
        "{run_id} from {} to {}",
        moved.from.as_str(),
        moved.to.as_str()
    );
    tracing::error!(name: "store.run.illegal_move", %run_id, text);
    Error::IllegalMove(text)
}
