//! What the engine asks to have written: one transition, one transaction.

mod attachment;
mod of_session;
mod parts;

use std::sync::Arc;

use protocol::{
    AgentFields, AgentId, AgentView, ApprovalStatus, ApprovalView, AttentionKind, BranchView,
    CallId, CallStatus, DecisionView, Event, Fill, Message, MessageId, Native, ProviderFields,
    ProviderId, ProviderModel, ProviderSecret, QueuedMessage, RuleId, RuleView, RunError, RunId,
    RunReason, RunStatus, SessionId, Settings, StepId, StepStatus, SummaryView, Usage,
};

pub use self::attachment::{AttachmentChange, NewAttachment};
pub use self::parts::{NewRun, Piece, Retry, StepKind};
use crate::{CallRow, Cause, Checkpoint, ProviderRow, StateChange};

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
    /// What made the transition happen, for the audit: nothing else is written of it.
    NoteCause {
        /// Who asked for what.
        cause: Cause,
        /// When.
        at_ms: u64,
    },
    /// A new session, with its first branch.
    CreateSession {
        /// Its id.
        session_id: SessionId,
        /// Its agent.
        agent_id: AgentId,
        /// Its title.
        title: Option<String>,
        /// The name of its workspace.
        workspace: String,
        /// Where it was forked from.
        forked_from: Option<SessionId>,
        /// When.
        at_ms: u64,
    },
    /// Puts a session away, or takes it back.
    ArchiveSession {
        /// The session.
        session_id: SessionId,
        /// Whether it is put away.
        is_archived: bool,
        /// When.
        at_ms: u64,
    },
    /// Marks a session as deleted, or takes it back. One that is in that state already is a
    /// conflict.
    DeleteSession {
        /// The session.
        session_id: SessionId,
        /// When it was deleted; nothing to take it back.
        deleted_at_ms: Option<u64>,
    },
    /// Removes a session that is marked as deleted, with every row of it. One that is gone or was
    /// taken back is a conflict.
    PurgeSession {
        /// The session.
        session_id: SessionId,
    },
    /// Another agent.
    SetSessionAgent {
        /// The session.
        session_id: SessionId,
        /// The agent.
        agent_id: AgentId,
    },
    /// A model of its own, or its agent's again.
    SetSessionModel {
        /// The session.
        session_id: SessionId,
        /// The model.
        model: Option<String>,
    },
    /// A new branch, which is shown from now on. Its number must be the next one and its parent the
    /// branch that is shown. `message_count` becomes `from_position - 1`.
    StartBranch {
        /// The session.
        session_id: SessionId,
        /// The branch.
        branch: BranchView,
    },
    /// Another branch is shown: `message_count` and `newest_run_id` follow.
    SelectBranch {
        /// The session.
        session_id: SessionId,
        /// From this one.
        from: u32,
        /// To this one.
        to: u32,
    },
    /// A request that was answered with a message that waits or went into a run.
    NoteRequest {
        /// The caller's key.
        request_key: String,
        /// The session.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
    },
    /// A message at the end of the queue.
    Enqueue {
        /// The session.
        session_id: SessionId,
        /// The message.
        message: QueuedMessage,
    },
    /// Another text for a message that waits.
    EditQueued {
        /// The message.
        message_id: MessageId,
        /// The text.
        text: String,
    },
    /// Takes a message from the queue; one that is not there is a conflict.
    Dequeue {
        /// The message.
        message_id: MessageId,
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
    /// A new message at the end of the branch that is shown; its position must be the next one.
    AddMessage {
        /// The session.
        session_id: SessionId,
        /// The message.
        message: Message,
        /// What its provider said in its own words, where that is kept.
        native: Option<Arc<Native>>,
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
    /// What a run may use is as at its start again.
    RenewBudget {
        /// The run.
        run_id: RunId,
    },
    /// A failed model call will be made again, or no longer waits for that.
    SetRetry {
        /// The run.
        run_id: RunId,
        /// When and why; nothing when it no longer waits.
        retry: Option<Retry>,
    },
    /// The app ended while this run was going.
    CountCrash {
        /// The run.
        run_id: RunId,
    },
    /// The person has seen that a run failed.
    DismissRun {
        /// The run.
        run_id: RunId,
        /// When.
        at_ms: u64,
    },
    /// A new step, planned, at the end of its run.
    CreateStep {
        /// Its id.
        step_id: StepId,
        /// Its run.
        run_id: RunId,
        /// What it does.
        kind: StepKind,
        /// When.
        at_ms: u64,
    },
    /// A step moves. Completing one counts it in its run, in what is used of its budget, and sets
    /// `crashes` and `retry_failed` back to 0.
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
    /// A running attempt ends; its deltas go, because its outcome holds the text. Its duration,
    /// tokens and cost count in what is used of its run's budget.
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
        /// How full the model's window is after it.
        fill: Option<Fill>,
        /// With what error.
        error: Option<RunError>,
        /// When.
        at_ms: u64,
    },
    /// What models are told in the place of older messages. There must be none yet that ends with
    /// the same message, which must exist.
    AddSummary {
        /// The session.
        session_id: SessionId,
        /// The summary.
        summary: SummaryView,
    },
    /// A new tool call.
    AddCall(Box<CallRow>),
    /// A tool call changes. It must have the status `from` and the revision of the row; the
    /// revision grows by one. Approval and files have changes of their own.
    SaveCall {
        /// The call as it is from now on, with the revision that the decision saw.
        call: Box<CallRow>,
        /// Its status before, which may be the same.
        from: CallStatus,
        /// The whole result, where the one in the call is cut.
        result_whole: Option<String>,
    },
    /// A question to the person: the next round of its call.
    AddApproval {
        /// The call.
        call_id: CallId,
        /// The question, pending.
        approval: ApprovalView,
    },
    /// A question is answered, in whatever way; it must be pending.
    DecideApproval {
        /// The call.
        call_id: CallId,
        /// The round.
        round: u32,
        /// Where it moves.
        to: ApprovalStatus,
        /// The person's answer, if it is one.
        decision: Option<DecisionView>,
    },
    /// An allowed question is used; it must be allowed and unused.
    ConsumeApproval {
        /// The call.
        call_id: CallId,
        /// The round.
        round: u32,
        /// When.
        at_ms: u64,
    },
    /// The way back from a file change. One that is there already stays as it is: the first
    /// before-image is the one to go back to.
    AddCheckpoint {
        /// The call.
        call_id: CallId,
        /// The change.
        checkpoint: Checkpoint,
    },
    /// A file change was undone; one that was undone before is a conflict.
    MarkUndone {
        /// The call.
        call_id: CallId,
        /// The file.
        path: String,
        /// When.
        at_ms: u64,
    },
    /// What a call wants to change in its session's state.
    StageState {
        /// The call.
        call_id: CallId,
        /// The changes, in order.
        changes: Vec<StateChange>,
    },
    /// Merges what the calls of a message staged, in the order of the calls.
    MergeState {
        /// The session.
        session_id: SessionId,
        /// The message.
        message_id: MessageId,
    },
    /// A new rule.
    AddRule(RuleView),
    /// A rule goes; one that is gone is a conflict.
    RemoveRule {
        /// The rule.
        rule_id: RuleId,
    },
    /// A new agent.
    CreateAgent(AgentView),
    /// An agent changes; it must have this revision.
    UpdateAgent {
        /// The agent.
        agent_id: AgentId,
        /// What it is from now on.
        fields: AgentFields,
        /// The revision that was edited.
        revision: u32,
        /// When.
        at_ms: u64,
    },
    /// An agent goes; its sessions go on with the default one, which cannot go.
    DeleteAgent {
        /// The agent.
        agent_id: AgentId,
    },
    /// A new provider, without models.
    CreateProvider(Box<ProviderRow>),
    /// A provider changes; it must have this revision.
    UpdateProvider {
        /// The provider.
        provider_id: ProviderId,
        /// What it is from now on.
        fields: ProviderFields,
        /// Which of its secrets are still kept.
        secrets: Vec<ProviderSecret>,
        /// The revision that was edited.
        revision: u32,
        /// When.
        at_ms: u64,
    },
    /// Which secrets of a provider are kept, and where. It must have this revision, which stays.
    SaveProviderSecrets {
        /// The provider.
        provider_id: ProviderId,
        /// All that are kept from now on.
        secrets: Vec<ProviderSecret>,
        /// The revision that they are kept for.
        revision: u32,
        /// When.
        at_ms: u64,
    },
    /// What a provider lists.
    SaveProviderModels {
        /// The provider.
        provider_id: ProviderId,
        /// Its models.
        models: Vec<ProviderModel>,
        /// When it listed them.
        at_ms: u64,
    },
    /// A provider goes; one that is gone is a conflict.
    DeleteProvider {
        /// The provider.
        provider_id: ProviderId,
    },
    /// An attachment comes or goes.
    Attachment(AttachmentChange),
    /// The settings, all of them.
    SaveSettings(Settings),
    /// A notification was shown. One that was noted before stays.
    NoteNotice {
        /// The run.
        run_id: RunId,
        /// What it was about.
        kind: AttentionKind,
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
