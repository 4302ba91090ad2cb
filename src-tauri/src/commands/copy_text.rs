//! Puts text on the clipboard. The page can write to it and never read from it.

use protocol::{CommandError, ErrorCode};
use tauri::{AppHandle, Runtime};
use tauri_plugin_clipboard_manager::ClipboardExt;

/// More than any message holds.
const TEXT_BYTES: usize = 32 * 1024 * 1024;

#[tauri::command]
pub(super) fn copy_text<R: Runtime>(app: AppHandle<R>, text: String) -> Result<(), CommandError> {
    if text.len() > TEXT_BYTES {
        let message = "The text is too large for the clipboard.";
        return Err(CommandError::new(
            ErrorCode::TooLarge,
            message,
            "Copy a part of it.",
        ));
    }
    app.clipboard().write_text(text).map_err(|error| {
        let message = format!("The clipboard cannot be used: {error}.");
        CommandError::new(
            ErrorCode::Unavailable,
            message,
            "Select the text and copy it.",
        )
    })
}
