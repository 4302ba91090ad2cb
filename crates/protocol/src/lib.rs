//! What is said between the engine and everyone who drives it: ids, commands, events,
//! snapshots, errors.
//!
//! Invariants: plain data with public fields, no behaviour beyond checking its own shape; no
//! clock, no randomness, no IO; the same bytes natively and in wasm. Every form on the wire is
//! pinned by a snapshot test, and every number stays under 2^53 so that a page can hold it.
//!
//! Entry points: [`Command`] (what is asked), [`Reply`] and [`CommandError`] (what is answered),
//! [`Push`] (what arrives unasked).

mod agent;
mod app;
mod approval;
mod attachment;
mod call_status;
mod command;
mod context;
mod delta;
mod error;
mod event;
mod export;
mod id;
pub mod limits;
mod local_server;
mod message;
mod native;
mod provider;
mod push;
mod queue;
mod reply;
mod rule;
mod run;
mod secret;
mod served_model;
mod session;
mod settings;
mod status;
mod tool_call;
mod usage;

pub use agent::{AgentFields, AgentView, RunLimits};
pub use app::{AppInfo, BackupInfo, ModelInfo, StartState, ToolInfo};
pub use approval::{
    ApprovalStatus, ApprovalView, CallDecision, DecidedCall, Decision, DecisionView,
};
pub use attachment::{AttachmentKind, AttachmentView};
pub use call_status::CallStatus;
pub use command::Command;
pub use context::{Fill, SummaryView};
pub use delta::{BlockKind, Delta};
pub use error::{CommandError, ErrorCode};
pub use event::{Envelope, Event};
pub use export::{ExportFormat, ExportedAttachment, NativeOf, SessionExport};
pub use id::{
    AgentId, AttachmentId, CallId, IdError, MessageId, ProviderId, RuleId, RunId, SessionId, StepId,
};
pub use local_server::{LocalFound, LocalKind, LocalServer};
pub use message::{Block, Ending, Message, MessageStatus, Role};
pub use native::Native;
pub use provider::{
    Dialect, KeyHeader, KeyPlace, ModelPrice, ProviderFields, ProviderHeader, ProviderModel,
    ProviderOptions, ProviderSecret, ProviderState, ProviderTest, ProviderView,
};
pub use push::Push;
pub use queue::QueuedMessage;
pub use reply::{Reply, SentOutcome};
pub use rule::{RuleScope, RuleView};
pub use run::{ErrorClass, RetryView, RunError, RunReason, RunView};
pub use secret::Secret;
pub use served_model::{ServedModel, ServedState};
pub use session::{
    Attention, AttentionAction, AttentionCall, AttentionKind, BranchView, LiveBlock, LiveStep,
    SessionSnapshot, SessionSummary,
};
pub use settings::{ProxySetting, RecoveryPolicy, Settings};
pub use status::{RunStatus, StepStatus, UnknownStatus};
pub use tool_call::{
    CallPreview, DoubtView, EffectClass, FileChange, PreviewPart, Resolution, ToolCallView,
    ToolResult, Verdict, VerdictView,
};
pub use usage::{Usage, UsageTotal};
