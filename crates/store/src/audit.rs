//! The audit: a hash-chained table of commands, decisions and effects, the head beside it, and the
//! check of both.
//!
//! Rows are derived from the changes of a transition, in its transaction, so nothing changes without
//! its line. The head says how long the chain is and is keyed, so that a chain that was cut or
//! written anew is told from the true one.

mod chain;
mod derive;
mod export;
mod head;
mod keeper;
mod key;
mod report;
mod row;
mod take_up;
mod verify;

pub use export::{export_audit, verify_audit_export};
pub use report::{AuditFinding, AuditHead, AuditReport};
pub use verify::verify_audit;

pub(crate) use chain::{Chain, Tip, begin};
pub(crate) use keeper::Keeper;
pub(crate) use take_up::{note_restore, take_up};

/// What made a transition happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Who.
    pub kind: CauseKind,
    /// What, as `send_message` or `purge`.
    pub name: String,
    /// The hash of what was asked for, where it can be told.
    pub content: Option<[u8; 32]>,
}

/// Who makes something happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseKind {
    /// Somebody who gave a command.
    Command,
    /// The app itself, because it was time.
    App,
    /// A start that took up what a dead process left.
    Recovery,
}
