//! What the store's errors become for whoever sent the command: a code, a sentence, a hint.

use protocol::{CommandError, ErrorCode};
use store::Error;

/// What an error of the store is called towards whoever sent the command.
pub fn from_store(error: &Error) -> CommandError {
    let (code, hint) = match error {
        Error::Conflict(_) => (ErrorCode::Conflict, "Try again."),
        Error::TooLarge { .. } => (ErrorCode::TooLarge, "Make it shorter, or split it."),
        Error::InUse { .. } => (
            ErrorCode::DataFolderInUse,
            "Close the other Holdfast, or use another folder with --data.",
        ),
        Error::Newer { .. } => (
            ErrorCode::NewerDatabase,
            "Install the newest version of Holdfast. Nothing was changed.",
        ),
        Error::Damaged { .. } => (
            ErrorCode::DamagedDatabase,
            "Nothing was overwritten, and a copy was kept. Restore the newest backup, or move the \
             file away to begin anew.",
        ),
        Error::Corrupt(_) => (
            ErrorCode::DamagedDatabase,
            "Close Holdfast and open it again: it then checks everything and offers a backup.",
        ),
        Error::NoBackup { .. } => (
            ErrorCode::NotFound,
            "Move the database away to begin anew; it stays where you put it.",
        ),
        Error::DiskFull => (ErrorCode::StorageFailed, "Free some space, then try again."),
        Error::ReadOnly(_) => (
            ErrorCode::StorageFailed,
            "Check who owns the data folder and whether it can be written.",
        ),
        Error::Io(_) => (ErrorCode::StorageFailed, "Check the disk, then try again."),
        Error::Fenced => (
            ErrorCode::Unavailable,
            "Another Holdfast has taken over this folder. Close this one.",
        ),
        Error::Closed => (ErrorCode::Unavailable, "Open Holdfast again."),
        Error::IllegalMove(_) | Error::Unreadable { .. } | Error::Sqlite(_) => (
            ErrorCode::Internal,
            "This is a fault of ours. The log says more.",
        ),
        _ => (ErrorCode::Internal, "The log says more."),
    };
    if code == ErrorCode::Internal {
        tracing::error!(name: "engine.store.failed", %error);
    }
    CommandError::new(code, sentence(&error.to_string()), hint)
}

pub(crate) fn not_found(what: &str) -> CommandError {
    CommandError::new(
        ErrorCode::NotFound,
        format!("There is no such {what}."),
        "It may have been deleted. List what there is and try again.",
    )
}

pub(crate) fn closing() -> CommandError {
    CommandError::new(
        ErrorCode::Unavailable,
        "Holdfast is closing.",
        "Open it again.",
    )
}

/// The store's errors are phrases; people read sentences.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
