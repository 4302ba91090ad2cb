//! The lifecycle of steps.

use protocol::{RunId, StepId, StepStatus};
use rusqlite::{Connection, params};

use super::statement::{insert, update_one};
use crate::{Error, StepKind};

pub(super) fn create(
    connection: &Connection,
    step_id: StepId,
    run_id: RunId,
    kind: StepKind,
    at_ms: u64,
) -> Result<(), Error> {
    insert(
        connection,
        "INSERT INTO steps (id, run_id, position, kind, status, created_at_ms, updated_at_ms)
         VALUES (?1, ?2,
                 (SELECT coalesce(max(position), 0) + 1 FROM steps WHERE run_id = ?2),
                 ?3, 'planned', ?4, ?4)",
        params![
            step_id.uuid().as_bytes(),
            run_id.uuid().as_bytes(),
            kind_text(kind),
            at_ms
        ],
        "the step exists, or the run is gone",
    )
}

const fn kind_text(kind: StepKind) -> &'static str {
    match kind {
        StepKind::ModelCall => "model_call",
        StepKind::ToolCall => "tool_call",
        StepKind::Compaction => "compaction",
    }
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
             SET steps_completed = steps_completed + 1, used_steps = used_steps + 1,
                 crashes = 0, retry_failed = 0
             WHERE id = (SELECT run_id FROM steps WHERE id = ?1)",
            params![step_id.uuid().as_bytes()],
            "the run is gone",
        )?;
    }
    Ok(())
}
