//! What can be read of a session: its row in the list, its attention, its snapshot.

use serde::{Deserialize, Serialize};

use crate::{
    AgentId, BlockKind, CallId, Fill, Message, QueuedMessage, RunError, RunId, RunReason, RunView,
    SessionId, StepId, SummaryView, ToolCallView, UsageTotal,
};

/// A session as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// Its title; absent until the first message gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its agent.
    pub agent_id: AgentId,
    /// The model that was chosen for it; its agent's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Put away: not in the list unless asked for, and it needs nobody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_archived: bool,
    /// What cannot be read of it, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
    /// Messages that wait for their turn.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub queued: u32,
    /// Its newest run, if it ever had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// Present exactly when the session needs a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<Attention>,
    /// When it was created, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// When something last happened in it, in milliseconds since 1970.
    pub updated_at_ms: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Why a session needs a person, and what the person can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attention {
    /// What happened.
    pub kind: AttentionKind,
    /// The run in question.
    pub run_id: RunId,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// What the person asked for, cut to a line.
    pub asked: String,
    /// The last thing that was finished, in words: "Wrote notes.md".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_done: Option<String>,
    /// Steps of the run that are done and will not be done again.
    pub steps_completed: u32,
    /// Steps that were cut off.
    pub steps_interrupted: u32,
    /// Tool calls whose outcome is unknown, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<AttentionCall>,
    /// Tool calls that have not started, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_started: Vec<AttentionCall>,
    /// Characters of the partial reply that were kept.
    pub partial_chars: u64,
    /// Why it stands where it stands, where that needs saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RunReason>,
    /// What went wrong, for a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// How often the app ended while it ran.
    pub crashes: u32,
    /// Only what is allowed now.
    pub actions: Vec<AttentionAction>,
}

/// A tool call that a person should know of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttentionCall {
    /// The call.
    pub call_id: CallId,
    /// What it does, in one line.
    pub summary: String,
    /// Whether it waits for a decision.
    pub is_waiting: bool,
}

/// What happened to a session that needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// The app ended while the run was going.
    Interrupted,
    /// Tool calls wait for a decision.
    Waiting,
    /// A tool call was started and its outcome is unknown.
    InDoubt,
    /// The person stopped the run, or it reached a limit.
    Stopped,
    /// The run failed.
    Failed,
}

/// What a person can do about a session that needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttentionAction {
    /// Continue the run (`resume_run`).
    Resume,
    /// Open the session at the card and decide.
    Decide,
    /// Try again as a new run (`retry_run`).
    Retry,
    /// End the run for good (`cancel_run`), or acknowledge that it failed.
    Discard,
}

/// One session's state for first paint, with the seq it is true at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSnapshot {
    /// The session as the list shows it.
    pub session: SessionSummary,
    /// The position of the newest event that this snapshot contains. Subscribe after it.
    pub seq: u64,
    /// The newest messages, oldest first.
    pub messages: Vec<Message>,
    /// Whether older messages exist (`list_messages` reads them).
    pub has_earlier: bool,
    /// The tool calls of those messages, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCallView>,
    /// Messages that wait for their turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<QueuedMessage>,
    /// The branch that is shown.
    pub branch: u32,
    /// Every branch, the first one included; empty while there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<BranchView>,
    /// The folder that its tools are confined to.
    pub workspace: String,
    /// What its model calls cost.
    pub usage: UsageTotal,
    /// How full the model's window was after the newest reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// What models are told in the place of older messages, the oldest first; the newest holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<SummaryView>,
    /// What is being streamed at this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveStep>,
}

/// One branch of a session's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BranchView {
    /// Its number, from 0.
    pub branch: u32,
    /// The branch it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The position of its first own message.
    pub from_position: u64,
    /// When it was made, in milliseconds since 1970.
    pub created_at_ms: u64,
}

/// The step that is streaming.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveStep {
    /// Its run.
    pub run_id: RunId,
    /// The step.
    pub step_id: StepId,
    /// The attempt at it, counted from 1.
    pub attempt: u32,
    /// The model that writes.
    pub model: String,
    /// When the attempt started, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// It summarises older messages for the model: nothing of it streams.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_compaction: bool,
    /// What has been streamed so far.
    pub blocks: Vec<LiveBlock>,
}

/// What has been streamed of one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveBlock {
    /// Which block of the attempt, counted from 0.
    pub block: u32,
    /// What it holds.
    pub kind: BlockKind,
    /// The text so far.
    pub text: String,
}
