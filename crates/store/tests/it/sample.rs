//! Pieces of a session to write.

use std::sync::Arc;

use protocol::{
    Block, BlockKind, Event, Message, MessageId, MessageStatus, Native, Role, RunId, RunStatus,
    SessionId, StepId, StepStatus,
};
use rusqlite::types::Value;
use store::{Change, DEFAULT_AGENT, NewRun, Piece, StepKind};
use uuid::Uuid;

fn uuid(kind: u128, number: u64) -> Uuid {
    Uuid::from_u128((0x0192_0000_0000_7000_8000_u128 << 48) | (kind << 40) | u128::from(number))
}

pub(crate) fn session_id(number: u64) -> SessionId {
    SessionId::from_uuid(uuid(1, number))
}

pub(crate) fn message_id(number: u64) -> MessageId {
    MessageId::from_uuid(uuid(2, number))
}

pub(crate) fn run_id(number: u64) -> RunId {
    RunId::from_uuid(uuid(3, number))
}

pub(crate) fn step_id(number: u64) -> StepId {
    StepId::from_uuid(uuid(4, number))
}

/// The workspace of every session here, unless it says otherwise.
pub(crate) const WORKSPACE: &str = "harbour";

/// An id as it is stored.
pub(crate) fn stored(id: Uuid) -> Value {
    Value::Blob(id.as_bytes().to_vec())
}

pub(crate) fn create_session(session: SessionId) -> Change {
    Change::CreateSession {
        session_id: session,
        agent_id: DEFAULT_AGENT,
        title: None,
        workspace: WORKSPACE.to_owned(),
        forked_from: None,
        at_ms: 10,
    }
}

pub(crate) fn message(id: MessageId, position: u64, text: &str) -> Message {
    Message {
        message_id: id,
        position,
        branch: 0,
        role: Role::User,
        status: MessageStatus::Complete,
        blocks: vec![Block {
            kind: BlockKind::Text,
            text: text.to_owned(),
        }],
        attachments: Vec::new(),
        run_id: None,
        step_id: None,
        attempt: None,
        model: None,
        ending: protocol::Ending::Complete,
        created_at_ms: 11,
    }
}

pub(crate) fn add_message(session: SessionId, message: Message) -> Change {
    Change::AddMessage {
        session_id: session,
        message,
        native: None,
    }
}

/// What a provider said in its own words, in bytes that reading and writing would change.
pub(crate) fn native() -> Arc<Native> {
    Arc::new(Native {
        dialect: "dialect".to_owned(),
        model: "model-a".to_owned(),
        items: "[ {\"signature\":\"c2ln/+==\", \"n\": 1.0e+2,\"u\":\"\\u00e9é\"}]".to_owned(),
    })
}

pub(crate) fn add_native(session: SessionId, message: Message) -> Change {
    Change::AddMessage {
        session_id: session,
        message,
        native: Some(native()),
    }
}

pub(crate) fn new_run(run: RunId, session: SessionId, message: MessageId) -> NewRun {
    NewRun {
        run_id: run,
        session_id: session,
        agent_id: DEFAULT_AGENT,
        branch: 0,
        message_id: message,
        retry_of: None,
        request_key: None,
        model: "guide".to_owned(),
        pin: None,
        at_ms: 12,
    }
}

pub(crate) fn create_step(step: StepId, run: RunId) -> Change {
    Change::CreateStep {
        step_id: step,
        run_id: run,
        kind: StepKind::ModelCall,
        at_ms: 13,
    }
}

pub(crate) fn move_step(step: StepId, from: StepStatus, to: StepStatus) -> Change {
    Change::MoveStep {
        step_id: step,
        from,
        to,
        at_ms: 14,
    }
}

pub(crate) fn move_run(run: RunId, from: RunStatus, to: RunStatus) -> Change {
    Change::MoveRun {
        run_id: run,
        from,
        to,
        reason: None,
        error: None,
        at_ms: 15,
    }
}

pub(crate) fn start_attempt(step: StepId, attempt: u32) -> Change {
    Change::StartAttempt {
        step_id: step,
        attempt,
        at_ms: 16,
    }
}

pub(crate) fn end_attempt(step: StepId, streamed_bytes: u64, to: StepStatus) -> Change {
    Change::EndAttempt {
        step_id: step,
        attempt: 1,
        to,
        streamed_bytes,
        usage: protocol::Usage::default(),
        fill: None,
        error: None,
        at_ms: 17,
    }
}

pub(crate) fn append(session: SessionId, step: StepId, before: u64, pieces: Vec<Piece>) -> Change {
    Change::AppendDeltas {
        session_id: session,
        step_id: step,
        attempt: 1,
        streamed_bytes: before,
        pieces,
    }
}

pub(crate) fn piece(block: u32, offset: u64, text: &str) -> Piece {
    Piece {
        block,
        kind: BlockKind::Text,
        offset,
        text: text.to_owned(),
    }
}

pub(crate) fn event(session: SessionId, event: Event) -> Change {
    Change::AppendEvent {
        session_id: session,
        at_ms: 18,
        event,
    }
}

pub(crate) fn renamed(title: &str) -> Event {
    Event::SessionRenamed {
        title: title.to_owned(),
    }
}

/// A whole beginning: session, message, run, step, its first attempt, streamed text, an event.
/// Ids are made of `number`, so two numbers never meet.
pub(crate) fn beginning(number: u64) -> Vec<Change> {
    let (session, run, step) = (session_id(number), run_id(number), step_id(number));
    let mut asked = message(message_id(number), 1, "hello");
    asked.run_id = Some(run);
    vec![
        create_session(session),
        add_message(session, asked),
        Change::CreateRun(new_run(run, session, message_id(number))),
        create_step(step, run),
        move_step(step, StepStatus::Planned, StepStatus::Running),
        start_attempt(step, 1),
        append(
            session,
            step,
            0,
            vec![piece(0, 0, "hel"), piece(0, 3, "lo")],
        ),
        event(session, Event::RunResumed { run_id: run }),
    ]
}
