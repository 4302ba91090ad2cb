//! A layer over SQLite's own door to the disk: it records what is written, or makes a call fail.
//!
//! It is registered once per process as SQLite's default VFS and hands everything through to the
//! one that was the default before, so the store under test needs no change and does not know. Only
//! files whose path begins like a [`Watch`] are looked at; several tests can watch their own folders
//! in one process.
//!
//! - Recording: every write, truncation, sync, creation and deletion, in one order ([`Record`]). A
//!   test asks for [`Watch::position`] when something was acknowledged, so that it is known what had
//!   been acknowledged before each operation.
//! - Images: a [`Replay`] goes through a record, and for each operation says what a power cut could
//!   have left ([`Kept`]); a [`Stage`] puts that into files.
//! - Faults: the k-th call of chosen kinds fails ([`Fault`]).
//!
//! Invariants: all `unsafe` of this workspace is in `shim_vfs`, `shim_file` and `content`; a path that nobody
//! watches is opened by the platform's VFS itself, without this layer in between.

mod content;
mod disk;
mod environment;
mod fault;
mod image;
mod record;
mod replay;
mod route;
mod shim_file;
mod shim_vfs;
mod stage;
#[cfg(test)]
mod tests;

pub use content::content_hash;
pub use disk::{Setting, Watch};
pub use environment::DISK_FAULT_VARIABLE;
pub use fault::{Call, Failure, Fault};
pub use image::{Image, Kept};
pub use record::{FileId, Operation, Record};
pub use replay::Replay;
pub use stage::Stage;
