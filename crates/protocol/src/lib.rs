//! What is said between the engine and everyone who drives it: ids, commands, events,
//! snapshots, errors.
//!
//! Invariants: plain data with public fields, no behaviour beyond checking its own shape; no
//! clock, no randomness, no IO; the same bytes natively and in wasm. Every form on the wire is
//! pinned by a snapshot test, and every number stays under 2^53 so that a page can hold it.
//!
//! Entry points: [`Command`] (what is asked), [`Reply`] and [`CommandError`] (what is answered),
//! [`Push`] (what arrives unasked).

mod app;
mod command;
mod delta;
mod error;
mod event;
mod id;
mod message;
mod push;
mod reply;
mod run;
mod session;
mod status;

pub use app::{AppInfo, BackupInfo, ModelInfo, StartState};
pub use command::{Command, limits};
pub use delta::{BlockKind, Delta};
pub use error::{CommandError, ErrorCode};
pub use event::{Envelope, Event};
pub use id::{AgentId, IdError, MessageId, RunId, SessionId, StepId};
pub use message::{Block, Message, MessageStatus, Role};
pub use push::Push;
pub use reply::Reply;
pub use run::{ErrorClass, RunError, RunReason, RunView, Usage};
pub use session::{
    Attention, AttentionAction, AttentionKind, LiveBlock, LiveStep, SessionSnapshot, SessionSummary,
};
pub use status::{RunStatus, StepStatus, UnknownStatus};
