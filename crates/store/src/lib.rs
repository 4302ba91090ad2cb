//! Where everything is kept: the only SQL, the only SQLite connections.
//!
//! Invariants: no other crate opens a database or writes SQL; every write is one [`Transition`],
//! applied whole or not at all by the one writer thread; a barrier that was answered is on disk;
//! nothing here decides what happens next, knows a model, or reads a clock for data.
//!
//! Entry point: [`Store::open`].

mod audit;
mod backup;
mod call;
mod change;
mod connection;
mod create;
mod damage;
mod error;
mod event_codec;
pub mod faults;
mod folder;
mod inspect;
mod open;
mod provider;
mod read;
mod readers;
mod schema;
mod state_change;
mod write;
mod writer;

pub use audit::{
    AuditFinding, AuditHead, AuditReport, Cause, CauseKind, export_audit, verify_audit,
    verify_audit_export,
};
pub use backup::{newest_backup, restore_newest_backup};
pub use call::{CallRow, Checkpoint};
pub use change::{
    AttachmentChange, Change, NewAttachment, NewRun, Piece, Retry, StepKind, Sync, Transition,
};
pub use error::Error;
pub use folder::DataFolder;
pub use inspect::{Inspection, inspect};
pub use open::{Opened, Options, Store};
pub use provider::{HeldRun, ProviderRow};
pub use read::{
    AttachmentRow, AttemptUse, AttentionFacts, Content, Due, LiveCursor, MessageRow, Reader,
    RunFacts, RunState, SameRound, SessionRow, SessionState, StepState, Used, Violation,
};
pub use schema::{DEFAULT_AGENT, SCHEMA_VERSION};
pub use state_change::StateChange;

/// The version of the SQLite library inside, as `3.x.y`.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
