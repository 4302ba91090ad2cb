//! The lifecycle of questions: asked in rounds, answered once, used once.

use protocol::limits::ARGUMENTS_BYTES;
use protocol::{ApprovalStatus, ApprovalView, CallId, DecisionView};
use rusqlite::{Connection, params};

use super::statement::{check_size, check_text, hash, json, set, update_one};
use crate::Error;
use crate::faults::{self, Mutant};

/// A decision holds at most edited arguments, whose every byte may be stored as an escape of six.
const DECISION_BYTES: usize = 6 * ARGUMENTS_BYTES + 64 * 1024;

/// The next round of a call, whose rounds before are all answered.
pub(super) fn add(
    connection: &Connection,
    call_id: CallId,
    approval: &ApprovalView,
) -> Result<(), Error> {
    if approval.status != ApprovalStatus::Pending {
        return Err(illegal(call_id, "nothing", approval.status));
    }
    update_one(
        connection,
        "INSERT INTO approvals (call_id, round, status, digest, asked_at_ms, expires_at_ms)
         SELECT ?1, ?2, 'pending', ?3, ?4, ?5
         WHERE ?2 = (SELECT coalesce(max(round), 0) + 1 FROM approvals WHERE call_id = ?1)
           AND NOT EXISTS (SELECT 1 FROM approvals WHERE call_id = ?1 AND status = 'pending')",
        params![
            call_id.uuid().as_bytes(),
            approval.round,
            hash("digest", &approval.digest)?,
            approval.asked_at_ms,
            approval.expires_at_ms
        ],
        "the call is gone, or was asked about before",
    )
}

/// The first answer stands: whoever comes second finds nothing that is pending.
pub(super) fn decide(
    connection: &Connection,
    call_id: CallId,
    round: u32,
    to: ApprovalStatus,
    decision: Option<&DecisionView>,
) -> Result<(), Error> {
    let from = ApprovalStatus::Pending;
    if !from.may_become(to) {
        return Err(illegal(call_id, from.as_str(), to));
    }
    let answer = decision
        .map(|decision| json("decision", &decision.decision))
        .transpose()?;
    check_size(
        "the decision",
        answer.as_ref().map_or(0, String::len),
        DECISION_BYTES,
    )?;
    let from = set(decision.and_then(|decision| decision.from.as_deref()));
    check_text("the name of the window", from)?;
    update_one(
        connection,
        "UPDATE approvals
         SET status = ?3, decision = ?4, decided_at_ms = ?5, decided_from = ?6
         WHERE call_id = ?1 AND round = ?2 AND status = 'pending'",
        params![
            call_id.uuid().as_bytes(),
            round,
            to.as_str(),
            answer,
            decision.map(|decision| decision.at_ms),
            from
        ],
        "the question was answered before",
    )
}

pub(super) fn consume(
    connection: &Connection,
    call_id: CallId,
    round: u32,
    at_ms: u64,
) -> Result<(), Error> {
    if faults::is_mutant(Mutant::ApprovalNotConsumed) {
        return Ok(());
    }
    update_one(
        connection,
        "UPDATE approvals
         SET consumed_at_ms = ?3
         WHERE call_id = ?1 AND round = ?2 AND status = 'allowed' AND consumed_at_ms IS NULL",
        params![call_id.uuid().as_bytes(), round, at_ms],
        "the call was not allowed, or that was used before",
    )
}

fn illegal(call_id: CallId, from: &str, to: ApprovalStatus) -> Error {
    let text = format!("the approval of {call_id} from {from} to {}", to.as_str());
    tracing::error!(name: "store.approval.illegal_move", %call_id, text);
    Error::IllegalMove(text)
}
