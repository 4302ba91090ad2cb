//! The lifecycle of runs.

use protocol::{RunError, RunId, RunReason, RunStatus};
use rusqlite::{Connection, params};

use super::statement::{check_error, check_size, check_text, execute, set, update_one};
use crate::{Error, NewRun, Retry};

/// What is pinned to a run: instructions and the definitions of its tools.
const PIN_BYTES: usize = 4 * 1024 * 1024;

pub(super) fn create(connection: &Connection, run: &NewRun) -> Result<(), Error> {
    check_text("the request key", run.request_key.as_deref())?;
    check_text("the name of the model", Some(&run.model))?;
    let pin = pin(connection, run.pin.as_deref())?;
    update_one(
        connection,
        "INSERT INTO runs
             (id, session_id, agent_id, branch, retry_of, message_id, request_key, model, pin,
              status, created_at_ms, updated_at_ms)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'running', ?10, ?10
         WHERE NOT EXISTS (SELECT 1 FROM requests WHERE request_key = ?7)",
        params![
            run.run_id.uuid().as_bytes(),
            run.session_id.uuid().as_bytes(),
            run.agent_id.uuid().as_bytes(),
            run.branch,
            run.retry_of.map(|id| id.uuid().into_bytes()),
            run.message_id.uuid().as_bytes(),
            run.request_key,
            run.model,
            pin,
            run.at_ms,
        ],
        "the session has a live run, or the request was made before",
    )?;
    update_one(
        connection,
        "UPDATE sessions SET newest_run_id = ?2 WHERE id = ?1 AND branch = ?3",
        params![
            run.session_id.uuid().as_bytes(),
            run.run_id.uuid().as_bytes(),
            run.branch
        ],
        "the session is gone, or another branch is shown",
    )
}

/// Runs that began with the same share it.
fn pin(connection: &Connection, text: Option<&str>) -> Result<Option<[u8; 32]>, Error> {
    let Some(text) = text else {
        return Ok(None);
    };
    check_size("what the run begins with", text.len(), PIN_BYTES)?;
    let hash: [u8; 32] = blake3::hash(text.as_bytes()).into();
    execute(
        connection,
        "INSERT INTO pins (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING",
        params![hash, text],
        "what the run begins with changed",
    )?;
    Ok(Some(hash))
}

pub(super) struct Move {
    pub(super) from: RunStatus,
    pub(super) to: RunStatus,
    pub(super) reason: Option<RunReason>,
    pub(super) at_ms: u64,
}

/// A run that is halted or over waits for no other try.
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
         SET status = ?3, reason = ?4, error_class = ?5, error_message = ?6, updated_at_ms = ?7,
             retry_at_ms = iif(?8, retry_at_ms, NULL),
             retry_class = iif(?8, retry_class, NULL),
             retry_message = iif(?8, retry_message, NULL)
         WHERE id = ?1 AND status = ?2",
        params![
            run_id.uuid().as_bytes(),
            moved.from.as_str(),
            moved.to.as_str(),
            moved.reason.map(RunReason::as_str),
            error.map(|error| error.class.as_str()),
            set(error.map(|error| error.message.as_str())),
            moved.at_ms,
            moved.to.is_live(),
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

pub(super) fn renew_budget(connection: &Connection, run_id: RunId) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE runs
         SET used_steps = 0, used_ms = 0, used_tokens = 0, used_cost_microusd = 0
         WHERE id = ?1",
        params![run_id.uuid().as_bytes()],
        "the run is gone",
    )
}

/// How many tries failed is kept when the next one begins: it is about the call, not the wait.
pub(super) fn set_retry(
    connection: &Connection,
    run_id: RunId,
    retry: Option<&Retry>,
) -> Result<(), Error> {
    check_error(retry.map(|retry| &retry.error))?;
    update_one(
        connection,
        "UPDATE runs
         SET retry_at_ms = ?2, retry_failed = coalesce(?3, retry_failed), retry_class = ?4,
             retry_message = ?5
         WHERE id = ?1",
        params![
            run_id.uuid().as_bytes(),
            retry.map(|retry| retry.at_ms),
            retry.map(|retry| retry.failed),
            retry.map(|retry| retry.error.class.as_str()),
            set(retry.map(|retry| retry.error.message.as_str())),
        ],
        "the run is gone",
    )
}

pub(super) fn count_crash(connection: &Connection, run_id: RunId) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE runs
         SET crashes = crashes + 1, crashes_total = crashes_total + 1
         WHERE id = ?1",
        params![run_id.uuid().as_bytes()],
        "the run is gone",
    )
}

pub(super) fn dismiss(connection: &Connection, run_id: RunId, at_ms: u64) -> Result<(), Error> {
    update_one(
        connection,
        "UPDATE runs
         SET dismissed_at_ms = ?2
         WHERE id = ?1 AND status = 'failed' AND dismissed_at_ms IS NULL",
        params![run_id.uuid().as_bytes(), at_ms],
        "the run did not fail, or that was seen before",
    )
}
