//! One change, in small numbers: what the model understands and what the store is given.

use protocol::{
    ApprovalStatus, ApprovalView, Block, BlockKind, BranchView, CallId, CallStatus, EffectClass,
    Event, Message, MessageId, MessageStatus, QueuedMessage, Role, RunId, RunStatus, SessionId,
    StepId, StepStatus, ToolCallView, ToolResult, Usage,
};
use store::{CallRow, Change, DEFAULT_AGENT, NewRun, Piece, StepKind};
use uuid::Uuid;

/// A number of a message, run, step or call in its session. Those of one kind never meet.
pub(super) type Number = u32;

/// A change of one session.
#[derive(Debug, Clone)]
pub(super) enum Act {
    CreateSession,
    Rename(String),
    AddMessage {
        id: Number,
        branch: u32,
        position: u64,
        run: Option<Number>,
    },
    CreateRun {
        id: Number,
        branch: u32,
        message: Number,
        key: Option<Number>,
    },
    MoveRun(Number, RunStatus, RunStatus),
    CountCrash(Number),
    CreateStep {
        id: Number,
        run: Number,
    },
    MoveStep(Number, StepStatus, StepStatus),
    StartAttempt(Number, u32),
    Append {
        step: Number,
        attempt: u32,
        streamed: u64,
        pieces: Vec<(u32, u64, String)>,
    },
    EndAttempt {
        step: Number,
        attempt: u32,
        to: StepStatus,
        streamed: u64,
    },
    AddCall {
        id: Number,
        run: Number,
        message: Number,
        ordinal: u32,
    },
    SaveCall {
        id: Number,
        revision: u32,
        from: CallStatus,
        to: CallStatus,
    },
    AddApproval(Number, u32),
    Decide(Number, u32, ApprovalStatus),
    Consume(Number, u32),
    Enqueue(Number, String),
    EditQueued(Number, String),
    Dequeue(Number),
    StartBranch {
        branch: u32,
        parent: u32,
        from_position: u64,
    },
    SelectBranch(u32, u32),
    NoteRequest(Number, Number),
    Event(String),
}

/// An id that says what it is and of which session.
pub(super) fn id(kind: u128, session: u32, number: Number) -> Uuid {
    let base = 0x0192_0000_0000_7000_8000_u128 << 48;
    Uuid::from_u128(base | (kind << 40) | (u128::from(session) << 24) | u128::from(number))
}

/// The session that an id, written in hexadecimal, belongs to.
pub(super) fn session_of(hex: &str) -> u32 {
    u32::from_str_radix(&hex[22..26], 16).unwrap_or(u32::MAX)
}

pub(super) fn session_id(session: u32) -> SessionId {
    SessionId::from_uuid(id(1, session, 0))
}

pub(super) fn message_id(session: u32, number: Number) -> MessageId {
    MessageId::from_uuid(id(2, session, number))
}

pub(super) fn run_id(session: u32, number: Number) -> RunId {
    RunId::from_uuid(id(3, session, number))
}

pub(super) fn step_id(session: u32, number: Number) -> StepId {
    StepId::from_uuid(id(4, session, number))
}

pub(super) fn call_id(session: u32, number: Number) -> CallId {
    CallId::from_uuid(id(5, session, number))
}

pub(super) fn key(session: u32, number: Number) -> String {
    format!("request {number} of {session}")
}

pub(super) fn message_text(number: Number) -> String {
    format!("message {number}, with a \"quote\" and a \u{2603}")
}

pub(super) fn result_text(number: Number, status: CallStatus) -> Option<String> {
    let text = || format!("call {number} is {}", status.as_str());
    status.is_terminal().then(text)
}

