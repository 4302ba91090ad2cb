//! What the page can ask of the shell: one file each, a few lines each.
#![expect(
    clippy::needless_pass_by_value,
    clippy::let_underscore_must_use,
    reason = "the command macro hands values over, and its own code drops results"
)]

mod acknowledge;
mod copy_text;
mod execute;
mod report_ready;
mod restore_backup;
mod save_export;
mod start_state;
mod subscribe;
mod unsubscribe;
mod watch_sessions;

use tauri::{Builder, Runtime};

/// The builder with all commands. Each one is also named in `build.rs` and in
/// `capabilities/main.json`: what is missing there is refused.
pub fn with_commands<R: Runtime>(builder: Builder<R>) -> Builder<R> {
    builder.invoke_handler(tauri::generate_handler![
        acknowledge::acknowledge,
        copy_text::copy_text,
        execute::execute,
        report_ready::report_ready,
        restore_backup::restore_backup,
        save_export::save_export,
        start_state::start_state,
        subscribe::subscribe,
        unsubscribe::unsubscribe,
        watch_sessions::watch_sessions,
    ])
}
