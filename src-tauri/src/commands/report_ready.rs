//! The page shows the session list: the start is over.

use tauri::State;

use crate::Readiness;

#[tauri::command]
pub(super) fn report_ready(readiness: State<'_, Readiness>) {
    readiness.report();
}
