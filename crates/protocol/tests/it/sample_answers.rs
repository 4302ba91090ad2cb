//! One of everything that is answered and sent.

use protocol::{
    AppInfo, Attention, AttentionAction, AttentionKind, BackupInfo, BlockKind, CommandError, Delta,
    ErrorCode, Event, LiveBlock, LiveStep, ModelInfo, Push, Reply, RunReason, RunStatus, RunView,
    SessionSnapshot, SessionSummary, StartState,
};

use crate::sample::{AGENT, MESSAGE, RUN, SESSION, STEP, asked, envelope, run_error, written};

fn run() -> RunView {
    RunView {
        run_id: RUN,
        session_id: SESSION,
        agent_id: AGENT,
        model: "guide".to_owned(),
        status: RunStatus::Failed,
        reason: Some(RunReason::Superseded),
        error: Some(run_error()),
        steps_completed: 3,
        created_at_ms: 1_700_000_000_000,
        updated_at_ms: 1_700_000_000_001,
    }
}

fn bare_run() -> RunView {
    RunView {
        status: RunStatus::Running,
        reason: None,
        error: None,
        ..run()
    }
}

fn summary() -> SessionSummary {
    SessionSummary {
        session_id: SESSION,
        title: Some("Title".to_owned()),
        run: Some(run()),
        attention: Some(Attention {
            kind: AttentionKind::Interrupted,
            run_id: RUN,
            since_ms: 1_700_000_000_001,
            asked: "hello".to_owned(),
            steps_completed: 3,
            steps_interrupted: 1,
            partial_chars: 12,
            actions: vec![AttentionAction::Resume, AttentionAction::Discard],
        }),
        created_at_ms: 1_700_000_000_000,
        updated_at_ms: 1_700_000_000_001,
    }
}

fn bare_summary() -> SessionSummary {
    SessionSummary {
        title: None,
        run: None,
        attention: None,
        ..summary()
    }
}

pub(crate) fn snapshots() -> Vec<SessionSnapshot> {
    let live = LiveStep {
        run_id: RUN,
        step_id: STEP,
        attempt: 1,
        model: "guide".to_owned(),
        started_at_ms: 1_700_000_000_000,
        blocks: vec![LiveBlock {
            block: 0,
            kind: BlockKind::Reasoning,
            text: "hm".to_owned(),
        }],
    };
    vec![
        SessionSnapshot {
            session: bare_summary(),
            seq: 0,
            messages: Vec::new(),
            has_earlier: false,
            live: None,
        },
        SessionSnapshot {
            session: summary(),
            seq: 9,
            messages: vec![asked(), written()],
            has_earlier: true,
            live: Some(live),
        },
    ]
}

fn app() -> AppInfo {
    AppInfo {
        version: "0.1.0".to_owned(),
        data_dir: "/home/user/holdfast".to_owned(),
        model: ModelInfo {
            id: "guide".to_owned(),
            label: "Guide".to_owned(),
            is_scripted: true,
        },
    }
}

pub(crate) fn replies() -> Vec<Reply> {
    let mut replies = vec![
        Reply::App(app()),
        Reply::Sessions {
            sessions: vec![summary(), bare_summary()],
            has_more: true,
        },
        Reply::Session(bare_summary()),
        Reply::Messages {
            messages: vec![asked()],
            has_earlier: false,
        },
        Reply::RunStarted {
            session_id: SESSION,
            message_id: MESSAGE,
            run_id: RUN,
        },
        Reply::Run(run()),
        Reply::Run(bare_run()),
        Reply::RunMoved {
            run_id: RUN,
            status: RunStatus::Stopped,
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
    replies.extend(snapshots().into_iter().map(Reply::Snapshot));
    replies
}

pub(crate) const fn reply_number(reply: &Reply) -> usize {
    match reply {
        Reply::App(_) => 0,
        Reply::Sessions { .. } => 1,
        Reply::Session(_) => 2,
        Reply::Snapshot(_) => 3,
        Reply::Messages { .. } => 4,
        Reply::RunStarted { .. } => 5,
        Reply::Run(_) => 6,
        Reply::RunMoved { .. } => 7,
        Reply::Subscribed { .. } => 8,
        Reply::Unsubscribed { .. } => 9,
        Reply::Watching {} => 10,
    }
}
pub(crate) const REPLIES: usize = 11;

pub(crate) fn errors() -> Vec<CommandError> {
    [
        ErrorCode::InvalidCommand,
        ErrorCode::InvalidValue,
        ErrorCode::TooLarge,
        ErrorCode::NotFound,
        ErrorCode::AlreadyRunning,
        ErrorCode::NotActionable,
        ErrorCode::InvalidCursor,
        ErrorCode::Conflict,
        ErrorCode::StorageFailed,
        ErrorCode::DataFolderInUse,
        ErrorCode::NewerDatabase,
        ErrorCode::DamagedDatabase,
        ErrorCode::Unavailable,
        ErrorCode::Internal,
    ]
    .into_iter()
    .map(|code| {
        let error = CommandError::new(code, "What went wrong.", "What to do.");
        if code == ErrorCode::AlreadyRunning {
            error.about_run(RUN)
        } else {
            error
        }
    })
    .collect()
}

pub(crate) const fn error_number(error: &CommandError) -> usize {
    match error.code {
        ErrorCode::InvalidCommand => 0,
        ErrorCode::InvalidValue => 1,
        ErrorCode::TooLarge => 2,
        ErrorCode::NotFound => 3,
        ErrorCode::AlreadyRunning => 4,
        ErrorCode::NotActionable => 5,
        ErrorCode::InvalidCursor => 6,
        ErrorCode::Conflict => 7,
        ErrorCode::StorageFailed => 8,
        ErrorCode::DataFolderInUse => 9,
        ErrorCode::NewerDatabase => 10,
        ErrorCode::DamagedDatabase => 11,
        ErrorCode::Unavailable => 12,
        ErrorCode::Internal => 13,
    }
}
pub(crate) const ERRORS: usize = 14;

fn damaged() -> CommandError {
    CommandError::new(
        ErrorCode::DamagedDatabase,
        "It is damaged.",
        "Restore the backup.",
    )
}

pub(crate) fn pushes() -> Vec<Push> {
    let delta = Delta {
        session_id: SESSION,
        step_id: STEP,
        attempt: 1,
        block: 0,
        kind: BlockKind::Text,
        offset: 12,
        text: "piece".to_owned(),
    };
    vec![
        Push::Event(envelope(Event::RunCompleted { run_id: RUN })),
        Push::Delta(delta),
        Push::Session(summary()),
        Push::Ended {
            session_id: None,
            error: damaged(),
        },
        Push::Ended {
            session_id: Some(SESSION),
            error: damaged(),
        },
    ]
}

pub(crate) const fn push_number(push: &Push) -> usize {
    match push {
        Push::Event(_) => 0,
        Push::Delta(_) => 1,
        Push::Session(_) => 2,
        Push::Ended { .. } => 3,
    }
}
pub(crate) const PUSHES: usize = 4;

pub(crate) fn starts() -> Vec<StartState> {
    let backup = BackupInfo {
        file_name: "holdfast-1700000000000-schema1.db".to_owned(),
        created_at_ms: 1_700_000_000_000,
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

pub(crate) const fn start_number(start: &StartState) -> usize {
    match start {
        StartState::Ready { .. } => 0,
        StartState::Failed { .. } => 1,
    }
}
pub(crate) const STARTS: usize = 2;
