//! Follows one session over a channel of its own.

use host::Source;
use protocol::{CommandError, Push, SessionId};
use tauri::State;
use tauri::ipc::Channel;

use crate::Shell;

#[tauri::command]
pub(super) async fn subscribe(
    shell: State<'_, Shell>,
    session_id: SessionId,
    after_seq: u64,
    channel: Channel<Vec<Push>>,
) -> Result<u32, CommandError> {
    let subscription = shell.engine()?.subscribe(session_id, after_seq)?;
    Ok(shell
        .subscriptions
        .open(Source::Session(subscription), channel))
}
