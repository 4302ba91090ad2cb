//! What some changes are made of.

use protocol::{AgentId, BlockKind, MessageId, RunError, RunId, SessionId};

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Calls the model.
    ModelCall,
    /// Runs a tool call.
    ToolCall,
    /// Has the model summarise older messages.
    Compaction,
}

/// A failed model call that will be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// When.
    pub at_ms: u64,
    /// How many tries have failed.
    pub failed: u32,
    /// What went wrong.
    pub error: RunError,
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
    /// The branch it runs in.
    pub branch: u32,
    /// The message that started it.
    pub message_id: MessageId,
    /// The run that it tries again.
    pub retry_of: Option<RunId>,
    /// The caller's key.
    pub request_key: Option<String>,
    /// The model, pinned.
    pub model: String,
    /// What else is pinned, as the engine's JSON text.
    pub pin: Option<String>,
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
