//! After a start that failed: the newest backup takes the database's place.

use protocol::{CommandError, StartState};
use tauri::{AppHandle, Runtime, State};

use crate::{Shell, attention};

#[tauri::command]
pub(super) async fn restore_backup<R: Runtime>(
    app: AppHandle<R>,
    shell: State<'_, Shell>,
) -> Result<StartState, CommandError> {
    let state = shell.restore_backup()?;
    attention::follow(&app);
    Ok(state)
}
