//! Everything that is answered and sent.

use protocol::{
    AppInfo, BackupInfo, BlockKind, CommandError, DecidedCall, Delta, ErrorCode, Event, ModelInfo,
    Push, Reply, RuleView, RunStatus, SentOutcome, StartState, ToolInfo, Verdict,
};

use super::call::approval;
use super::event::{asked, attachments, queue};
use super::provider::of_providers;
use super::session::{bare_run, run, summaries, summary};
use super::{
    AT, ATTACHMENT, CALL, MESSAGE, RULE, RUN, SESSION, STEP, agent_fields, agent_view, calls,
    envelope, scopes, settings, snapshots,
};

fn app() -> AppInfo {
    let model = ModelInfo {
        is_scripted: true,
        ..ModelInfo::new("guide", "Guide")
    };
    AppInfo {
        version: "0.1.0".to_owned(),
        data_dir: "/home/user/holdfast".to_owned(),
        model: model.clone(),
        models: vec![
            model,
            ModelInfo {
                provider: Some("Somewhere".to_owned()),
                context_tokens: Some(200_000),
                max_output_tokens: Some(64_000),
                images: Some(true),
                tools: Some(false),
                ..ModelInfo::new("somewhere/large", "Large (Somewhere)")
            },
        ],
        tools: vec![ToolInfo {
            name: "write_file".to_owned(),
            description: "Writes a file.".to_owned(),
        }],
    }
}

fn rules() -> Vec<RuleView> {
    Verdict::ALL
        .into_iter()
        .zip(scopes())
        .map(|(verdict, scope)| RuleView {
            rule_id: RULE,
            verdict,
            tool: "write_file".to_owned(),
            pattern: (verdict == Verdict::Allow).then(|| "notes/*".to_owned()),
            scope,
            made_by: (verdict == Verdict::Allow).then_some(CALL),
            created_at_ms: AT,
        })
        .collect()
}

pub(crate) fn outcomes() -> Vec<SentOutcome> {
    vec![
        SentOutcome::Started { run_id: RUN },
        SentOutcome::Joined { run_id: RUN },
        SentOutcome::Queued {},
    ]
}

pub(crate) fn replies() -> Vec<Reply> {
    let mut replies = about_sessions();
    replies.extend(about_runs());
    replies.extend(about_calls());
    replies.extend(about_the_rest());
    replies
}

fn about_sessions() -> Vec<Reply> {
    let mut replies = vec![
        Reply::Sessions {
            sessions: summaries(),
            has_more: true,
        },
        Reply::Messages {
            messages: vec![asked()],
            has_earlier: false,
            calls: Vec::new(),
        },
        Reply::Messages {
            messages: vec![asked()],
            has_earlier: true,
            calls: calls(),
        },
        Reply::Exported {
            file_name: "title.md".to_owned(),
            text: "# Title\n".to_owned(),
        },
        Reply::Attached {
            attachment: attachments().remove(0),
            expires_at_ms: Some(AT),
        },
        Reply::Attached {
            attachment: attachments().remove(2),
            expires_at_ms: None,
        },
        Reply::Attachment {
            attachment: attachments().remove(1),
            offset: 0,
            data: "SGlnaCB3YXRlcg==".to_owned(),
            total_bytes: 10,
        },
        Reply::AttachmentRemoved {
            attachment_id: ATTACHMENT,
        },
        Reply::Deleted {
            session_id: SESSION,
            restorable_until_ms: AT + 60_000,
        },
        Reply::Subscribed {
            session_id: SESSION,
            head_seq: 9,
        },
        Reply::Unsubscribed {
            session_id: SESSION,
        },
        Reply::Watching {},
    ];
    replies.extend(summaries().into_iter().map(Box::new).map(Reply::Session));
    replies.extend(snapshots().into_iter().map(Box::new).map(Reply::Snapshot));
    replies
}

