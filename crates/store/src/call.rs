//! A tool call as it is stored.

use protocol::{StepId, ToolCallView};
use serde_json::Value;

/// One tool call: what everyone may see of it, and what the engine keeps beside that. It is read
/// and written whole; `revision` says which state of it a decision saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// What everyone may see. Its approval is the newest round, its files come from checkpoints,
    /// its result is cut where it is long.
    pub view: ToolCallView,
    /// Grows with every change; 0 for a call that is not stored yet.
    pub revision: u32,
    /// The provider's id of the call, unique in the session.
    pub provider_id: String,
    /// The hash of the tool's definition; absent for a tool that does not exist.
    pub tool_hash: Option<[u8; 32]>,
    /// What it touches: calls that share one of these run one after the other.
    pub resources: Vec<String>,
    /// The digest of what would run; absent for a call that cannot run.
    pub digest: Option<[u8; 32]>,
    /// What the tool noted right before it started.
    pub detail: Option<Value>,
    /// The step of its bodies, from when the first one started.
    pub step_id: Option<StepId>,
    /// The newest attempt of that step, from 1; 0 if there was none.
    pub attempt: u32,
}

/// The way back from one file change of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The path, relative to the workspace.
    pub path: String,
    /// What the file held; nothing if it did not exist.
    pub before: Option<Vec<u8>>,
    /// The hash of what it held afterwards.
    pub after: [u8; 32],
    /// When it was undone.
    pub undone_at_ms: Option<u64>,
}
