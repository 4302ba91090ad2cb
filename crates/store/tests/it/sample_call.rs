//! Tool calls to write, and a session that has some.

use protocol::{
    ApprovalStatus, ApprovalView, CallId, CallPreview, CallStatus, Decision, DecisionView,
    DoubtView, EffectClass, ErrorClass, FileChange, PreviewPart, Role, RuleId, StepStatus,
    ToolCallView, ToolResult, Verdict, VerdictView,
};
use store::{CallRow, Change, StepKind};
use uuid::Uuid;

use crate::sample::{
    add_message, beginning, end_attempt, message, message_id, move_step, run_id, session_id,
    start_attempt, step_id,
};

fn uuid(kind: u128, number: u64) -> Uuid {
    Uuid::from_u128((0x0192_0000_0000_7000_8000_u128 << 48) | (kind << 40) | u128::from(number))
}

pub(crate) fn call_id(number: u64) -> CallId {
    CallId::from_uuid(uuid(5, number))
}

pub(crate) fn rule_id(number: u64) -> RuleId {
    RuleId::from_uuid(uuid(6, number))
}

/// A call of the agent's message of session `number`: nothing but what it must have.
pub(crate) fn call(number: u64, ordinal: u32) -> CallRow {
    let id = call_id(number * 100 + u64::from(ordinal));
    CallRow {
        view: ToolCallView {
            call_id: id,
            session_id: session_id(number),
            run_id: run_id(number),
            message_id: message_id(number * 100),
            ordinal,
            tool: "write_file".to_owned(),
            arguments: r#"{"path": "notes.md"}"#.to_owned(),
            proposed_arguments: None,
            effect: EffectClass::Once,
            status: CallStatus::Proposed,
            verdict: None,
            preview: None,
            approval: None,
            doubt: None,
            result: None,
            files: Vec::new(),
            bodies: 0,
            created_at_ms: 20 + u64::from(ordinal),
            started_at_ms: None,
            ended_at_ms: None,
        },
        revision: 0,
        provider_id: format!("toolu_{number}_{ordinal}"),
        tool_hash: None,
        resources: Vec::new(),
        digest: None,
        detail: None,
        step_id: None,
        attempt: 0,
    }
}

/// The same with everything that can be set, but for approval and files.
pub(crate) fn full_call(number: u64, ordinal: u32) -> CallRow {
    let mut row = call(number, ordinal);
    let view = &mut row.view;
    view.proposed_arguments = Some(r#"{"path":"other.md"}"#.to_owned());
    view.effect = EffectClass::Idempotent;
    view.status = CallStatus::InDoubt;
    view.verdict = Some(VerdictView {
        verdict: Verdict::Ask,
        rule_id: Some(rule_id(1)),
        explanation: "Asked by the rule write_file *".to_owned(),
    });
    view.preview = Some(CallPreview {
        summary: "Write notes.md".to_owned(),
        subject: Some("notes.md".to_owned()),
        parts: vec![PreviewPart::Diff {
            path: "notes.md".to_owned(),
            text: "+ tide\n".to_owned(),
            is_new: true,
        }],
    });
    view.doubt = Some(DoubtView {
        reason: "The app ended while it ran.".to_owned(),
        can_check: true,
        checks: 2,
        next_check_at_ms: Some(77),
    });
    view.result = Some(ToolResult {
        text: "7 bytes".to_owned(),
        is_error: true,
        class: Some(ErrorClass::Timeout),
        total_bytes: 7,
    });
    view.bodies = 1;
    view.started_at_ms = Some(30);
    view.ended_at_ms = Some(40);
    row.tool_hash = Some([1; 32]);
    row.resources = vec!["file:notes.md".to_owned()];
    row.digest = Some([2; 32]);
    row.detail = Some(serde_json::json!({ "pid": 7 }));
    row.step_id = Some(step_id(number * 100));
    row
}

pub(crate) fn add_call(call: CallRow) -> Change {
    Change::AddCall(Box::new(call))
}

pub(crate) fn save_call(call: CallRow, from: CallStatus) -> Change {
    Change::SaveCall {
        call: Box::new(call),
        from,
        result_whole: None,
    }
}

pub(crate) fn question(round: u32) -> ApprovalView {
    ApprovalView {
        round,
        status: ApprovalStatus::Pending,
        digest: "02".repeat(32),
        asked_at_ms: 21,
        expires_at_ms: None,
        decision: None,
        consumed_at_ms: None,
    }
}

pub(crate) fn ask(call_id: CallId, round: u32) -> Change {
    Change::AddApproval {
        call_id,
        approval: question(round),
    }
}

pub(crate) fn answer(decision: Decision) -> DecisionView {
    DecisionView {
        decision,
        at_ms: 22,
        from: Some("main".to_owned()),
    }
}

pub(crate) fn decide(call_id: CallId, round: u32, to: ApprovalStatus) -> Change {
    let decision = match to {
        ApprovalStatus::Allowed => Some(answer(Decision::AllowOnce {})),
        ApprovalStatus::Denied => Some(answer(Decision::Deny {
            reason: Some("not now".to_owned()),
        })),
        ApprovalStatus::Pending
        | ApprovalStatus::Expired
        | ApprovalStatus::Superseded
        | ApprovalStatus::Closed => None,
    };
    Change::DecideApproval {
        call_id,
        round,
        to,
        decision,
    }
}

/// A view as an event may hold it, with everything that can be set.
pub(crate) fn full_view() -> ToolCallView {
    let mut view = full_call(1, 0).view;
    view.approval = Some(ApprovalView {
        status: ApprovalStatus::Allowed,
        expires_at_ms: Some(99),
        decision: Some(answer(Decision::EditAndAllow {
            arguments: "{}".to_owned(),
        })),
        consumed_at_ms: Some(23),
        ..question(1)
    });
    view.files = vec![FileChange {
        path: "notes.md".to_owned(),
        before: Some("03".repeat(32)),
        after: "04".repeat(32),
        undone_at_ms: Some(50),
    }];
    view
}

/// A `beginning` whose model call is over and asked for `calls` calls, none of them judged yet.
pub(crate) fn with_calls(number: u64, calls: u32) -> Vec<Change> {
    let (session, step) = (session_id(number), step_id(number));
    let mut asked = message(message_id(number * 100), 2, "let me");
    asked.role = Role::Agent;
    asked.run_id = Some(run_id(number));
    asked.step_id = Some(step);
    let mut changes = beginning(number);
    changes.extend([
        end_attempt(step, 5, StepStatus::Completed),
        move_step(step, StepStatus::Running, StepStatus::Completed),
        add_message(session, asked),
    ]);
    changes.extend((0..calls).map(|ordinal| add_call(call(number, ordinal))));
    changes
}

/// The step of a call's body, running.
pub(crate) fn start_body(number: u64) -> Vec<Change> {
    let step = step_id(number * 100);
    vec![
        Change::CreateStep {
            step_id: step,
            run_id: run_id(number),
            kind: StepKind::ToolCall,
            at_ms: 24,
        },
        move_step(step, StepStatus::Planned, StepStatus::Running),
        start_attempt(step, 1),
    ]
}
