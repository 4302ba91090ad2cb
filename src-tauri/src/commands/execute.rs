//! Every command of the protocol that answers once.

use protocol::{Command, CommandError, Reply};
use serde_json::Value;
use tauri::State;

use crate::Shell;

#[tauri::command]
pub(super) async fn execute(
    shell: State<'_, Shell>,
    command: Value,
) -> Result<Reply, CommandError> {
    let command = Command::from_value(command)?;
    shell.engine()?.execute(command).await
}
