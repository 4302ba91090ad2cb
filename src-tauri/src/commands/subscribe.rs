//! Follows one session over a channel of its own.

use host::Source;
use protocol::{Command, CommandError, Push};
use serde_json::{Value, json};
use tauri::State;
use tauri::ipc::Channel;

use crate::Shell;

#[tauri::command]
pub(super) async fn subscribe(
    shell: State<'_, Shell>,
    session_id: Value,
    after_seq: Value,
    channel: Channel<Vec<Push>>,
) -> Result<u32, CommandError> {
    // Taken as they come and checked like every command, so that what is wrong gets a typed error.
    let command = json!({ "type": "subscribe", "session_id": session_id, "after_seq": after_seq });
    let Command::Subscribe {
        session_id,
        after_seq,
    } = Command::from_value(command)?
    else {
        return Err(CommandError::internal("a subscription is not one"));
    };
    let subscription = shell.engine()?.subscribe(session_id, after_seq)?;
    Ok(shell
        .subscriptions
        .open(Source::Session(subscription), channel))
}