impl Act {
    /// The same for the store.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each act, and nothing but its fields in it"
    )]
    pub(super) fn change(&self, session: u32, at_ms: u64) -> Change {
        match self {
            Self::CreateSession => Change::CreateSession {
                session_id: session_id(session),
                agent_id: DEFAULT_AGENT,
                title: None,
                workspace: "harbour".to_owned(),
                forked_from: None,
                at_ms,
            },
            Self::Rename(title) => Change::RenameSession {
                session_id: session_id(session),
                title: title.clone(),
                at_ms,
            },
            Self::AddMessage {
                id,
                branch,
                position,
                run,
            } => Change::AddMessage {
                session_id: session_id(session),
                message: Message {
                    message_id: message_id(session, *id),
                    position: *position,
                    branch: *branch,
                    role: Role::User,
                    status: MessageStatus::Complete,
                    blocks: vec![Block {
                        kind: BlockKind::Text,
                        text: message_text(*id),
                    }],
                    attachments: Vec::new(),
                    run_id: run.map(|run| run_id(session, run)),
                    step_id: None,
                    attempt: None,
                    model: None,
                    ending: protocol::Ending::Complete,
                    created_at_ms: at_ms,
                },
                native: None,
            },
            Self::Enqueue(number, text) => Change::Enqueue {
                session_id: session_id(session),
                message: QueuedMessage {
                    message_id: message_id(session, *number),
                    text: text.clone(),
                    attachments: Vec::new(),
                    created_at_ms: at_ms,
                },
            },
            Self::EditQueued(number, text) => Change::EditQueued {
                message_id: message_id(session, *number),
                text: text.clone(),
            },
            Self::Dequeue(number) => Change::Dequeue {
                message_id: message_id(session, *number),
            },
            Self::NoteRequest(number, message) => Change::NoteRequest {
                request_key: key(session, *number),
                session_id: session_id(session),
                message_id: message_id(session, *message),
            },
            Self::StartBranch {
                branch,
                parent,
                from_position,
            } => Change::StartBranch {
                session_id: session_id(session),
                branch: BranchView {
                    branch: *branch,
                    parent: Some(*parent),
                    from_position: *from_position,
                    created_at_ms: at_ms,
                },
            },
            Self::SelectBranch(from, to) => Change::SelectBranch {
                session_id: session_id(session),
                from: *from,
                to: *to,
            },
            Self::CreateRun {
                id,
                branch,
                message,
                key: request,
            } => Change::CreateRun(NewRun {
                run_id: run_id(session, *id),
                session_id: session_id(session),
                agent_id: DEFAULT_AGENT,
                branch: *branch,
                message_id: message_id(session, *message),
                retry_of: None,
                request_key: request.map(|number| key(session, number)),
                model: "guide".to_owned(),
                pin: None,
                at_ms,
            }),
            Self::MoveRun(number, from, to) => Change::MoveRun {
                run_id: run_id(session, *number),
                from: *from,
                to: *to,
                reason: None,
                error: None,
                at_ms,
            },
            Self::CountCrash(number) => Change::CountCrash {
                run_id: run_id(session, *number),
            },
            Self::CreateStep { id, run } => Change::CreateStep {
                step_id: step_id(session, *id),
                run_id: run_id(session, *run),
                kind: StepKind::ModelCall,
                at_ms,
            },
            Self::MoveStep(number, from, to) => Change::MoveStep {
                step_id: step_id(session, *number),
                from: *from,
                to: *to,
                at_ms,
            },
            Self::StartAttempt(step, attempt) => Change::StartAttempt {
                step_id: step_id(session, *step),
                attempt: *attempt,
                at_ms,
            },
            Self::Append {
                step,
                attempt,
                streamed,
                pieces,
            } => Change::AppendDeltas {
                session_id: session_id(session),
                step_id: step_id(session, *step),
                attempt: *attempt,
                streamed_bytes: *streamed,
                pieces: pieces
                    .iter()
                    .map(|(block, offset, text)| Piece {
                        block: *block,
                        kind: BlockKind::Text,
                        offset: *offset,
                        text: text.clone(),
                    })
                    .collect(),
            },
            Self::EndAttempt {
                step,
                attempt,
                to,
                streamed,
            } => Change::EndAttempt {
                step_id: step_id(session, *step),
                attempt: *attempt,
                to: *to,
                streamed_bytes: *streamed,
                usage: Usage::default(),
                fill: None,
                error: None,
                at_ms,
            },
            Self::AddCall {
                id,
                run,
                message,
                ordinal,
            } => {
                let mut call = call(session, *id, CallStatus::Proposed, 0);
                call.view.run_id = run_id(session, *run);
                call.view.message_id = message_id(session, *message);
                call.view.ordinal = *ordinal;
                Change::AddCall(Box::new(call))
            }
            Self::SaveCall {
                id,
                revision,
                from,
                to,
            } => Change::SaveCall {
                call: Box::new(call(session, *id, *to, *revision)),
                from: *from,
                result_whole: None,
            },
            Self::AddApproval(number, round) => Change::AddApproval {
                call_id: call_id(session, *number),
                approval: ApprovalView {
                    round: *round,
                    status: ApprovalStatus::Pending,
                    digest: "07".repeat(32),
                    asked_at_ms: at_ms,
                    expires_at_ms: None,
                    decision: None,
                    consumed_at_ms: None,
                },
            },
            Self::Decide(number, round, to) => Change::DecideApproval {
                call_id: call_id(session, *number),
                round: *round,
                to: *to,
                decision: None,
            },
            Self::Consume(number, round) => Change::ConsumeApproval {
                call_id: call_id(session, *number),
                round: *round,
                at_ms,
            },
            Self::Event(title) => Change::AppendEvent {
                session_id: session_id(session),
                at_ms,
                event: Event::SessionRenamed {
                    title: title.clone(),
                },
            },
        }
    }
}

/// A call with this status, as a decision that saw this revision would save it.
fn call(session: u32, number: Number, status: CallStatus, revision: u32) -> CallRow {
    let result = result_text(number, status).map(|text| ToolResult {
        is_error: false,
        class: None,
        total_bytes: text.len() as u64,
        text,
    });
    CallRow {
        view: ToolCallView {
            call_id: call_id(session, number),
            session_id: session_id(session),
            run_id: run_id(session, 0),
            message_id: message_id(session, 0),
            ordinal: 0,
            tool: "write_file".to_owned(),
            arguments: format!("{{\"number\":{number}}}"),
            proposed_arguments: None,
            effect: EffectClass::Once,
            status,
            verdict: None,
            preview: None,
            approval: None,
            doubt: None,
            result,
            files: Vec::new(),
            bodies: 0,
            created_at_ms: 1,
            started_at_ms: None,
            ended_at_ms: None,
        },
        revision,
        provider_id: format!("call_{session}_{number}"),
        tool_hash: None,
        resources: Vec::new(),
        digest: None,
        detail: None,
        step_id: None,
        attempt: 0,
    }
}
