//! Follows the list of sessions over a channel of its own.

use host::Source;
use protocol::{CommandError, Push};
use tauri::State;
use tauri::ipc::Channel;

use crate::Shell;

#[tauri::command]
pub(super) async fn watch_sessions(
    shell: State<'_, Shell>,
    channel: Channel<Vec<Push>>,
) -> Result<u32, CommandError> {
    let watch = shell.engine()?.watch_sessions()?;
    Ok(shell.subscriptions.open(Source::List(watch), channel))
}
