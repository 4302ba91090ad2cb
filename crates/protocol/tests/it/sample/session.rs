//! What is read of sessions and runs.

use protocol::{
    Attention, AttentionAction, AttentionCall, AttentionKind, BlockKind, ExportedAttachment,
    LiveBlock, LiveStep, Native, NativeOf, RunReason, RunStatus, RunView, SessionExport,
    SessionSnapshot, SessionSummary, UsageTotal,
};

use super::call::{call, calls};
use super::event::{
    asked, branches, fill, illustrated, queue, retry, run_error, summed_up, unreadable,
    usage as known, written,
};
use super::{AGENT, AT, ATTACHMENT, CALL, RUN, SESSION, STEP, agent_fields, bare_agent};

pub(super) const fn usage() -> UsageTotal {
    UsageTotal {
        sum: known(),
        calls: 3,
        calls_unknown: 1,
        calls_without_cost: 2,
    }
}

pub(super) fn run() -> RunView {
    RunView {
        run_id: RUN,
        session_id: SESSION,
        agent_id: AGENT,
        model: "guide".to_owned(),
        status: RunStatus::Failed,
        reason: Some(RunReason::Superseded),
        error: Some(run_error()),
        steps_completed: 3,
        retry_of: Some(RUN),
        retry: Some(retry()),
        crashes: 1,
        usage: usage(),
        created_at_ms: AT,
        updated_at_ms: AT + 1,
    }
}

pub(super) fn bare_run() -> RunView {
    RunView {
        status: RunStatus::Running,
        reason: None,
        error: None,
        retry_of: None,
        retry: None,
        usage: UsageTotal::default(),
        ..run()
    }
}

fn attention() -> Attention {
    let concerned = |is_waiting| AttentionCall {
        call_id: CALL,
        summary: "Write notes/tides.md".to_owned(),
        is_waiting,
    };
    Attention {
        kind: AttentionKind::Interrupted,
        run_id: RUN,
        since_ms: AT + 1,
        asked: "hello".to_owned(),
        last_done: Some("Wrote notes.md".to_owned()),
        steps_completed: 3,
        steps_interrupted: 1,
        unknown: vec![concerned(false)],
        not_started: vec![concerned(true)],
        partial_chars: 12,
        reason: Some(RunReason::AppEnded),
        error: Some(run_error()),
        crashes: 1,
        actions: vec![
            AttentionAction::Resume,
            AttentionAction::Decide,
            AttentionAction::Retry,
            AttentionAction::Discard,
        ],
    }
}

fn bare_attention(kind: AttentionKind) -> Attention {
    Attention {
        kind,
        last_done: None,
        unknown: Vec::new(),
        not_started: Vec::new(),
        reason: None,
        error: None,
        actions: Vec::new(),
        ..attention()
    }
}

pub(super) fn summary() -> SessionSummary {
    SessionSummary {
        session_id: SESSION,
        title: Some("Title".to_owned()),
        agent_id: AGENT,
        model: Some("guide".to_owned()),
        is_archived: true,
        problem: Some("A message cannot be read.".to_owned()),
        forked_from: Some(SESSION),
        queued: 2,
        run: Some(run()),
        attention: Some(attention()),
        created_at_ms: AT,
        updated_at_ms: AT + 1,
    }
}

pub(super) fn bare_summary() -> SessionSummary {
    SessionSummary {
        title: None,
        model: None,
        is_archived: false,
        problem: None,
        forked_from: None,
        queued: 0,
        run: None,
        attention: None,
        ..summary()
    }
}

/// One with everything, one with nothing, and one for each need.
pub(super) fn summaries() -> Vec<SessionSummary> {
    let needs = [
        AttentionKind::Interrupted,
        AttentionKind::Waiting,
        AttentionKind::InDoubt,
        AttentionKind::Stopped,
        AttentionKind::Failed,
    ];
    crate::cases::assert_all(&needs);
    crate::cases::assert_all(&attention().actions);
    let in_need = needs.into_iter().map(|kind| SessionSummary {
        run: Some(bare_run()),
        attention: Some(bare_attention(kind)),
        ..bare_summary()
    });
    [summary(), bare_summary()]
        .into_iter()
        .chain(in_need)
        .collect()
}

pub(crate) fn snapshots() -> Vec<SessionSnapshot> {
    let block = |block, kind| LiveBlock {
        block,
        kind,
        text: "hm".to_owned(),
    };
    let live = LiveStep {
        run_id: RUN,
        step_id: STEP,
        attempt: 1,
        model: "guide".to_owned(),
        started_at_ms: AT,
        is_compaction: true,
        blocks: vec![
            block(0, BlockKind::Reasoning),
            block(1, BlockKind::Arguments),
        ],
    };
    vec![
        SessionSnapshot {
            session: bare_summary(),
            seq: 0,
            messages: Vec::new(),
            has_earlier: false,
            calls: Vec::new(),
            queue: Vec::new(),
            branch: 0,
            branches: Vec::new(),
            workspace: "/home/user/notes".to_owned(),
            usage: UsageTotal::default(),
            fill: None,
            summaries: Vec::new(),
            live: None,
        },
        SessionSnapshot {
            session: summary(),
            seq: 9,
            messages: vec![asked(), written(), unreadable()],
            has_earlier: true,
            calls: vec![call()],
            queue: queue(),
            branch: 1,
            branches: branches(),
            workspace: "/home/user/notes".to_owned(),
            usage: usage(),
            fill: Some(fill()),
            summaries: summed_up(),
            live: Some(live),
        },
    ]
}

pub(crate) fn exports() -> Vec<SessionExport> {
    let bare = SessionExport {
        kind: SessionExport::KIND.to_owned(),
        version: SessionExport::VERSION,
        title: None,
        agent: bare_agent(),
        created_at_ms: AT,
        messages: Vec::new(),
        calls: Vec::new(),
        natives: Vec::new(),
        summaries: Vec::new(),
        attachments: Vec::new(),
    };
    let full = SessionExport {
        title: Some("Title".to_owned()),
        agent: agent_fields().swap_remove(1),
        messages: vec![asked(), written(), illustrated()],
        calls: calls(),
        natives: natives(),
        summaries: summed_up(),
        attachments: vec![ExportedAttachment {
            attachment_id: ATTACHMENT,
            data: "SGlnaCB3YXRlcg==".to_owned(),
        }],
        ..bare.clone()
    };
    vec![bare, full]
}

fn natives() -> Vec<NativeOf> {
    let signed = NativeOf {
        message_id: written().message_id,
        native: Native {
            dialect: "anthropic".to_owned(),
            model: "model-a".to_owned(),
            items: r#"[{"type":"thinking","thinking":"","signature":"c2ln"}]"#.to_owned(),
        },
        call_ids: vec!["toolu_1".to_owned()],
    };
    let bare = NativeOf {
        call_ids: Vec::new(),
        ..signed.clone()
    };
    vec![signed, bare]
}
