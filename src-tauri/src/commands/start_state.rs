//! How the start went; the first thing that a page asks.

use protocol::StartState;
use tauri::State;

use crate::Shell;

#[tauri::command]
pub(super) fn start_state(shell: State<'_, Shell>) -> StartState {
    // A page that asks this has just been loaded.
    shell.subscriptions.end_all();
    shell.state()
}
