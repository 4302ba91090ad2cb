//! After a start that failed: the newest backup takes the database's place.

use protocol::{CommandError, StartState};
use tauri::State;

use crate::Shell;

#[tauri::command]
pub(super) async fn restore_backup(shell: State<'_, Shell>) -> Result<StartState, CommandError> {
    shell.restore_backup()
}
