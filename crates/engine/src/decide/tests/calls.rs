//! Tool calls as a state holds them, one for each status.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallPreview, CallStatus, DoubtView, EffectClass,
    ToolCallView, ToolResult,
};
use store::CallRow;
use uuid::Uuid;

use super::{BEFORE, message_id, run_id, session_id, step_id};
use crate::digest::hex;

/// The id of the call at this place: c0, c1 and so on.
pub(crate) fn call_id(ordinal: u32) -> CallId {
    CallId::from_uuid(Uuid::from_u128(0xc0 + u128::from(ordinal)))
}

/// The digest that a call of this place is bound to.
pub(crate) fn digest(ordinal: u32) -> [u8; 32] {
    [u8::try_from(ordinal).unwrap(); 32]
}

/// A call as it is in this status.
pub(crate) fn call(ordinal: u32, status: CallStatus, effect: EffectClass) -> CallRow {
    let has_started = matches!(
        status,
        CallStatus::Running | CallStatus::Completed | CallStatus::InDoubt
    );
    CallRow {
        view: ToolCallView {
            call_id: call_id(ordinal),
            session_id: session_id(),
            run_id: run_id(BEFORE),
            message_id: message_id(),
            ordinal,
            tool: "write_file".to_owned(),
            arguments: format!(r#"{{"path":"{ordinal}"}}"#),
            proposed_arguments: None,
            effect,
            status,
            verdict: None,
            preview: Some(CallPreview {
                summary: format!("Write {ordinal}"),
                subject: Some(format!("notes/{ordinal}.md")),
                parts: Vec::new(),
            }),
            approval: (status == CallStatus::Waiting).then(|| pending(ordinal)),
            doubt: (status == CallStatus::InDoubt).then(|| DoubtView {
                reason: "The app ended.".to_owned(),
                can_check: true,
                checks: 0,
                next_check_at_ms: None,
            }),
            result: status.is_terminal().then(|| ToolResult {
                text: "done".to_owned(),
                is_error: false,
                class: None,
                total_bytes: 4,
            }),
            files: Vec::new(),
            bodies: u32::from(has_started),
            created_at_ms: 3_000,
            started_at_ms: has_started.then_some(4_000),
            ended_at_ms: status.is_terminal().then_some(4_500),
        },
        revision: 1,
        provider_id: format!("call-{ordinal}"),
        tool_hash: Some([9; 32]),
        resources: vec![format!("file:{ordinal}")],
        digest: Some(digest(ordinal)),
        detail: None,
        step_id: has_started.then(|| step_id(0xd0 + u128::from(ordinal))),
        attempt: u32::from(has_started),
    }
}

fn pending(ordinal: u32) -> ApprovalView {
    ApprovalView {
        round: 1,
        status: ApprovalStatus::Pending,
        digest: hex(&digest(ordinal)),
        asked_at_ms: 3_000,
        expires_at_ms: None,
        decision: None,
        consumed_at_ms: None,
    }
}

/// A call that waits for a decision.
pub(crate) fn asking(ordinal: u32) -> CallRow {
    call(ordinal, CallStatus::Waiting, EffectClass::Once)
}

/// A call that touches these.
pub(crate) fn touching(mut call: CallRow, resources: &[&str]) -> CallRow {
    call.resources = resources.iter().map(|one| (*one).to_owned()).collect();
    call
}