fn about_runs() -> Vec<Reply> {
    let mut replies = vec![
        Reply::Queue { queue: queue() },
        Reply::RunStarted {
            session_id: SESSION,
            message_id: MESSAGE,
            run_id: RUN,
        },
        Reply::Run(run()),
        Reply::Run(bare_run()),
        Reply::Undone {
            paths: vec!["notes/tides.md".to_owned()],
        },
    ];
    replies.extend(outcomes().into_iter().map(|outcome| Reply::Sent {
        session_id: SESSION,
        message_id: MESSAGE,
        outcome,
    }));
    replies.extend(RunStatus::ALL.into_iter().map(|status| Reply::RunMoved {
        run_id: RUN,
        status,
    }));
    replies
}

fn about_calls() -> Vec<Reply> {
    let accepted = DecidedCall {
        call_id: CALL,
        approval: Some(approval()),
        error: None,
    };
    let refused = DecidedCall {
        call_id: CALL,
        approval: None,
        error: Some(damaged()),
    };
    let mut replies = vec![
        Reply::Calls { calls: calls() },
        Reply::Result {
            call_id: CALL,
            offset: 65_536,
            text: "the rest".to_owned(),
            total_bytes: 65_544,
        },
        Reply::Decided {
            calls: vec![accepted, refused],
        },
    ];
    replies.extend(calls().into_iter().take(1).map(Box::new).map(Reply::Call));
    replies
}

fn about_the_rest() -> Vec<Reply> {
    let agents: Vec<_> = agent_fields().into_iter().map(agent_view).collect();
    let mut replies = vec![
        Reply::App(app()),
        Reply::Rules { rules: rules() },
        Reply::Agents {
            agents: agents.clone(),
        },
    ];
    replies.extend(agents.into_iter().map(Reply::Agent));
    replies.extend(settings().into_iter().map(Reply::Settings));
    replies.extend(of_providers());
    replies
}

/// One of each code, one about a run and one with the approval that stands.
pub(crate) fn errors() -> Vec<CommandError> {
    let mut errors: Vec<CommandError> = [
        ErrorCode::InvalidCommand,
        ErrorCode::InvalidValue,
        ErrorCode::TooLarge,
        ErrorCode::Unsupported,
        ErrorCode::NotFound,
        ErrorCode::AlreadyRunning,
        ErrorCode::NotActionable,
        ErrorCode::WrongDigest,
        ErrorCode::InvalidCursor,
        ErrorCode::Truncated,
        ErrorCode::Conflict,
        ErrorCode::StorageFailed,
        ErrorCode::DataFolderInUse,
        ErrorCode::NewerDatabase,
        ErrorCode::DamagedDatabase,
        ErrorCode::Unavailable,
    ]
    .into_iter()
    .map(|code| CommandError::new(code, "What went wrong.", "What to do."))
    .collect();
    let about = |code| CommandError::new(code, "What went wrong.", "What to do.").about_run(RUN);
    errors.push(about(ErrorCode::AlreadyRunning));
    errors.push(about(ErrorCode::NotActionable).with_approval(approval()));
    errors.push(CommandError::internal("What went wrong."));
    errors
}

fn damaged() -> CommandError {
    CommandError::new(
        ErrorCode::DamagedDatabase,
        "It is damaged.",
        "Restore the backup.",
    )
}

pub(crate) fn pushes() -> Vec<Push> {
    let delta = |kind| Delta {
        session_id: SESSION,
        step_id: STEP,
        attempt: 1,
        block: 0,
        kind,
        offset: 12,
        text: "piece".to_owned(),
    };
    let ended = |session_id| Push::Ended {
        session_id,
        error: damaged(),
    };
    vec![
        Push::Event(envelope(Event::RunCompleted { run_id: RUN })),
        Push::Delta(delta(BlockKind::Text)),
        Push::Delta(delta(BlockKind::Arguments)),
        Push::Session(Box::new(summary())),
        Push::Gone {
            session_id: SESSION,
        },
        Push::Show {
            session_id: SESSION,
        },
        ended(None),
        ended(Some(SESSION)),
    ]
}

pub(crate) fn starts() -> Vec<StartState> {
    let backup = BackupInfo {
        file_name: "holdfast-1700000000000-schema1.db".to_owned(),
        created_at_ms: AT,
        bytes: 4_096,
    };
    vec![
        StartState::Ready { app: app() },
        StartState::Failed {
            error: damaged(),
            backup: None,
        },
        StartState::Failed {
            error: damaged(),
            backup: Some(backup),
        },
    ]
}
