//! The lifecycle of attempts and of what they stream.

use protocol::limits::INTEGER;
use protocol::{Fill, RunError, StepId, StepStatus, Usage};
use rusqlite::{Connection, params};

use super::statement::{check_error, check_size, insert, set, update_one};
use crate::faults::{self, Mutant};
use crate::{Error, Piece};

/// What one attempt may stream: less than a message may hold, so that it can be kept as one.
const STREAMED_BYTES: usize = 15 * 1024 * 1024;
const _: () = assert!(STREAMED_BYTES <= super::messages::MESSAGE_BYTES);

pub(super) fn start(
    connection: &Connection,
    step_id: StepId,
    attempt: u32,
    at_ms: u64,
) -> Result<(), Error> {
    insert(
        connection,
        "INSERT INTO attempts (step_id, attempt, status, started_at_ms)
         VALUES (?1, ?2, 'running', ?3)",
        params![step_id.uuid().as_bytes(), attempt, at_ms],
        "the attempt was started before",
    )
}

/// Text is taken only while the attempt runs and only at its end: what was cut off, or written
/// by somebody else, is refused.
pub(super) fn append_deltas(
    connection: &Connection,
    step_id: StepId,
    attempt: u32,
    streamed_bytes: u64,
    pieces: &[Piece],
) -> Result<(), Error> {
    let added: u64 = pieces.iter().map(|piece| piece.text.len() as u64).sum();
    let whole = usize::try_from(streamed_bytes.saturating_add(added)).unwrap_or(usize::MAX);
    check_size("the reply", whole, STREAMED_BYTES)?;
    update_one(
        connection,
        "UPDATE attempts
         SET streamed_bytes = streamed_bytes + ?4
         WHERE step_id = ?1 AND attempt = ?2 AND status = 'running' AND streamed_bytes = ?3",
        params![step_id.uuid().as_bytes(), attempt, streamed_bytes, added],
        "the attempt ended",
    )?;
    if faults::is_mutant(Mutant::CountersResetByText) {
        connection.execute(
            "UPDATE runs SET crashes = 0 WHERE id = (SELECT run_id FROM steps WHERE id = ?1)",
            [step_id.uuid().as_bytes()],
        )?;
    }
    let attempt = if faults::is_mutant(Mutant::DeltaKeyWithoutAttempt) {
        1
    } else {
        attempt
    };
    for piece in pieces {
        insert(
            connection,
            "INSERT INTO deltas (step_id, attempt, block, \"offset\", kind, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                step_id.uuid().as_bytes(),
                attempt,
                piece.block,
                piece.offset,
                piece.kind.as_str(),
                piece.text,
            ],
            "that text was written before",
        )?;
    }
    Ok(())
}

pub(super) struct End<'a> {
    pub(super) to: StepStatus,
    pub(super) streamed_bytes: u64,
    pub(super) usage: Usage,
    pub(super) fill: Option<Fill>,
    pub(super) error: Option<&'a RunError>,
    pub(super) at_ms: u64,
}

/// Ends a running attempt and deletes its deltas: from here on its outcome holds the text.
pub(super) fn end(
    connection: &Connection,
    step_id: StepId,
    attempt: u32,
    end: &End<'_>,
) -> Result<(), Error> {
    if !StepStatus::Running.may_become(end.to) {
        let text = format!("attempt {attempt} of {step_id} to {}", end.to.as_str());
        tracing::error!(name: "store.attempt.illegal_move", %step_id, text);
        return Err(Error::IllegalMove(text));
    }
    check_error(end.error)?;
    // What a provider says is not always a number that can be: it must not keep the end from
    // being written.
    let bounded = |number: Option<u64>| number.map(|number| number.min(INTEGER));
    update_one(
        connection,
        "UPDATE attempts
         SET status = ?4, input_tokens = ?5, output_tokens = ?6, cached_tokens = ?7,
             cost_microusd = ?8, error_class = ?9, error_message = ?10, ended_at_ms = ?11,
             cache_write_tokens = ?12, fill_tokens = ?13, fill_of = ?14, fill_is_estimated = ?15
         WHERE step_id = ?1 AND attempt = ?2 AND status = 'running' AND streamed_bytes = ?3",
        params![
            step_id.uuid().as_bytes(),
            attempt,
            end.streamed_bytes,
            end.to.as_str(),
            bounded(end.usage.input_tokens),
            bounded(end.usage.output_tokens),
            bounded(end.usage.cached_tokens),
            bounded(end.usage.cost_microusd),
            end.error.map(|error| error.class.as_str()),
            set(end.error.map(|error| error.message.as_str())),
            end.at_ms,
            bounded(end.usage.cache_write_tokens),
            bounded(end.fill.map(|fill| fill.tokens)),
            bounded(end.fill.and_then(|fill| fill.of)),
            end.fill.map(|fill| fill.is_estimated),
        ],
        "the attempt ended or streamed on",
    )?;
    connection
        .prepare_cached("DELETE FROM deltas WHERE step_id = ?1 AND attempt = ?2")?
        .execute(params![step_id.uuid().as_bytes(), attempt])?;
    count(connection, step_id, attempt)
}

/// Counts an attempt that ended in what is used of its run's budget. A clock that went back counts
/// as no time, and what was not said as nothing.
fn count(connection: &Connection, step_id: StepId, attempt: u32) -> Result<(), Error> {
    let (run_id, ms, tokens, cost): ([u8; 16], i64, i64, i64) = connection
        .prepare_cached(
            "SELECT steps.run_id, max(ended_at_ms - started_at_ms, 0),
                    min(coalesce(input_tokens, 0) + coalesce(output_tokens, 0), ?3),
                    coalesce(cost_microusd, 0)
             FROM steps CROSS JOIN attempts ON attempts.step_id = steps.id
             WHERE steps.id = ?1 AND attempts.attempt = ?2",
        )?
        .query_row(
            params![step_id.uuid().as_bytes(), attempt, INTEGER],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
    // Two statements: SQLite would put what the first one finds into a table of its own.
    update_one(
        connection,
        "UPDATE runs
         SET used_ms = min(used_ms + ?2, ?5), used_tokens = min(used_tokens + ?3, ?5),
             used_cost_microusd = min(used_cost_microusd + ?4, ?5)
         WHERE id = ?1",
        params![run_id, ms, tokens, cost, INTEGER],
        "the run is gone",
    )
}
