//! One row to one tool call. What cannot be read of it makes it more careful, never less.

use protocol::{
    ApprovalStatus, ApprovalView, CallStatus, DecisionView, DoubtView, EffectClass, ErrorClass,
    RuleId, StepId, ToolCallView, ToolResult, Verdict, VerdictView,
};

use crate::read::row::{
    Row, call_id, get, get_or_drop, hex, json_or_drop, message_id, run_id, session_id, unreadable,
    uuid_or_drop, why,
};
use crate::{CallRow, Error};

/// The columns of `call_row`, in a query that calls the tables `tool_calls` and `approvals`: in the order
/// in which they are read, so that none is searched for.
pub(super) const COLUMNS: &str = "
    tool_calls.id, tool_calls.tool, tool_calls.arguments, tool_calls.status, tool_calls.session_id,
    tool_calls.run_id, tool_calls.message_id, tool_calls.ordinal, tool_calls.proposed_arguments,
    tool_calls.effect, tool_calls.verdict, tool_calls.verdict_rule, tool_calls.verdict_text,
    tool_calls.preview,
    approvals.round, approvals.status AS approval_status, approvals.decision,
    approvals.decided_at_ms, approvals.decided_from, approvals.digest AS approval_digest,
    approvals.asked_at_ms, approvals.expires_at_ms, approvals.consumed_at_ms,
    tool_calls.doubt_reason, tool_calls.can_check, tool_calls.checks,
    tool_calls.next_check_at_ms, tool_calls.result, tool_calls.result_class,
    tool_calls.result_is_error, tool_calls.result_bytes, tool_calls.bodies,
    tool_calls.created_at_ms, tool_calls.started_at_ms, tool_calls.ended_at_ms,
    tool_calls.revision, tool_calls.provider_id, tool_calls.tool_hash, tool_calls.resources,
    tool_calls.digest, tool_calls.detail, tool_calls.step_id,
    coalesce((SELECT max(attempt) FROM attempts
              WHERE attempts.step_id = tool_calls.step_id), 0) AS attempt,
    EXISTS (SELECT 1 FROM checkpoints
            WHERE checkpoints.call_id = tool_calls.id) AS has_files";

pub(super) fn has_files(row: &Row<'_>) -> Result<bool, Error> {
    get(row, "has_files")
}

/// A call, without its files. One that cannot be read keeps its place: it counts as over, so that it
/// is never started, with a result that says why.
pub(super) fn call_row(row: &Row<'_>) -> Result<CallRow, Error> {
    let call_id = call_id(row, "id")?;
    let (tool, arguments) = (get::<String>(row, "tool"), get::<String>(row, "arguments"));
    let status = status(row, &tool, &arguments);
    let (status, problem) = match status {
        Ok(status) => (status, None),
        Err(error) => {
            tracing::error!(name: "store.call.unreadable", %call_id, %error);
            (CallStatus::Failed, Some(error))
        }
    };
    let view = ToolCallView {
        call_id,
        session_id: session_id(row, "session_id")?,
        run_id: run_id(row, "run_id")?,
        message_id: message_id(row, "message_id")?,
        ordinal: get(row, "ordinal")?,
        tool: tool.unwrap_or_default(),
        arguments: arguments.unwrap_or_default(),
        proposed_arguments: get_or_drop(row, "proposed_arguments"),
        effect: EffectClass::parse(&get_or_drop::<String>(row, "effect").unwrap_or_default()),
        status,
        verdict: verdict(row),
        preview: json_or_drop(row, "preview"),
        approval: approval(row)?,
        doubt: doubt(row)?,
        result: problem.map_or_else(|| result(row), |error| Ok(Some(cannot_be_read(&error))))?,
        files: Vec::new(),
        // One whose bodies nobody can count is not run again.
        bodies: get_or_drop(row, "bodies").unwrap_or(u32::MAX),
        created_at_ms: get_or_drop(row, "created_at_ms").unwrap_or(0),
        started_at_ms: get_or_drop(row, "started_at_ms"),
        ended_at_ms: get_or_drop(row, "ended_at_ms"),
    };
    Ok(CallRow {
        view,
        revision: get(row, "revision")?,
        provider_id: get(row, "provider_id")?,
        tool_hash: get_or_drop(row, "tool_hash"),
        resources: json_or_drop(row, "resources").unwrap_or_default(),
        digest: get_or_drop(row, "digest"),
        detail: json_or_drop(row, "detail"),
        step_id: uuid_or_drop(row, "step_id").map(StepId::from_uuid),
        attempt: get(row, "attempt")?,
    })
}

