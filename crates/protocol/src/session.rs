//! What can be read of a session: its row in the list, its attention, its snapshot.

use serde::{Deserialize, Serialize};

use crate::{BlockKind, Message, RunId, RunView, SessionId, StepId};

/// A session as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSummary {
    /// Its id.
    pub session_id: SessionId,
    /// Its title; absent until the first message gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
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
    /// Steps of the run that are done and will not be done again.
    pub steps_completed: u32,
    /// Steps that were cut off.
    pub steps_interrupted: u32,
    /// Characters of the partial reply that were kept.
    pub partial_chars: u64,
    /// Only what is allowed now.
    pub actions: Vec<AttentionAction>,
}

/// What happened to a session that needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// The app ended while the run was going.
    Interrupted,
    /// The person stopped the run.
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
    /// End the run for good (`cancel_run`).
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
    /// What is being streamed at this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveStep>,
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
