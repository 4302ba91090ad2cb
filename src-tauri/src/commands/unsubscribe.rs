//! Ends a subscription. Ending one that is over already is fine.

use tauri::State;

use crate::Shell;

#[tauri::command]
pub(super) fn unsubscribe(shell: State<'_, Shell>, subscription: u32) {
    shell.subscriptions.end(subscription);
}
