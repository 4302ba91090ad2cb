//! Writes a session into a file among the person's downloads, and says where it is.

use protocol::{Command, CommandError, Reply};
use serde_json::{Value, json};
use tauri::State;

use crate::{Shell, downloads};

#[tauri::command]
pub(super) async fn save_export(
    shell: State<'_, Shell>,
    session_id: Value,
    format: Value,
) -> Result<String, CommandError> {
    let command = json!({ "type": "export_session", "session_id": session_id, "format": format });
    let command = Command::from_value(command)?;
    let Reply::Exported { file_name, text } = shell.engine()?.execute(command).await? else {
        return Err(CommandError::internal("an export is not one"));
    };
    downloads::save(file_name, text).await
}
