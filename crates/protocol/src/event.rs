//! Events: the durable, ordered facts of a session.

use serde::{Deserialize, Serialize};

use crate::{
    AgentId, BranchView, Fill, Message, MessageId, QueuedMessage, RetryView, RunError, RunId,
    RunReason, SessionId, StepId, SummaryView, ToolCallView, Usage,
};

/// An event with its place in its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope {
    /// The session it happened in.
    pub session_id: SessionId,
    /// Its position in the session, dense from 1.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// A durable fact of a session. The stored form of each variant is pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session was created.
    SessionCreated {
        /// The agent it is with.
        agent_id: AgentId,
        /// Its title, if it was given one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// The session got its title, or a new one.
    SessionRenamed {
        /// The title.
        title: String,
    },
    /// A message was written by the person.
    MessageAdded {
        /// The message.
        message: Message,
    },
    /// A run began.
    RunStarted {
        /// The run.
        run_id: RunId,
        /// The message that started it.
        message_id: MessageId,
        /// The agent that runs.
        agent_id: AgentId,
        /// The model it was started with.
        model: String,
        /// The run that this one tries again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_of: Option<RunId>,
    },
    /// An attempt at a step began. Its text follows as deltas.
    StepStarted {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
        /// The attempt, counted from 1.
        attempt: u32,
        /// The model that is called.
        model: String,
        /// It summarises older messages for the model: nothing of it streams.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_compaction: bool,
    },
    /// A step ended well; the message is whole and replaces its deltas.
    StepCompleted {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// What the agent wrote.
        message: Message,
        /// The tool calls it asked for, judged.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCallView>,
        /// What it cost.
        usage: Usage,
        /// How full the model's window is now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<Fill>,
    },
    /// Models are told a summary in the place of older messages from now on.
    HistorySummarised {
        /// The run.
        run_id: RunId,
        /// The step that wrote it, which is over; absent in a copy of another session's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step_id: Option<StepId>,
        /// The attempt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        /// The summary.
        summary: SummaryView,
        /// What it cost; absent in a copy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A tool call moved, or something of it changed. This is all of it, as it is now.
    ToolCallChanged {
        /// The call.
        call: Box<ToolCallView>,
    },
    /// An attempt was cut off; what had arrived is kept as a partial message.
    StepInterrupted {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// What had arrived, if anything had.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
    },
    /// An attempt ended with an error; what had arrived is kept as a partial message.
    StepFailed {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
        /// The attempt.
        attempt: u32,
        /// What went wrong.
        error: RunError,
        /// What had arrived, if anything had.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<Message>,
    },
    /// A step that will not be tried again, because its run was given up.
    StepCancelled {
        /// The run.
        run_id: RunId,
        /// The step.
        step_id: StepId,
    },
    /// The run waits for a person: for decisions, or for a call in doubt.
    RunWaiting {
        /// The run.
        run_id: RunId,
    },
    /// The run goes on after it waited.
    RunContinued {
        /// The run.
        run_id: RunId,
    },
    /// The model call failed and will be tried again by itself.
    RetryScheduled {
        /// The run.
        run_id: RunId,
        /// When, and why.
        retry: RetryView,
    },
    /// The messages that wait for their turn changed. These are all of them.
    QueueChanged {
        /// In order.
        queue: Vec<QueuedMessage>,
    },
    /// History goes on from before `from_position` in a new branch: what stood there and after it
    /// is in another branch now.
    BranchStarted {
        /// The branch.
        branch: BranchView,
    },
    /// The person went to another branch: take a new snapshot.
    BranchSelected {
        /// The branch.
        branch: u32,
    },
    /// The session was put away, or taken back.
    SessionArchived {
        /// Whether it is put away.
        is_archived: bool,
    },
    /// The session is with another agent from now on.
    AgentChanged {
        /// The agent.
        agent_id: AgentId,
    },
    /// The session got a model of its own, or goes with its agent's again.
    ModelChanged {
        /// The model; the agent's when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The person stopped the run, or it reached a limit; it can be resumed.
    RunStopped {
        /// The run.
        run_id: RunId,
        /// Why.
        reason: RunReason,
    },
    /// The app ended while the run was going; it can be resumed.
    RunInterrupted {
        /// The run.
        run_id: RunId,
        /// Why.
        reason: RunReason,
    },
    /// The person resumed the run.
    RunResumed {
        /// The run.
        run_id: RunId,
    },
    /// The run ended well.
    RunCompleted {
        /// The run.
        run_id: RunId,
    },
    /// The run ended with an error.
    RunFailed {
        /// The run.
        run_id: RunId,
        /// What went wrong.
        error: RunError,
    },
    /// The run was ended for good.
    RunCancelled {
        /// The run.
        run_id: RunId,
        /// Why.
        reason: RunReason,
    },
    /// An event that this version does not know. Never written; it keeps `seq` dense on reading.
    Unrecognised {
        /// The stored kind.
        kind: String,
    },
}

impl Event {
    /// The message that came with it, if one did.
    pub const fn message(&self) -> Option<&Message> {
        match self {
            Self::MessageAdded { message } | Self::StepCompleted { message, .. } => Some(message),
            Self::StepInterrupted { message, .. } | Self::StepFailed { message, .. } => {
                message.as_ref()
            }
            Self::SessionCreated { .. }
            | Self::SessionRenamed { .. }
            | Self::RunStarted { .. }
            | Self::StepStarted { .. }
            | Self::HistorySummarised { .. }
            | Self::StepCancelled { .. }
            | Self::ToolCallChanged { .. }
            | Self::RunWaiting { .. }
            | Self::RunContinued { .. }
            | Self::RetryScheduled { .. }
            | Self::QueueChanged { .. }
            | Self::BranchStarted { .. }
            | Self::BranchSelected { .. }
            | Self::SessionArchived { .. }
            | Self::AgentChanged { .. }
            | Self::ModelChanged { .. }
            | Self::RunStopped { .. }
            | Self::RunInterrupted { .. }
            | Self::RunResumed { .. }
            | Self::RunCompleted { .. }
            | Self::RunFailed { .. }
            | Self::RunCancelled { .. }
            | Self::Unrecognised { .. } => None,
        }
    }
}
