//! One of everything that is asked and that happens, with all of its fields and with as few as
//! possible.

use protocol::{
    AgentId, Block, BlockKind, Command, Envelope, ErrorClass, Event, Message, MessageId,
    MessageStatus, Role, RunError, RunId, RunReason, SessionId, StepId, Usage,
};
use uuid::Uuid;

const fn uuid(last: u128) -> Uuid {
    Uuid::from_u128((0x0192_0000_0000_7000_8000_0000_0000_0000) | last)
}

pub(crate) const AGENT: AgentId = AgentId::from_uuid(uuid(1));
pub(crate) const SESSION: SessionId = SessionId::from_uuid(uuid(2));
pub(crate) const MESSAGE: MessageId = MessageId::from_uuid(uuid(3));
pub(crate) const RUN: RunId = RunId::from_uuid(uuid(4));
pub(crate) const STEP: StepId = StepId::from_uuid(uuid(5));

pub(crate) fn commands() -> Vec<Command> {
    vec![
        Command::GetApp {},
        Command::ListSessions {
            limit: None,
            after: None,
        },
        Command::ListSessions {
            limit: Some(1_000),
            after: Some(SESSION),
        },
        Command::CreateSession {
            session_id: None,
            title: None,
        },
        Command::CreateSession {
            session_id: Some(SESSION),
            title: Some("Title".to_owned()),
        },
        Command::RenameSession {
            session_id: SESSION,
            title: "Title".to_owned(),
        },
        Command::GetSession {
            session_id: SESSION,
            limit: None,
        },
        Command::GetSession {
            session_id: SESSION,
            limit: Some(1),
        },
        Command::ListMessages {
            session_id: SESSION,
            before: 7,
            limit: None,
        },
        Command::ListMessages {
            session_id: SESSION,
            before: 7,
            limit: Some(3),
        },
        Command::StartRun {
            session_id: None,
            text: "hello".to_owned(),
            request_key: None,
        },
        Command::StartRun {
            session_id: Some(SESSION),
            text: "hello".to_owned(),
            request_key: Some("key".to_owned()),
        },
        Command::GetRun { run_id: RUN },
        Command::StopRun { run_id: RUN },
        Command::ResumeRun { run_id: RUN },
        Command::CancelRun { run_id: RUN },
        Command::Subscribe {
            session_id: SESSION,
            after_seq: 0,
        },
        Command::Unsubscribe {
            session_id: SESSION,
        },
        Command::WatchSessions {},
    ]
}

/// The compiler asks for a new command here; a test then asks for it in the list above.
pub(crate) const fn command_number(command: &Command) -> usize {
    match command {
        Command::GetApp {} => 0,
        Command::ListSessions { .. } => 1,
        Command::CreateSession { .. } => 2,
        Command::RenameSession { .. } => 3,
        Command::GetSession { .. } => 4,
        Command::ListMessages { .. } => 5,
        Command::StartRun { .. } => 6,
        Command::GetRun { .. } => 7,
        Command::StopRun { .. } => 8,
        Command::ResumeRun { .. } => 9,
        Command::CancelRun { .. } => 10,
        Command::Subscribe { .. } => 11,
        Command::Unsubscribe { .. } => 12,
        Command::WatchSessions {} => 13,
    }
}
pub(crate) const COMMANDS: usize = 14;

pub(crate) fn asked() -> Message {
    Message {
        message_id: MESSAGE,
        position: 1,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: "hello".to_owned(),
        }],
        run_id: None,
        step_id: None,
        attempt: None,
        model: None,
        created_at_ms: 1_700_000_000_000,
    }
}

pub(crate) fn written() -> Message {
    Message {
        role: Role::Agent,
        status: MessageStatus::Partial,
        blocks: vec![
            Block {
                kind: BlockKind::Reasoning,
                text: "hm".to_owned(),
            },
            Block {
                kind: BlockKind::Text,
                text: "a \"reply\"\n".to_owned(),
            },
        ],
        run_id: Some(RUN),
        step_id: Some(STEP),
        attempt: Some(2),
        model: Some("guide".to_owned()),
        position: 2,
        ..asked()
    }
}

pub(crate) fn run_error() -> RunError {
    RunError {
        class: ErrorClass::RateLimit,
        message: "Too many calls.".to_owned(),
    }
}

pub(crate) fn events() -> Vec<Event> {
    let (run_id, step_id, attempt) = (RUN, STEP, 2);
    let model = || "guide".to_owned();
    let error = run_error();
    let usage = Usage {
        input_tokens: Some(7),
        output_tokens: None,
    };
    vec![
        Event::SessionCreated {
            agent_id: AGENT,
            title: None,
        },
        Event::SessionCreated {
            agent_id: AGENT,
            title: Some("Title".to_owned()),
        },
        Event::SessionRenamed {
            title: "Title".to_owned(),
        },
        Event::MessageAdded { message: asked() },
        Event::RunStarted {
            run_id,
            message_id: MESSAGE,
            agent_id: AGENT,
            model: model(),
        },
        Event::StepStarted {
            run_id,
            step_id,
            attempt,
            model: model(),
        },
        Event::StepCompleted {
            run_id,
            step_id,
            attempt,
            message: written(),
            usage,
        },
        Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message: None,
        },
        Event::StepInterrupted {
            run_id,
            step_id,
            attempt,
            message: Some(written()),
        },
        Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error: error.clone(),
            message: None,
        },
        Event::StepFailed {
            run_id,
            step_id,
            attempt,
            error: error.clone(),
            message: Some(written()),
        },
        Event::StepCancelled { run_id, step_id },
        Event::RunStopped {
            run_id,
            reason: RunReason::StoppedByUser,
        },
        Event::RunInterrupted {
            run_id,
            reason: RunReason::AppEnded,
        },
        Event::RunResumed { run_id },
        Event::RunCompleted { run_id },
        Event::RunFailed { run_id, error },
        Event::RunCancelled {
            run_id,
            reason: RunReason::Discarded,
        },
        Event::Unrecognised {
            kind: "weather_changed".to_owned(),
        },
    ]
}

pub(crate) const fn event_number(event: &Event) -> usize {
    match event {
        Event::SessionCreated { .. } => 0,
        Event::SessionRenamed { .. } => 1,
        Event::MessageAdded { .. } => 2,
        Event::RunStarted { .. } => 3,
        Event::StepStarted { .. } => 4,
        Event::StepCompleted { .. } => 5,
        Event::StepInterrupted { .. } => 6,
        Event::StepFailed { .. } => 7,
        Event::StepCancelled { .. } => 8,
        Event::RunStopped { .. } => 9,
        Event::RunInterrupted { .. } => 10,
        Event::RunResumed { .. } => 11,
        Event::RunCompleted { .. } => 12,
        Event::RunFailed { .. } => 13,
        Event::RunCancelled { .. } => 14,
        Event::Unrecognised { .. } => 15,
    }
}
pub(crate) const EVENTS: usize = 16;

pub(crate) fn envelope(event: Event) -> Envelope {
    Envelope {
        session_id: SESSION,
        seq: 7,
        at_ms: 1_700_000_000_000,
        event,
    }
}
