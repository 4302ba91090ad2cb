//! What the engine asks to have written: one transition, one transaction.

use protocol::{
    AgentId, BlockKind, Event, Message, MessageId, RunError, RunId, RunReason, RunStatus,
    SessionId, StepId, StepStatus, Usage,
};

/// How far a commit must have gone before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// On disk, safe against power loss.
    Barrier,
    /// Safe against the end of the process at once, against power loss within a second.
    Relaxed,
}

/// Changes that are applied whole or not at all.
#[derive(Debug, Clone)]
pub struct Transition {
    /// How far the commit must have gone.
    pub sync: Sync,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl Transition {
    /// The sessions whose rows or events change, for whoever must be told.
    pub fn sessions(&self) -> Vec<SessionId> {
        let mut sessions: Vec<SessionId> =
            self.changes.iter().filter_map(Change::session_id).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }
}

/// One change of rows. A move names the status it expects; if the row has another one, the whole
/// transition is refused as a conflict.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new session.
    CreateSession {
        /// Its id.
        session_id: SessionId,
        /// Its agent.
        agent_id: AgentId,
        /// Its title.
        title: Option<String>,
        /// When.
        at_ms: u64,
    },
    /// Another title.
    RenameSession {
        /// The session.
        session_id: SessionId,
        /// The title.
        title: String,
        /// When.
        at_ms: u64,
    },
    /// A new message at the end; its position must be the next one.
    AddMessage {
        /// The session.
        session_id: SessionId,
        /// The message.
        message: Message,
    },
    /// A new run.
    CreateRun(NewRun),
    /// A run moves.
    MoveRun {
        /// The run.
        run_id: RunId,
        /// From this status.
        from: RunStatus,
        /// To this one.
        to: RunStatus,
        /// Why.
        reason: Option<RunReason>,
        /// With what error.
        error: Option<RunError>,
        /// When.
        at_ms: u64,
    },
    /// A new model-call step, planned.
    CreateStep {
        /// Its id.
        step_id: StepId,
        /// Its run.
        run_id: RunId,
        /// Its place in the run, from 1.
        position: u32,
        /// When.
        at_ms: u64,
    },
    /// A step moves. Completing one counts it in its run.
    MoveStep {
        /// The step.
        step_id: StepId,
        /// From this status.
        from: StepStatus,
        /// To this one.
        to: StepStatus,
        /// When.
        at_ms: u64,
    },
    /// A new attempt, running.
    StartAttempt {
        /// The step.
        step_id: StepId,
        /// Counted from 1.
        attempt: u32,
        /// When.
        at_ms: u64,
    },
    /// Streamed text of a running attempt.
    AppendDeltas {
        /// The session, for whoever must be told.
        session_id: SessionId,
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// Bytes streamed before these.
        streamed_bytes: u64,
        /// The pieces.
        pieces: Vec<Piece>,
    },
    /// A running attempt ends; its deltas go, because its outcome holds the text.
    EndAttempt {
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// How it ended.
        to: StepStatus,
        /// Bytes streamed, as the decision saw them.
        streamed_bytes: u64,
        /// What it cost.
        usage: Usage,
        /// With what error.
        error: Option<RunError>,
        /// When.
        at_ms: u64,
    },
    /// A fact of a session; it gets the next seq.
    AppendEvent {
        /// The session.
        session_id: SessionId,
        /// When.
        at_ms: u64,
        /// The fact.
        event: Event,
    },
}

/// A run to be created, running.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_id: AgentId,
    /// The message that started it.
    pub message_id: MessageId,
    /// The caller's key.
    pub request_key: Option<String>,
    /// The model, pinned.
    pub model: String,
    /// The instructions, pinned.
    pub instructions: Option<String>,
    /// When.
    pub at_ms: u64,
}

/// A piece of streamed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which block.
    pub block: u32,
    /// What it holds.
    pub kind: BlockKind,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// The text.
    pub text: String,
}

impl Change {
    fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::CreateSession { session_id, .. }
            | Self::RenameSession { session_id, .. }
            | Self::AddMessage { session_id, .. }
            | Self::AppendDeltas { session_id, .. }
            | Self::AppendEvent { session_id, .. } => Some(*session_id),
            Self::CreateRun(run) => Some(run.session_id),
            Self::MoveRun { .. }
            | Self::CreateStep { .. }
            | Self::MoveStep { .. }
            | Self::StartAttempt { .. }
            | Self::EndAttempt { .. } => None,
        }
    }
}
