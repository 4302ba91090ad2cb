//! The page has applied a batch and can take another.

use tauri::State;

use crate::Shell;

#[tauri::command]
pub(super) fn acknowledge(shell: State<'_, Shell>, subscription: u32) {
    shell.subscriptions.acknowledge(subscription);
}
