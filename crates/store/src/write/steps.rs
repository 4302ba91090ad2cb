//! The lifecycle of steps.

use protocol::{RunId, StepId, StepStatus};
use rusqlite::{Connection, params};

use super::{insert, update_one};
use crate::Error;

pub(super) fn create(
    connection: &Connection,
    step_id: StepId,
    run_id: RunId,
    position: u32,
    at_ms: u64,
) -> Result<(), Error> {
    insert(
        connection,
        "INSERT INTO steps (id, run_id, position, kind, status, created_at_ms, updated_at_ms)
         VALUES (?1, ?2, ?3, 'model_call', 'planned', ?4, ?4)",
        params![
            step_id.uuid().as_bytes(),
            run_id.uuid().as_bytes(),
            position,
            at_ms
        ],
        "the run has that step",
    )
}

pub(super) fn move_to(
    connection: &Connection,
    step_id: StepId,
    from: StepStatus,
    to: StepStatus,
    at_ms: u64,
) -> Result<(), Error> {
    if !from.may_become(to) {
        let text = format!("{step_id} from {} to {}", from.as_str(), to.as_str());
        tracing::error!(name: "store.step.illegal_move", %step_id, text);
        return Err(Error::IllegalMove(text));
    }
    update_one(
        connection,
        "UPDATE steps SET status = ?3, updated_at_ms = ?4 WHERE id = ?1 AND status = ?2",
        params![step_id.uuid().as_bytes(), from.as_str(), to.as_str(), at_ms],
        "the step moved on",
    )?;
    if to == StepStatus::Completed {
        update_one(
            connection,
            "UPDATE runs
             SET steps_completed = steps_completed + 1
             WHERE id = (SELECT run_id FROM steps WHERE id = ?1)",
            params![step_id.uuid().as_bytes()],
            "the run is gone",
        )?;
    }
    Ok(())
}
