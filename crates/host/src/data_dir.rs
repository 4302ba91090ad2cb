//! Where the data folder is when nobody says otherwise.

use std::path::PathBuf;

use directories::ProjectDirs;
use protocol::{CommandError, ErrorCode};

/// The platform's own place for an app's data.
pub(crate) fn default_data_dir() -> Result<PathBuf, CommandError> {
    ProjectDirs::from("", "", "holdfast")
        .map(|dirs| dirs.data_local_dir().to_owned())
        .ok_or_else(|| {
            CommandError::new(
                ErrorCode::StorageFailed,
                "This account has no home folder to keep data in.",
                "Name a folder with --data or HOLDFAST_DATA.",
            )
        })
}
