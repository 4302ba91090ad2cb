//! Wiring: an engine with its store and models, the command line, headless mode, logs.
//!
//! Invariants: there is no window in here, and nothing here decides what happens: it opens,
//! connects and closes. The shell and the tests use the same [`Host`].
//!
//! Entry points: [`Arguments`], [`Host::start`], [`headless::run`].

mod arguments;
pub mod audit;
mod backups;
mod data_dir;
pub mod diagnostics;
mod files;
pub mod headless;
mod instance;
pub mod keys;
pub mod logging;
mod providers;
mod serving;
mod source;
mod start;

pub use arguments::{Arguments, AuditMode, GuideArguments, Mode};
pub use engine::Engine;
pub use files::{start_logs, write_private_file};
pub use instance::instance_name;
pub use source::Source;
pub use start::{Host, HostOptions, Restore, StartFailure};
