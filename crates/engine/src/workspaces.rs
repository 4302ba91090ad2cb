//! The folders that sessions' tools are confined to.

use std::path::PathBuf;

/// Makes, restores and removes workspaces. The one way in which the engine itself touches files.
pub trait Workspaces: std::fmt::Debug + Send + Sync + 'static {
    /// The folder of a workspace by its name. It may not exist yet.
    fn folder(&self, name: &str) -> PathBuf;

    /// Puts a file back to what it was, if it still holds what the call wrote. Restoring what is
    /// restored succeeds. May wait for the disk.
    fn restore(
        &self,
        name: &str,
        path: &str,
        after: [u8; 32],
        before: Option<&[u8]>,
    ) -> Result<(), RestoreError>;

    /// Removes a workspace with everything in it. Removing what is gone succeeds.
    fn remove(&self, name: &str) -> std::io::Result<()>;

    /// The names of the workspaces that exist.
    fn names(&self) -> std::io::Result<Vec<String>>;
}

/// Why a file could not be put back.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Somebody changed it since.
    #[error("{0} was changed since")]
    Changed(String),
    /// It cannot be read or written.
    #[error("{path}: {detail}")]
    Failed {
        /// The file.
        path: String,
        /// Why.
        detail: String,
    },
}
