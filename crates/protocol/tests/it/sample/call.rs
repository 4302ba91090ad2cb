//! Tool calls and approvals.

use protocol::{
    ApprovalStatus, ApprovalView, CallPreview, CallStatus, Decision, DecisionView, DoubtView,
    EffectClass, ErrorClass, FileChange, PreviewPart, Resolution, ToolCallView, ToolResult,
    Verdict, VerdictView,
};

use super::{AT, CALL, DIGEST, MESSAGE, RULE, RUN, SESSION};

pub(crate) fn decisions() -> Vec<Decision> {
    vec![
        Decision::AllowOnce {},
        Decision::AllowInSession { pattern: None },
        Decision::AllowInSession {
            pattern: Some("notes/*".to_owned()),
        },
        Decision::AllowAlways { pattern: None },
        Decision::AllowAlways {
            pattern: Some("notes/*".to_owned()),
        },
        Decision::EditAndAllow {
            arguments: r#"{"path":"notes/tides.md"}"#.to_owned(),
        },
        Decision::Deny { reason: None },
        Decision::Deny {
            reason: Some("Not there.".to_owned()),
        },
    ]
}

pub(crate) fn resolutions() -> Vec<Resolution> {
    vec![
        Resolution::Check {},
        Resolution::Happened { result: None },
        Resolution::Happened {
            result: Some("Sent.".to_owned()),
        },
        Resolution::RunAgain {},
        Resolution::Skip {},
    ]
}

pub(crate) fn parts() -> Vec<PreviewPart> {
    vec![
        PreviewPart::Path {
            path: "/home/user/notes/tides.md".to_owned(),
        },
        PreviewPart::Diff {
            path: "notes/tides.md".to_owned(),
            text: "+high water\n".to_owned(),
            is_new: true,
        },
        PreviewPart::Command {
            text: "ls -l".to_owned(),
        },
        PreviewPart::Text {
            label: "Address".to_owned(),
            text: "https://example.org".to_owned(),
        },
    ]
}

fn bare_approval() -> ApprovalView {
    ApprovalView {
        round: 1,
        status: ApprovalStatus::Pending,
        digest: DIGEST.to_owned(),
        asked_at_ms: AT,
        expires_at_ms: None,
        decision: None,
        consumed_at_ms: None,
    }
}

/// One that is pending, one in each other status, and one for each decision.
pub(crate) fn approvals() -> Vec<ApprovalView> {
    let statuses = ApprovalStatus::ALL.into_iter().map(|status| ApprovalView {
        status,
        ..bare_approval()
    });
    let answered = decisions().into_iter().map(|decision| ApprovalView {
        round: 2,
        status: if matches!(decision, Decision::Deny { .. }) {
            ApprovalStatus::Denied
        } else {
            ApprovalStatus::Allowed
        },
        expires_at_ms: Some(AT + 60_000),
        decision: Some(DecisionView {
            from: matches!(decision, Decision::Deny { .. }).then(|| "main".to_owned()),
            decision,
            at_ms: AT + 5,
        }),
        consumed_at_ms: Some(AT + 6),
        ..bare_approval()
    });
    statuses.chain(answered).collect()
}

pub(crate) fn approval() -> ApprovalView {
    approvals().pop().unwrap()
}

fn bare_call() -> ToolCallView {
    ToolCallView {
        call_id: CALL,
        session_id: SESSION,
        run_id: RUN,
        message_id: MESSAGE,
        ordinal: 0,
        tool: "write_file".to_owned(),
        arguments: r#"{"path": "notes/tides.md"}"#.to_owned(),
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
        created_at_ms: AT,
        started_at_ms: None,
        ended_at_ms: None,
    }
}

pub(crate) fn call() -> ToolCallView {
    ToolCallView {
        ordinal: 1,
        proposed_arguments: Some("{}".to_owned()),
        effect: EffectClass::Idempotent,
        status: CallStatus::Completed,
        verdict: Some(VerdictView {
            verdict: Verdict::Allow,
            rule_id: Some(RULE),
            explanation: "Allowed by the rule write_file notes/*".to_owned(),
        }),
        preview: Some(CallPreview {
            summary: "Write notes/tides.md".to_owned(),
            subject: Some("notes/tides.md".to_owned()),
            parts: parts(),
        }),
        approval: Some(approval()),
        result: Some(ToolResult {
            text: "Written.".to_owned(),
            is_error: false,
            class: None,
            total_bytes: 8,
        }),
        files: vec![
            FileChange {
                path: "notes/tides.md".to_owned(),
                before: None,
                after: DIGEST.to_owned(),
                undone_at_ms: None,
            },
            FileChange {
                path: "notes/index.md".to_owned(),
                before: Some(DIGEST.to_owned()),
                after: DIGEST.to_owned(),
                undone_at_ms: Some(AT + 9),
            },
        ],
        bodies: 1,
        started_at_ms: Some(AT + 6),
        ended_at_ms: Some(AT + 7),
        ..bare_call()
    }
}

/// One with everything, one in doubt, one that failed, and a bare one in each status.
pub(crate) fn calls() -> Vec<ToolCallView> {
    let doubt = |next_check_at_ms| DoubtView {
        reason: "The app ended while it ran.".to_owned(),
        can_check: true,
        checks: 2,
        next_check_at_ms,
    };
    let mut calls = vec![
        call(),
        ToolCallView {
            status: CallStatus::InDoubt,
            doubt: Some(doubt(None)),
            ..bare_call()
        },
        ToolCallView {
            status: CallStatus::InDoubt,
            doubt: Some(doubt(Some(AT + 60_000))),
            ..bare_call()
        },
        ToolCallView {
            status: CallStatus::Failed,
            effect: EffectClass::Read,
            verdict: Some(VerdictView {
                verdict: Verdict::Ask,
                rule_id: None,
                explanation: "Asked about by default".to_owned(),
            }),
            preview: Some(CallPreview {
                summary: "Something".to_owned(),
                subject: None,
                parts: Vec::new(),
            }),
            result: Some(ToolResult {
                text: "It took too long.".to_owned(),
                is_error: true,
                class: Some(ErrorClass::Timeout),
                total_bytes: 17,
            }),
            ..bare_call()
        },
    ];
    calls.extend(CallStatus::ALL.into_iter().map(|status| ToolCallView {
        status,
        ..bare_call()
    }));
    calls
}