/// Where it stands, if what would run can be read as well.
fn status(
    row: &Row<'_>,
    tool: &Result<String, Error>,
    arguments: &Result<String, Error>,
) -> Result<CallStatus, Error> {
    for needed in [tool, arguments] {
        needed.as_ref().map_err(Clone::clone)?;
    }
    CallStatus::parse(&get::<String>(row, "status")?).map_err(|error| unreadable("call", &error))
}

fn cannot_be_read(error: &Error) -> ToolResult {
    let text = format!(
        "This call cannot be read: {}. Whether it ran is not known.",
        why(error)
    );
    ToolResult {
        total_bytes: text.len() as u64,
        text,
        is_error: true,
        class: Some(ErrorClass::InDoubt),
    }
}

/// A verdict that is not known is a question.
fn verdict(row: &Row<'_>) -> Option<VerdictView> {
    let verdict: String = get_or_drop(row, "verdict")?;
    Some(VerdictView {
        verdict: Verdict::parse(&verdict),
        rule_id: uuid_or_drop(row, "verdict_rule").map(RuleId::from_uuid),
        explanation: get_or_drop(row, "verdict_text").unwrap_or_default(),
    })
}

/// The newest round. A status that is not known is one that allows nothing.
fn approval(row: &Row<'_>) -> Result<Option<ApprovalView>, Error> {
    let Some(round) = get(row, "round")? else {
        return Ok(None);
    };
    let status = ApprovalStatus::parse(&get::<String>(row, "approval_status")?);
    let status = status.unwrap_or_else(|error| {
        tracing::error!(name: "store.approval.unreadable", %error);
        ApprovalStatus::Closed
    });
    let decision = json_or_drop(row, "decision").map(|decision| {
        Ok::<_, Error>(DecisionView {
            decision,
            at_ms: get::<Option<u64>>(row, "decided_at_ms")?.unwrap_or(0),
            from: get_or_drop(row, "decided_from"),
        })
    });
    Ok(Some(ApprovalView {
        round,
        status,
        digest: hex(get_or_drop(row, "approval_digest").unwrap_or_default()),
        asked_at_ms: get_or_drop(row, "asked_at_ms").unwrap_or(0),
        expires_at_ms: get(row, "expires_at_ms")?,
        decision: decision.transpose()?,
        consumed_at_ms: get(row, "consumed_at_ms")?,
    }))
}

fn doubt(row: &Row<'_>) -> Result<Option<DoubtView>, Error> {
    let Some(reason) = get_or_drop(row, "doubt_reason") else {
        return Ok(None);
    };
    Ok(Some(DoubtView {
        reason,
        can_check: get(row, "can_check")?,
        checks: get(row, "checks")?,
        next_check_at_ms: get(row, "next_check_at_ms")?,
    }))
}

pub(in crate::read) fn result(row: &Row<'_>) -> Result<Option<ToolResult>, Error> {
    let Some(text) = get_or_drop::<String>(row, "result") else {
        return Ok(None);
    };
    let class: Option<String> = get_or_drop(row, "result_class");
    Ok(Some(ToolResult {
        is_error: get::<Option<bool>>(row, "result_is_error")?.unwrap_or(true),
        class: class.as_deref().map(ErrorClass::parse),
        total_bytes: get::<Option<u64>>(row, "result_bytes")?.unwrap_or(text.len() as u64),
        text,
    }))
}
